//! What people read when something cannot be done: one line, with what to do.

use super::Operator;
use crate::harness::bot_api::Reply;
use serde_json::json;

#[test]
fn each_error_says_what_to_do() {
    let operator = Operator::with_bot();
    operator.adds("other", 7);
    let set = ["set-webhook", "--bot", "main", "--url", "https://bot.example.org"];
    let rotate = ["bot", "rotate-secret", "--bot", "main"];
    let mut lines = Vec::new();
    let mut fails = |arguments: &[&str]| {
        let ended = operator.tries(arguments);
        assert!(ended.code == 1 || ended.code == 2, "{arguments:?}: {ended:?}");
        lines.push(format!("$ botctl {}\n{} {}", arguments.join(" "), ended.code, ended.complained(ended.code)));
    };
    for arguments in [
        &["bot", "show"][..],
        &["bot", "show", "--bot", "mian"],
        &["bot", "add", "--name", "main", "--token", "9:x", "--offline"],
        &["bot", "add", "--name", "third", "--token", "7:x", "--offline"],
        &["bot", "set", "--bot", "main"],
        &["bot", "set", "--bot", "main", "--name", "other"],
        &["bot", "set", "--bot", "main", "--token", "7:x"],
        &["bot", "set", "--bot", "main", "--flow", "compnion"],
        &["bot", "remove", "--bot", "main"],
        &["bot", "rotate-secret", "--bot", "main", "--secret", "s3cret_-"],
        &["bot", "rotate-secret", "--bot", "main", "--secret", "no good"],
        &["chat", "show", "--bot", "main", "--chat", "5"],
        &["chat", "unban", "--bot", "main", "--chat", "5"],
        &["chat", "forget", "--bot", "main", "--chat", "5"],
        &["jobs", "show", "--bot", "main", "5"],
        &["jobs", "retry", "--bot", "main", "5"],
        &["dead", "show", "--bot", "main", "5"],
        &["dead", "retry", "--bot", "main", "5"],
        &["dead", "drop", "--bot", "main", "5"],
        &["set-webhook", "--bot", "main"],
        &["set-webhook", "--bot", "main", "--url", "http://localhost", "--ip-address", "10.0.0.1"],
    ] {
        fails(arguments);
    }
    let refused = |method: &str, code: u16, description: &str| {
        operator.api.answer_as_usual();
        operator.api.answer_next(method, Reply::refused(code, description));
    };
    refused("setWebhook", 400, "Bad Request: bad webhook: Failed to resolve host: Name or service not known");
    fails(&set);
    refused("setWebhook", 401, "Unauthorized");
    fails(&set);
    refused("setWebhook", 500, "Internal Server Error");
    fails(&set);
    refused("getWebhookInfo", 500, "Internal Server Error");
    fails(&rotate);
    refused("getWebhookInfo", 500, "Internal Server Error");
    fails(&["bot", "remove", "--bot", "main", "--yes"]);
    let info =
        json!({"url": "https://elsewhere.example.org/", "has_custom_certificate": false, "pending_update_count": 0});
    operator.api.answer_as_usual();
    operator.api.answer_when(move |call| (call.method == "getWebhookInfo").then(|| Reply::ok(info.clone())));
    fails(&rotate);
    fails(&["bot", "remove", "--bot", "main", "--yes"]);
    fails(&["webhook-info", "--bot", "main"]);
    operator.runs(&["bot", "rotate-secret", "--bot", "main", "--no-webhook", "--keep", "30s"]);
    insta::assert_snapshot!(lines.join("\n"));
}
