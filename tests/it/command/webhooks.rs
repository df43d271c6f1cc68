//! `botctl set-webhook`, `webhook-info`, `delete-webhook`.

use super::Operator;
use crate::harness::bot_api::Reply;
use serde_json::{Value, json};

const URL: &str = "https://bot.example.org";
const FULL: &str = "https://bot.example.org/telegram/webhook/123456";

/// The parameters of each call of a method.
fn sent(operator: &Operator, method: &str) -> Vec<Value> {
    operator.api.calls_of(method).into_iter().map(|call| call.params).collect()
}

fn webhook(more: Value) -> Value {
    let mut params = json!({
        "url": FULL, "max_connections": 40, "secret_token": "s3cret_-",
        "allowed_updates": ["message", "callback_query", "pre_checkout_query", "my_chat_member"],
    });
    params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    params
}

fn waiting(operator: &Operator, pending: u64) {
    let info = json!({"url": FULL, "has_custom_certificate": false, "pending_update_count": pending});
    operator.api.answer_next("getWebhookInfo", Reply::ok(info));
}

#[test]
fn without_drop_nothing_is_dropped_and_nothing_else_is_called() {
    let operator = Operator::with_bot();
    let printed = operator.runs(&["set-webhook", "--url", URL, "--yes"]);
    assert!(printed.contains(FULL) && printed.contains("nothing dropped"), "{printed}");
    assert_eq!(sent(&operator, "setWebhook"), [webhook(json!({}))]);
    assert!(operator.api.calls().iter().all(|call| ["setWebhook", "setMyCommands"].contains(&call.method.as_str())));
}

