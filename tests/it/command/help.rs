//! What people read who ask, or mistype.

use super::Operator;

#[test]
fn help_says_what_each_command_takes() {
    let operator = Operator::new();
    for arguments in [
        &["--help"][..],
        &["serve", "--help"],
        &["sender", "--help"],
        &["bot", "--help"],
        &["bot", "add", "--help"],
        &["chat", "--help"],
        &["chat", "show", "--help"],
        &["chat", "ban", "--help"],
        &["set-webhook", "--help"],
        &["webhook-info", "--help"],
        &["delete-webhook", "--help"],
        &["check", "--help"],
        &["config", "--help"],
        &["migrate", "--help"],
        &["sandbox", "--help"],
    ] {
        insta::assert_snapshot!(arguments.join(" ").replace(" --help", "").replace("--", ""), operator.runs(arguments));
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
    ]
    .iter()
    .map(|arguments| operator.fails(2, arguments))
    .collect();
    insta::assert_snapshot!(lines.join("\n"));
}
