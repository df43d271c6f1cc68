//! What people read who ask, or mistype.

use super::Operator;

/// Every command with what its help says, found by way of the help texts themselves.
fn helps(operator: &Operator) -> Vec<(String, String)> {
    let (mut found, mut open) = (Vec::new(), vec![Vec::<String>::new()]);
    while let Some(command) = open.pop() {
        let help = operator.runs(&[&command.iter().map(String::as_str).collect::<Vec<_>>()[..], &["--help"]].concat());
        let listed = help.split("\nCommands:\n").nth(1).unwrap_or_default();
        let listed = listed.split("\n\n").next().unwrap_or_default();
        let names = listed.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
        let names = names.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help");
        open.extend(names.map(|name| [&command[..], &[name.to_owned()]].concat()));
        found.push((command.join(" "), help));
    }
    found.sort();
    found
}

#[test]
fn help_says_what_each_command_takes() {
    for (command, help) in helps(&Operator::new()) {
        insta::assert_snapshot!(if command.is_empty() { "help".to_owned() } else { command }, help);
    }
}

#[test]
fn every_command_has_an_example_that_is_a_right_command_line() {
    let operator = Operator::new();
    let helps = helps(&operator);
    assert!(helps.len() > 30, "{}", helps.len());
    for (command, help) in helps {
        if help.contains("\nCommands:\n") && !help.contains("[OPTIONS]\n       botctl") && !command.is_empty() {
            continue;
        }
        let examples = help.split("Examples:\n").nth(1).unwrap_or_else(|| panic!("{command} has no example"));
        let lines = examples.lines().filter(|line| line.starts_with("  "));
        assert!(lines.clone().any(|line| line.contains(&format!("botctl {command}"))), "{command}: {examples}");
        for line in lines {
            for call in line.split(&['|', '>', '<'][..]).flat_map(|part| part.split("&&")) {
                let Some((_, call)) = call.split_once("botctl ") else { continue };
                // Its words are judged by the parser alone: with --help nothing is done.
                let words: Vec<&str> = call.split_whitespace().take_while(|word| !word.starts_with('.')).collect();
                let ended = operator.tries(&[&words[..], &["--help"]].concat());
                assert_eq!(ended.code, 0, "{line}: {ended:?}");
                for flag in words.iter().filter(|word| word.starts_with("--")) {
                    assert!(ended.stdout.contains(flag), "{line}: there is no {flag}");
                }
            }
        }
    }
}

#[test]
fn help_is_a_command_too() {
    let operator = Operator::new();
    assert_eq!(operator.runs(&["help"]), operator.runs(&["--help"]));
    assert_eq!(operator.runs(&["help", "bot", "add"]), operator.runs(&["bot", "add", "--help"]));
}

#[test]
fn a_wrong_command_line_is_one_line_and_exit_code_2() {
    let operator = Operator::new();
    let lines: Vec<String> = [
        &[][..],
        &["srve"],
        &["bot", "add"],
        &["bot", "add", "--name", "main", "--token", "1:x", "--max-connections", "101"],
        &["chat", "ban", "--chat", "ann"],
        &["chat", "ban", "--chat", "-5"],
        &["config", "--jsn"],
        &["bot", "set", "--max-connections", "0"],
        &["bot", "rotate-secret", "--keep", "soon"],
        &["jobs", "list", "--lane", "outbond"],
        &["jobs", "show"],
        &["jobs", "retry"],
        &["dead", "retry", "5", "--all"],
        &["completions", "tcsh"],
    ]
    .iter()
    .map(|arguments| operator.fails(2, arguments))
    .collect();
    insta::assert_snapshot!(lines.join("\n"));
}
