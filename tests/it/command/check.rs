//! `botctl check`: what a person is told who wrote a flow or settings, and what a program is.

use super::{Ended, Operator};
use crate::harness::author::Author;
use serde_json::json;

/// An operator with a flow `mine` below `flows`, and who writes it.
fn author(changes: &[(&str, &str, &str)]) -> (Operator, Author) {
    let operator = Operator::new();
    let author = Author::of(operator.path().join("flows/mine"));
    for (file, from, to) in changes {
        author.edits(file, from, to);
    }
    (operator, author)
}

/// One of whom much is wrong: names, keys, texts, markup, settings.
fn careless_author() -> Operator {
    let (operator, _) = author(&[
        ("flow.toml", "start = \"home\"", "start = \"hmoe\""),
        ("flow.toml", "generation_busy = \"home\"\n", ""),
        ("flow.toml", "go = \"game\" }],", "gO = \"game\", set = { pet = \"cat\" } }],"),
        ("flow.toml", "https://", "http://"),
        ("flow.toml", "[screens.game]", "[screens.attic]\n\n[screens.game]"),
    ]);
    let settings = "lisen = \"127.0.0.1:1\"\nredis_url = \"redis:/:hunter2\"\n\n[webhook]\ndeadline = \"1h\"\n";
    std::fs::write(operator.path().join("my.toml"), settings).unwrap();
    operator
}

/// Everything that a check prints; it must find something.
fn finds(operator: &Operator, arguments: &[&str]) -> String {
    let mut command = operator.command(&[&["check"], arguments].concat());
    let ended = Ended::of(command.env("TAPGATE_LISTEN", "8080"));
    assert_eq!(ended.code, 1, "{ended:?}");
    assert!(ended.stderr.starts_with("error: ") && ended.stderr.ends_with("check again\n"), "{ended:?}");
    ended.stdout
}

#[test]
fn every_problem_is_shown_in_its_line_with_what_would_do() {
    let report = finds(&careless_author(), &["flows", "--config", "my.toml"]);
    assert!(!report.contains("hunter2") && !report.contains('\u{1b}'), "{report}");
    insta::assert_snapshot!(report);
}

#[test]
fn texts_are_shown_in_their_line_too() {
    let (operator, _) = author(&[
        ("en.ftl", "<b>Home</b>", "<b>Home"),
        ("en.ftl", ".back = Back", ".back = { $pet }"),
        ("en.ftl", "error = Error\n", "error = Error\ngame = Again\n"),
        ("ru.ftl", "notice-old-button", "notice-old-buton"),
        ("ru.ftl", "    .site = Site\n", ""),
    ]);
    insta::assert_snapshot!(finds(&operator, &["flows/mine"]));
}

#[test]
fn a_program_reads_the_same_as_json() {
    let printed = finds(&careless_author(), &["flows", "--config", "my.toml", "--json"]);
    let checked: serde_json::Value = serde_json::from_str(&printed).unwrap();
    assert_eq!(checked["flows"][0]["name"], "mine");
    assert_eq!(
        checked["problems"].as_array().unwrap().last().unwrap(),
        &json!({
            "origin": "flows/mine/flow.toml", "line": 19, "column": 10, "message": "nothing leads to screen `game`",
        })
    );
    let problems = checked["problems"].as_array().unwrap();
    insta::assert_snapshot!(problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"));
}

#[test]
fn what_is_sound_is_said_in_one_line() {
    let (operator, author) = author(&[]);
    assert_eq!(operator.runs(&["check", "companion"]), "no problems: companion, the settings\n");
    assert_eq!(operator.runs(&["check", "flows", "companion"]), "no problems: mine, companion, the settings\n");
    let checked = operator.reads(&["check", "flows/mine", "--json"]);
    assert_eq!((&checked["flows"][0]["folder"], &checked["problems"]), (&json!("flows/mine"), &json!([])));
    let version =
        |operator: &Operator| operator.reads(&["check", "flows/mine", "--json"])["flows"][0]["version"].clone();
    let before = version(&operator);
    author.edits("ru.ftl", "Game", "Игра");
    assert_ne!(version(&operator), before);
}

#[test]
fn without_a_name_the_flows_that_serve_would_have_are_meant() {
    let (operator, _) = author(&[("flow.toml", "start = \"home\"", "start = \"hmoe\"")]);
    assert!(operator.runs(&["check"]).contains("companion"), "the flows folder is not known");
    for arguments in [&["check"][..], &["check", "mine"]] {
        let mut command = operator.command(arguments);
        let ended = Ended::of(command.env("TAPGATE_FLOWS_DIR", "flows"));
        assert_eq!(ended.code, 1);
        assert!(ended.stdout.contains("flows/mine/flow.toml:1:9"), "{ended:?}");
    }
    let mut command = operator.command(&["check", "companion"]);
    assert_eq!(Ended::of(command.env("TAPGATE_FLOWS_DIR", "flows")).code, 0, "the other one was not asked for");
}

#[test]
fn folders_of_one_name_are_all_looked_at() {
    let (operator, _) = author(&[("flow.toml", "start = \"home\"", "start = \"hmoe\"")]);
    Author::of(operator.path().join("other/mine"));
    let report = finds(&operator, &["flows/mine", "other/mine"]);
    assert!(report.contains("flows/mine/flow.toml:1:9") && !report.contains("other/"), "{report}");
}

#[test]
fn a_flow_that_is_nowhere_is_a_wrong_command_line() {
    let (operator, _) = author(&[]);
    let line = operator.fails(2, &["check", "compnion"]);
    assert!(line.contains("did you mean `companion`?"), "{line}");
    std::fs::create_dir(operator.path().join("empty")).unwrap();
    assert!(finds(&operator, &["empty"]).contains("there is no flow in this folder"));
}

#[test]
fn what_only_serve_would_refuse_is_a_problem_too() {
    let operator = Operator::on("postgres://host/db");
    let ended = operator.tries(&["check"]);
    assert_eq!(ended.code, 1);
    assert!(ended.stdout.contains("set REDIS_URL"), "{ended:?}");
}