#[test]
fn with_drop_it_says_how_many_are_lost_before_they_are() {
    let operator = Operator::with_bot();
    waiting(&operator, 31);
    let ended = operator.tries(&["set-webhook", "--url", URL, "--drop"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(ended.stderr.contains("31 pending updates"), "{ended:?}");
    assert!(ended.stdout.contains("31 pending updates dropped"), "{ended:?}");
    let methods: Vec<String> = operator.api.calls().into_iter().map(|call| call.method).collect();
    assert_eq!(methods[..2], ["getWebhookInfo", "setWebhook"]);
    assert_eq!(sent(&operator, "setWebhook"), [webhook(json!({"drop_pending_updates": true}))]);
}

#[test]
fn what_cannot_be_counted_is_not_dropped() {
    let operator = Operator::with_bot();
    operator.api.answer_next("getWebhookInfo", Reply::refused(500, "Internal Server Error"));
    operator.fails(1, &["set-webhook", "--url", URL, "--drop", "--yes"]);
    assert_eq!(sent(&operator, "setWebhook"), [] as [Value; 0]);
}

#[test]
fn the_url_and_the_connections_are_remembered() {
    let operator = Operator::with_bot();
    let line = operator.fails(2, &["set-webhook"]);
    assert!(line.contains("--url"), "{line}");
    operator.runs(&["set-webhook", "--url", "https://bot.example.org:8443/", "--max-connections", "100"]);
    waiting(&operator, 0);
    operator.runs(&["set-webhook", "--drop"]);
    let calls = sent(&operator, "setWebhook");
    assert_eq!(calls[1]["url"], "https://bot.example.org:8443/telegram/webhook/123456");
    assert_eq!(calls[1]["max_connections"], 100);
    assert_eq!(operator.reads(&["bot", "show", "--json"])["max_connections"], 100);
}

#[test]
fn what_the_bot_api_would_refuse_never_reaches_it_and_is_not_remembered() {
    let operator = Operator::with_bot();
    let pem = operator.path().join("key.pem");
    std::fs::write(&pem, "-----BEGIN CERTIFICATE-----\n-----BEGIN PRIVATE KEY-----\n").unwrap();
    let pem = pem.to_str().unwrap();
    for arguments in [
        &["--url", "bot.example.org"][..],
        &["--url", "http://bot.example.org"],
        &["--url", "https://localhost"],
        &["--url", "https://192.168.1.5"],
        &["--url", "https://[2001:db8::1]"],
        &["--url", "https://bot.example.org:8080"],
        &["--url", "https://bot.example.org/?x=1"],
        &["--url", URL, "--ip-address", "10.0.0.1"],
        &["--url", URL, "--certificate", pem],
        &["--url", URL, "--max-connections", "0"],
        &["--url", "http://bot.example.org", "--drop", "--yes"],
    ] {
        let all: Vec<&str> = ["set-webhook"].iter().chain(arguments).copied().collect();
        let line = operator.fails(2, &all);
        assert!(line.contains("--"), "{line}");
    }
    assert!(operator.api.calls().is_empty());
    assert_eq!(operator.reads(&["bot", "show", "--json"]).get("webhook_url"), None);
}

#[test]
fn a_refused_webhook_is_not_remembered() {
    let operator = Operator::with_bot();
    operator.api.answer_next("setWebhook", Reply::refused(400, "Bad Request: bad webhook: Failed to resolve host"));
    let line = operator.fails(1, &["set-webhook", "--url", URL]);
    assert!(line.contains("resolve host") && line.contains("no webhook now"), "{line}");
    assert_eq!(operator.reads(&["bot", "show", "--json"]).get("webhook_url"), None);
}

#[test]
fn a_bot_api_server_of_ones_own_takes_any_address() {
    let operator = Operator::with_bot();
    operator.runs(&["set-webhook", "--url", "http://127.0.0.1:8080", "--local-api"]);
    assert_eq!(sent(&operator, "setWebhook")[0]["url"], "http://127.0.0.1:8080/telegram/webhook/123456");
}

#[test]
fn a_certificate_and_an_address_are_passed_on() {
    let operator = Operator::with_bot();
    let text = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    std::fs::write(operator.path().join("own.pem"), text).unwrap();
    operator.runs(&["set-webhook", "--url", URL, "--certificate", "own.pem", "--ip-address", "8.8.8.8"]);
    let call = &sent(&operator, "setWebhook")[0];
    assert_eq!((call["certificate"].as_str(), call["ip_address"].as_str()), (Some(text), Some("8.8.8.8")));
}

#[test]
fn a_dry_run_says_everything_and_does_nothing() {
    let operator = Operator::with_bot();
    let would = operator.reads(&["set-webhook", "--url", URL, "--dry-run", "--json"]);
    assert_eq!((would["url"].as_str(), would["dry_run"].as_bool()), (Some(FULL), Some(true)));
    assert!(!would.to_string().contains("s3cret"), "{would}");
    assert!(operator.runs(&["set-webhook", "--url", URL, "--dry-run"]).contains("would be set"));
    assert!(operator.api.calls().is_empty());
    assert_eq!(operator.reads(&["bot", "show", "--json"]).get("webhook_url"), None);
}

#[test]
fn a_dry_run_with_drop_counts_what_would_be_lost_and_says_so_where_it_cannot() {
    let operator = Operator::with_bot();
    let dry = ["set-webhook", "--url", URL, "--drop", "--dry-run"];
    waiting(&operator, 31);
    let printed = operator.runs(&dry);
    assert!(printed.contains("would drop 31 pending updates"), "{printed}");
    waiting(&operator, 31);
    let would = operator.reads(&[&dry[..], &["--json"]].concat());
    assert_eq!((would["would_drop"].as_u64(), would.get("dropped")), (Some(31), None));
    operator.api.answer_next("getWebhookInfo", Reply::refused(500, "Internal Server Error"));
    let printed = operator.runs(&dry);
    assert!(printed.contains("pending updates would be dropped"), "{printed}");
    assert!(operator.api.calls().iter().all(|call| call.method == "getWebhookInfo"));
}

#[test]
fn the_difference_between_telegram_and_us_is_shown() {
    let operator = Operator::with_bot();
    operator.runs(&["set-webhook", "--url", URL]);
    let has = |more: Value| {
        let mut info = json!({"url": FULL, "has_custom_certificate": false, "pending_update_count": 3, "max_connections": 40,
            "ip_address": "8.8.8.8",
            "allowed_updates": ["my_chat_member", "message", "callback_query", "pre_checkout_query"]});
        info.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        operator.api.answer_next("getWebhookInfo", Reply::ok(info));
    };
    has(json!({}));
    assert!(operator.runs(&["webhook-info"]).contains("all as wanted"));
    has(json!({
        "url": "https://old.example.org/hook", "max_connections": 10, "allowed_updates": null,
        "last_error_date": 1, "last_error_message": "Wrong response from the webhook: 502 Bad Gateway",
    }));
    let ended = operator.tries(&["webhook-info", "--json"]);
    let line = ended.complained(1);
    assert!(line.contains("url, max_connections, allowed_updates") && line.contains("botctl set-webhook"), "{line}");
    let report: Value = serde_json::from_str(&ended.stdout).unwrap();
    let differ: Vec<&str> =
        report["differences"].as_array().unwrap().iter().map(|it| it["what"].as_str().unwrap()).collect();
    assert_eq!(differ, ["url", "max_connections", "allowed_updates"]);
    assert_eq!(report["telegram"]["last_error_message"], "Wrong response from the webhook: 502 Bad Gateway");
    assert_eq!(report["wanted"]["url"], FULL);
    let ended = operator.tries(&["webhook-info"]);
    ended.complained(1);
    assert!(ended.stdout.contains("DIFFERENCE") && ended.stdout.contains("none"), "{ended:?}");
}

#[test]
fn the_commands_of_the_flow_become_the_menus_of_its_languages() {
    let operator = Operator::with_bot();
    let printed = operator.runs(&["set-webhook", "--url", URL]);
    assert!(
        printed.contains(
            "commands, everybody: /cancel /forget /help /image /menu /paysupport /settings /start\ncommands, en: "
        ),
        "{printed}"
    );
    let menus = sent(&operator, "setMyCommands");
    let languages: Vec<&str> = menus.iter().map(|menu| menu["language_code"].as_str().unwrap_or("everybody")).collect();
    assert_eq!(languages, ["everybody", "en", "ru"]);
    assert!(menus.iter().all(|menu| menu["scope"] == json!({"type": "all_private_chats"})));
    let described = |menu: &Value| menu["commands"][7].clone();
    assert_eq!(described(&menus[0]), json!({"command": "start", "description": "Start anew"}));
    assert_eq!(menus[0]["commands"], menus[1]["commands"], "the first locale stands in for all others");
    assert_eq!(described(&menus[2]), json!({"command": "start", "description": "Начать сначала"}));
}

#[test]
fn the_menus_are_left_alone_when_told_so_and_shown_by_a_dry_run() {
    let operator = Operator::with_bot();
    operator.runs(&["set-webhook", "--url", URL, "--no-commands"]);
    assert_eq!(sent(&operator, "setMyCommands"), [] as [Value; 0]);
    let would = operator.reads(&["set-webhook", "--dry-run", "--json"]);
    assert_eq!(would["commands"][2]["language_code"], "ru");
    assert_eq!(operator.api.calls().len(), 1);
}

#[test]
fn menus_that_telegram_refuses_are_said_beside_a_webhook_that_is_set() {
    let operator = Operator::with_bot();
    operator.api.answer_next("setMyCommands", Reply::refused(400, "Bad Request: BOT_COMMAND_INVALID"));
    let line = operator.fails(1, &["set-webhook", "--url", URL]);
    assert!(line.contains("webhook is set") && line.contains("BOT_COMMAND_INVALID"), "{line}");
    assert!(operator.reads(&["bot", "show", "--json"])["webhook_url"].is_string());
}

#[test]
fn a_webhook_is_deleted_and_drops_only_when_told() {
    let operator = Operator::with_bot();
    operator.runs(&["delete-webhook"]);
    waiting(&operator, 5);
    let ended = operator.tries(&["delete-webhook", "--drop", "--json"]);
    assert!(ended.stderr.contains("5 pending updates"), "{ended:?}");
    assert_eq!(sent(&operator, "deleteWebhook"), [json!({}), json!({"drop_pending_updates": true})]);
}
