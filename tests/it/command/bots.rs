//! `botctl bot …`.

use super::{Ended, Operator};
use crate::harness::bot_api::Reply;
use serde_json::json;

const TOKEN: &str = "123456:AA-token_x";

#[test]
fn a_bot_is_added_with_what_telegram_says_of_it() {
    let operator = Operator::new();
    let added = operator.reads(&["bot", "add", "--name", "main", "--token", TOKEN, "--json"]);
    assert_eq!(
        added,
        json!({
            "id": 123_456, "name": "main", "username": "bot123456_bot", "flow": "companion", "max_connections": 40,
            "webhook_path": "/telegram/webhook/123456", "paused": false,
        })
    );
    assert_eq!(operator.api.calls_of("getMe").len(), 1);
    assert_eq!(operator.reads(&["bot", "show", "--json"]), added);
    assert_eq!(operator.reads(&["bot", "list", "--json"]), json!([added]));
}

#[test]
fn offline_means_that_telegram_is_not_asked() {
    let operator = Operator::new();
    operator.adds("main", 123_456);
    assert!(operator.api.calls().is_empty());
}

#[test]
fn a_secret_is_made_where_none_is_given_and_shown_only_when_asked_for() {
    let operator = Operator::new();
    let secret = |value: serde_json::Value| value["secret"].as_str().map(str::to_owned);
    let first = ["bot", "add", "--name", "one", "--token", "1:x", "--offline", "--json", "--show-secret"];
    let made = secret(operator.reads(&first)).unwrap();
    assert!(made.len() >= 32 && made.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte)));
    let second = ["bot", "add", "--name", "two", "--token", "2:x", "--offline", "--json", "--show-secret"];
    assert_ne!(secret(operator.reads(&second)), Some(made.clone()));
    assert_eq!(secret(operator.reads(&["bot", "show", "--bot", "one", "--json"])), None);
    assert_eq!(secret(operator.reads(&["bot", "show", "--bot", "one", "--json", "--show-secret"])), Some(made));
}

#[test]
fn neither_token_nor_secret_is_printed_unasked() {
    let operator = Operator::with_bot();
    for arguments in [&["bot", "show"][..], &["bot", "list"], &["bot", "list", "--json"]] {
        let printed = operator.runs(arguments);
        assert!(!printed.contains("AA-token") && !printed.contains("s3cret"), "{printed}");
    }
}

#[test]
fn token_and_secret_can_come_from_stdin() {
    let operator = Operator::new();
    let arguments =
        ["bot", "add", "--name", "m", "--token", "-", "--secret", "-", "--offline", "--json", "--show-secret"];
    let ended = Ended::of(operator.command(&arguments).write_stdin(format!("{TOKEN}\nfrom_stdin\n")));
    let added: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!((added["id"].as_i64(), added["secret"].as_str()), (Some(123_456), Some("from_stdin")));
}

#[test]
fn what_cannot_be_a_bot_is_refused_and_nothing_of_it_is_repeated() {
    let operator = Operator::new();
    let long = "x".repeat(257);
    for (flag, value) in [
        ("--token", "hunter2"),
        ("--token", "123456"),
        ("--token", "123456:"),
        ("--token", ":hunter2"),
        ("--token", "0:hunter2"),
        ("--token", "-5:hunter2"),
        ("--token", "1:hunter2/getMe"),
        ("--token", "1:hunter 2"),
        ("--secret", "hunter 2"),
        ("--secret", "hunter2ß"),
        ("--secret", ""),
        ("--secret", &long),
        ("--flow", "compnion"),
        ("--name", ""),
        ("--name", "my bot"),
    ] {
        let mut arguments = vec!["bot", "add", "--offline", flag, value];
        for (other, default) in [("--name", "main"), ("--token", TOKEN)] {
            if other != flag {
                arguments.extend([other, default]);
            }
        }
        let line = operator.fails(2, &arguments);
        assert!(line.contains(flag) && !line.contains("hunter"), "{flag} {value}: {line}");
    }
    let line = operator.fails(2, &["bot", "add", "--offline", "--name", "m", "--token", TOKEN, "--flow", "compnion"]);
    assert!(line.contains("companion"), "{line}");
    assert_eq!(std::fs::read_dir(operator.path()).unwrap().count(), 0);
}

#[test]
fn a_name_or_a_token_that_is_there_already_is_refused() {
    let operator = Operator::with_bot();
    let line = operator.fails(1, &["bot", "add", "--name", "main", "--token", "2:x", "--offline"]);
    assert!(line.contains("--name"), "{line}");
    let line = operator.fails(1, &["bot", "add", "--name", "other", "--token", "123456:other", "--offline"]);
    assert!(line.contains("123456 is there already") || line.contains("bot list"), "{line}");
}

#[test]
fn a_token_that_telegram_does_not_know_adds_no_bot() {
    let operator = Operator::new();
    operator.api.answer_next("getMe", Reply::refused(401, "Unauthorized"));
    let line = operator.fails(1, &["bot", "add", "--name", "main", "--token", TOKEN]);
    assert!(line.contains("@BotFather") && !line.contains("AA-token"), "{line}");

    operator.api.answer_next("getMe", Reply::refused(500, "Internal Server Error"));
    let line = operator.fails(1, &["bot", "add", "--name", "main", "--token", TOKEN]);
    assert!(line.contains("--offline") && !line.contains("AA-token"), "{line}");
    operator.fails(1, &["bot", "list"]);
}

#[test]
fn the_bot_must_be_named_where_there_are_several() {
    let operator = Operator::with_bot();
    operator.adds("other", 7);
    let line = operator.fails(2, &["bot", "show"]);
    assert!(line.contains("--bot") && line.contains("main, other") | line.contains("other, main"), "{line}");
    assert_eq!(operator.reads(&["bot", "show", "--bot", "other", "--json"])["id"], 7);
    let line = operator.fails(1, &["bot", "show", "--bot", "mian"]);
    assert!(line.contains("main"), "{line}");
}
