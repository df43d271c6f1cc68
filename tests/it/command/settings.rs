//! `botctl config`, and settings that are wrong.

use super::{Ended, Operator};
use serde_json::json;

#[test]
fn the_values_that_hold_are_printed_with_their_origin_and_without_passwords() {
    let operator = Operator::new();
    let file = operator.path().join("my.toml");
    std::fs::write(&file, "[webhook]\ndeadline = \"3s\"\n").unwrap();
    let mut command =
        operator.command(&["config", "--config", "my.toml", "--database-url", "postgres://me:hunter2@host/db"]);
    let ended = Ended::of(command.env("REDIS_URL", "redis://:hunter2@host").env("TAPGATE_TELEGRAM_API_URL", ""));
    assert_eq!((ended.code, ended.stderr.as_str()), (0, ""));
    assert!(!ended.stdout.contains("hunter2"));
    insta::assert_snapshot!(ended.stdout);
}

#[test]
fn the_same_as_json() {
    let operator = Operator::new();
    let settings = operator.reads(&["config", "--json"]);
    let find = |key: &str| settings.as_array().unwrap().iter().find(|it| it["key"] == key).unwrap().clone();
    assert_eq!(find("database_url")["origin"], json!({"from": "environment", "name": "DATABASE_URL"}));
    assert_eq!(
        find("webhook.in_flight_max"),
        json!({"key": "webhook.in_flight_max", "value": 512, "origin": {"from": "default"}})
    );
    assert_eq!(find("redis_url"), json!({"key": "redis_url", "value": null, "variable": "REDIS_URL"}));
}

#[test]
fn the_manual_can_be_printed_and_is_a_settings_file() {
    let operator = Operator::new();
    let manual = operator.runs(&["config", "--manual"]);
    std::fs::write(operator.path().join("my.toml"), &manual).unwrap();
    let mut command = operator.command(&["config", "--json"]);
    assert_eq!(Ended::of(command.env("TAPGATE_CONFIG", "my.toml")).code, 0);
}

#[test]
fn every_wrong_setting_is_one_line_whatever_the_command() {
    let operator = Operator::new();
    std::fs::write(operator.path().join("my.toml"), "lisen = 1\n[webhook]\ndeadline = \"1h\"\n").unwrap();
    for arguments in [&["config"][..], &["bot", "list"], &["serve"]] {
        let mut command = operator.command(arguments);
        let ended = Ended::of(command.env("TAPGATE_CONFIG", "my.toml").env("TAPGATE_LOG", "loud"));
        assert_eq!((ended.code, ended.stdout.as_str()), (1, ""));
        insta::assert_snapshot!("wrong_settings", ended.stderr);
    }
}

#[test]
fn a_wrong_flag_is_a_wrong_command_line() {
    let operator = Operator::new();
    for arguments in [
        &["serve", "--listen", "nowhere"][..],
        &["serve", "--ops-listen", "nowhere"],
        &["serve", "--log", "lo=ud"],
        &["bot", "list", "--database-url", "mysql://db"],
    ] {
        let line = operator.fails(2, arguments);
        assert!(line.contains(arguments[arguments.len() - 2]), "{line}");
    }
}

#[test]
fn a_settings_file_that_is_not_there_is_named() {
    let line = Operator::new().fails(1, &["config", "--config", "nowhere.toml"]);
    assert!(line.contains("nowhere.toml") && line.contains("--config"), "{line}");
}

#[test]
fn serving_from_postgresql_without_redis_is_refused_with_the_reason() {
    let line = Operator::on("postgres://nobody@127.0.0.1:1/db").fails(1, &["serve"]);
    assert!(line.contains("REDIS_URL"), "{line}");
}
