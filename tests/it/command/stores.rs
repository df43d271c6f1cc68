//! The two profiles, as commands meet them.

use super::Operator;
use crate::harness::postgres::Database;
use url::Url;

#[test]
fn the_embedded_profile_needs_no_migrate_step() {
    let operator = Operator::with_bot();
    assert_eq!(operator.reads(&["bot", "list", "--json"])[0]["name"], "main");
    assert!(operator.runs(&["migrate"]).contains("already"));
}

#[test]
fn a_migration_can_be_read_by_a_program() {
    let operator = Operator::new();
    let done = operator.reads(&["migrate", "--json"]);
    assert!(done["from"] == 0 && done["to"].as_i64() > Some(0), "{done}");
    let again = operator.reads(&["migrate", "--json"]);
    assert_eq!(again["from"], done["to"]);
}

#[test]
fn a_mistyped_path_makes_no_file() {
    let operator = Operator::new();
    for arguments in [&["bot", "list"][..], &["chat", "show", "--chat", "7"], &["webhook-info"]] {
        let line = operator.fails(1, arguments);
        assert!(line.contains("bots.db") && line.contains("bot add"), "{line}");
    }
    assert_eq!(std::fs::read_dir(operator.path()).unwrap().count(), 0);
}

#[test]
fn a_file_that_is_no_database_is_named() {
    let operator = Operator::new();
    std::fs::write(operator.path().join("bots.db"), "hello ".repeat(1000)).unwrap();
    let line = operator.fails(1, &["bot", "list"]);
    assert!(line.contains("bots.db") && line.contains("DATABASE_URL"), "{line}");
}

#[test]
fn a_database_that_does_not_answer_is_named_without_its_password() {
    let line = Operator::on("postgres://me:hunter2@127.0.0.1:1/db").fails(1, &["bot", "list"]);
    assert!(line.contains("127.0.0.1:1") && line.contains("DATABASE_URL") && !line.contains("hunter2"), "{line}");
    assert!(line.to_lowercase().contains("connection refused") && !line.contains("pool"), "{line}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_does_not_exist_is_said_once() {
    let Some(database) = Database::create().await else { return };
    let mut url = Url::parse(database.url()).unwrap();
    url.set_path("tapgate_test_nowhere");
    for arguments in [&["bot", "list"][..], &["migrate"]] {
        let line = Operator::on(url.as_str()).fails(1, arguments);
        assert_eq!(line.matches("does not exist").count(), 1, "{line}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_cluster_profile_asks_for_migrate_and_then_does_the_same() {
    let Some(database) = Database::create().await else { return };
    let operator = Operator::on(database.url());
    let add = ["bot", "add", "--name", "main", "--token", "123456:AA-x", "--offline"];
    for arguments in [&add[..], &["bot", "list"]] {
        let line = operator.fails(1, arguments);
        assert!(line.contains("botctl migrate"), "{line}");
    }
    operator.runs(&["migrate"]);
    assert!(operator.runs(&["migrate"]).contains("already"));
    operator.runs(&add);
    operator.runs(&["chat", "ban", "--chat", "7"]);
    operator.runs(&["set-webhook", "--url", "https://bot.example.org"]);
    assert_eq!(operator.reads(&["chat", "show", "--chat", "7", "--json"])["banned"], true);
    let shown = operator.reads(&["bot", "show", "--json"]);
    assert_eq!(shown["webhook_url"], "https://bot.example.org/telegram/webhook/123456");
}
