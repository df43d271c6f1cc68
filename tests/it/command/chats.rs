//! `botctl chat …`.

use super::Operator;
use serde_json::{Value, json};

#[test]
fn a_user_who_never_came_can_be_banned_beforehand() {
    let operator = Operator::with_bot();
    operator.runs(&["chat", "ban", "--chat", "7"]);
    let mut shown = operator.reads(&["chat", "show", "--chat", "7", "--json"]);
    let ledger = shown.as_object_mut().unwrap().remove("ledger").unwrap();
    assert_eq!((&ledger[0]["kind"], &ledger[0]["amount"]), (&json!("free"), &json!(10)));
    assert_eq!(
        shown,
        json!({
            "bot": "main", "chat": 7, "version": 1, "locale": null, "desired": null, "shown": null, "stack": [],
            "vars": {}, "balance": 10, "busy": null, "premium_until": null, "paid": false, "banned": true, "blocked": false,
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
    assert!(operator.runs(&["chat", "show", "--chat", "7"]).contains("banned         no"));
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

#[test]
fn a_grant_changes_the_balance_and_its_reason_stands_in_the_ledger() {
    let operator = Operator::with_bot();
    let grant = |arguments: &[&str]| {
        let line = ["chat", "grant", "--chat", "7", "--json"];
        operator.reads(&[&line[..], arguments].concat())["balance"].as_i64().unwrap()
    };
    assert_eq!(grant(&["--amount", "5", "--reason", "ticket 12"]), 15, "a newcomer's ten, and five");
    assert_eq!(grant(&["--amount=-20"]), 0, "nobody has less than nothing");
    assert!(operator.fails(1, &["chat", "grant", "--chat", "7", "--amount=-1"]).contains("nothing to take"));
    let shown = operator.reads(&["chat", "show", "--chat", "7", "--json"]);
    let lines: Vec<_> =
        shown["ledger"].as_array().unwrap().iter().map(|line| (&line["kind"], &line["amount"])).collect();
    let granted = json!("granted");
    assert_eq!(lines, [(&granted, &json!(-15)), (&granted, &json!(5)), (&json!("free"), &json!(10))]);
    assert_eq!(shown["ledger"][1]["reference"], "ticket 12");
    assert!(operator.runs(&["chat", "show", "--chat", "7"]).contains("granted"));
    assert!(operator.fails(2, &["chat", "grant", "--chat", "7", "--amount", "0"]).contains("changes nothing"));
}
