//! `botctl chat …`.

use super::Operator;
use serde_json::{Value, json};

#[test]
fn a_user_who_never_came_can_be_banned_beforehand() {
    let operator = Operator::with_bot();
    operator.runs(&["chat", "ban", "--chat", "7"]);
    assert_eq!(
        operator.reads(&["chat", "show", "--chat", "7", "--json"]),
        json!({
            "bot": "main", "chat": 7, "version": 1, "locale": null, "desired": null, "shown": null, "stack": [],
            "vars": {}, "balance": 10, "busy": null, "banned": true, "blocked": false,
        })
    );
}

#[test]
fn a_ban_is_ended_and_each_change_is_one_version() {
    let operator = Operator::with_bot();
    let show = ["chat", "show", "--bot", "main", "--chat", "7", "--json"];
    let stands = |chat: &Value| (chat["banned"].as_bool().unwrap(), chat["version"].as_i64().unwrap());
    operator.runs(&["chat", "ban", "--bot", "main", "--chat", "7"]);
    assert!(operator.runs(&["chat", "ban", "--chat", "7"]).contains("already"));
    assert_eq!(stands(&operator.reads(&show)), (true, 1));
    operator.runs(&["chat", "unban", "--chat", "7"]);
    assert_eq!(stands(&operator.reads(&show)), (false, 2));
    assert!(operator.runs(&["chat", "show", "--chat", "7"]).contains("banned   no"));
}

#[test]
fn a_ban_can_be_read_by_a_program() {
    let operator = Operator::with_bot();
    let changes = |to: &str| operator.reads(&["chat", to, "--chat", "7", "--json"]);
    let done = |banned: bool, changed: bool| json!({"bot": "main", "chat": 7, "banned": banned, "changed": changed});
    assert_eq!(changes("ban"), done(true, true));
    assert_eq!(changes("ban"), done(true, false));
    assert_eq!(changes("unban"), done(false, true));
}

#[test]
fn a_chat_that_is_not_known_is_said_to_be_so() {
    let operator = Operator::with_bot();
    for arguments in [["chat", "show", "--chat", "7"], ["chat", "unban", "--chat", "7"]] {
        let line = operator.fails(1, &arguments);
        assert!(line.contains('7') && line.contains("main"), "{line}");
    }
}
