//! What `botctl` says of itself: completions, manual pages, colours.

use super::{Ended, Operator};

#[test]
fn every_shell_gets_completions_that_know_the_commands() {
    let operator = Operator::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = operator.runs(&["completions", shell]);
        for word in ["rotate-secret", "set-webhook", "max-connections"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
}

#[test]
fn a_shell_reads_its_completions() {
    let operator = Operator::new();
    let script = operator.path().join("botctl.bash");
    std::fs::write(&script, operator.runs(&["completions", "bash"])).unwrap();
    let completes =
        "source ./botctl.bash; COMP_WORDS=(botctl bot ro); COMP_CWORD=2; _botctl botctl ro bot; echo $COMPREPLY";
    let output =
        std::process::Command::new("bash").args(["-c", completes]).current_dir(operator.path()).output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap().trim(), "rotate-secret");
}

#[test]
fn there_is_a_manual_page_and_one_for_each_command() {
    let operator = Operator::new();
    assert!(operator.runs(&["man"]).contains(".TH botctl 1"));
    std::fs::create_dir(operator.path().join("man1")).unwrap();
    operator.runs(&["man", "--dir", "man1"]);
    for page in ["botctl.1", "botctl-serve.1", "botctl-bot-rotate-secret.1"] {
        let text = std::fs::read_to_string(operator.path().join("man1").join(page)).unwrap();
        assert!(text.contains("Examples:"), "{page}");
    }
    let line = operator.fails(1, &["man", "--dir", "nowhere"]);
    assert!(line.contains("--dir") && line.contains("nowhere"), "{line}");
}

#[test]
fn what_it_says_of_itself_needs_no_right_settings() {
    let operator = Operator::new();
    for arguments in [&["man"][..], &["completions", "fish"]] {
        let ended = Ended::of(operator.command(arguments).env("TAPGATE_CONFIG", "nowhere.toml"));
        assert_eq!(ended.code, 0, "{ended:?}");
    }
}

#[test]
fn there_are_no_colours_where_nobody_looks() {
    let operator = Operator::new();
    for arguments in [&["--help"][..], &["bot", "list"], &["srve"]] {
        let ended = Ended::of(operator.command(arguments).env("TERM", "xterm-256color"));
        assert!(!ended.stdout.contains('\u{1b}') && !ended.stderr.contains('\u{1b}'), "{ended:?}");
    }
}

/// `script`, of every Linux, gives the program a terminal.
#[test]
fn on_a_terminal_errors_and_help_are_coloured_unless_somebody_wants_none() {
    let operator = Operator::new();
    let on_a_terminal = |line: &str, variable: (&str, &str)| {
        let command = format!("{} {line}", env!("CARGO_BIN_EXE_botctl"));
        let mut script = std::process::Command::new("script");
        script.args(["-qec", &command, "/dev/null"]).current_dir(operator.path()).env("TERM", "xterm");
        String::from_utf8(script.env(variable.0, variable.1).output().unwrap().stdout).unwrap()
    };
    let plain = ("NO_COLOR", "1");
    for line in ["srve", "--help"] {
        assert!(on_a_terminal(line, ("LANG", "C")).contains('\u{1b}'), "{line}");
        assert!(!on_a_terminal(line, plain).contains('\u{1b}'), "{line}");
    }
}
