//! `botctl doctor`, `health`, `capacity` and `jobs drop`: what an operator looks with when something is wrong.

use super::{Ended, Operator, ends, reads};
use crate::harness::bot_api::Reply;
use crate::harness::deployment::Deployment;
use crate::harness::nginx::Nginx;
use crate::harness::ports;
use crate::harness::server::Server;
use crate::harness::telegram::User;
use serde_json::{Value, json};

on_both_profiles! {
    a_dropped_screen_leaves_its_user_where_they_are
    health_says_whether_a_server_takes_updates
    capacity_is_read_from_a_server
    a_doctor_finds_nothing_wrong_with_what_is_well_and_each_thing_that_is
}

async fn a_dropped_screen_leaves_its_user_where_they_are(deployment: Deployment) {
    let bot = deployment.adds_bot("shop").await;
    let receiving = Server::start(&deployment.server_environment(&[]), &["--no-sender"]).await;
    let ann = User::named("Ann");
    assert_eq!(receiving.telegram(&bot).posts(&ann.says("/settings")).await.status, 200);
    let jobs = reads(&deployment, &["jobs", "list", "--json"]).await;
    let id = jobs[0]["id"].to_string();
    assert_eq!(deployment.chat(&bot, ann.id).await["desired"]["screen"], "settings");

    let dropped = reads(&deployment, &["jobs", "drop", &id, "--json"]).await;
    assert_eq!(dropped, json!([{"id": jobs[0]["id"], "outcome": "dropped"}]));
    let chat = deployment.chat(&bot, ann.id).await;
    assert_eq!((&chat["desired"]["screen"], &chat["shown"]), (&json!("welcome"), &Value::Null));
    assert_eq!(reads(&deployment, &["jobs", "list", "--json"]).await, json!([]));
    let again = ends(&deployment, &["jobs", "drop", &id]).await;
    assert!(again.stdout.contains("is not there"), "{again:?}");
    assert!(again.complained(1).contains("not dropped"));
}

async fn health_says_whether_a_server_takes_updates(deployment: Deployment) {
    deployment.adds_bot("shop").await;
    let mut server = deployment.serves().await;
    let at = server.ops().to_string();
    assert!(deployment.botctl(&["health", "--ops-listen", &at]).await.contains("\"ready\""));
    assert!(deployment.botctl(&["health", "--live", "--ops-listen", &at]).await.contains("\"live\""));
    // As a container's health check finds it: listening on all addresses.
    let everywhere = format!("0.0.0.0:{}", server.ops().port());
    deployment.botctl(&["health", "--ops-listen", &everywhere]).await;
    server.kill();
    let line = ends(&deployment, &["health", "--ops-listen", &at]).await.failed(1);
    assert!(line.contains(&at) && line.contains("TAPGATE_OPS_LISTEN"), "{line}");
}

async fn capacity_is_read_from_a_server(deployment: Deployment) {
    let bot = deployment.adds_bot("shop").await;
    let server = deployment.serves().await;
    let at = server.ops().to_string();
    let line = ends(&deployment, &["capacity", "--ops-listen", &at]).await.failed(1);
    assert!(line.contains("nothing was measured"), "{line}");
    for _ in 0..20 {
        server.telegram(&bot).posts(&User::named("Ann").says("/start")).await;
    }
    let rows = reads(&deployment, &["capacity", "--ops-listen", &at, "--json"]).await;
    assert_eq!((&rows[0]["bot"], &rows[0]["updates"]), (&json!("shop"), &json!(20)));
    let (p50, capacity) = (rows[0]["p50_seconds"].as_f64().unwrap(), rows[0]["capacity_p50"].as_f64().unwrap());
    assert!((capacity - 40.0 / p50).abs() < 1e-6, "{rows}");
    assert!(deployment.botctl(&["capacity", "--ops-listen", &at]).await.contains("MAX_CONNECTIONS"));
}

/// What the doctor says, as `[(what, grade)]`.
async fn examined(deployment: &Deployment, server: &str) -> Vec<(String, String)> {
    let ended = ends(deployment, &["doctor", "--json"]).await;
    let findings: Vec<Value> = serde_json::from_str(&ended.stdout).unwrap_or_else(|_| panic!("{server}: {ended:?}"));
    let text = |finding: &Value, field: &str| finding[field].as_str().unwrap().to_owned();
    assert!(findings.iter().all(|it| it["grade"] == "well" || it["advice"].is_string()), "{findings:?}");
    let wrong = findings.iter().any(|it| it["grade"] == "wrong");
    assert_eq!(ended.code, i32::from(wrong), "{ended:?}");
    findings.iter().map(|it| (text(it, "what"), text(it, "grade"))).collect()
}

async fn a_doctor_finds_nothing_wrong_with_what_is_well_and_each_thing_that_is(mut deployment: Deployment) {
    let bot = deployment.adds_bot("shop").await;
    let (public, ops) = (ports::free().to_string(), ports::free().to_string());
    deployment.set("TAPGATE_LISTEN", &public);
    deployment.set("TAPGATE_OPS_LISTEN", &ops);
    let me = json!({"id": bot.id, "is_bot": true, "first_name": "Shop", "username": "shop_bot"});
    let getting = |info: Value| {
        deployment.bot_api.answer_as_usual();
        let me = me.clone();
        deployment.bot_api.answer_when(move |call| match call.method.as_str() {
            "getMe" => Some(Reply::ok(me.clone())),
            "getWebhookInfo" => Some(Reply::ok(info.clone())),
            _ => None,
        });
    };
    let kinds = ["message", "callback_query", "pre_checkout_query", "my_chat_member"];
    // Plain HTTP at the server itself, as a local Bot API server may be told.
    let base = format!("http://{public}");
    let url = format!("{base}{}", bot.webhook_path());
    deployment.executes(&format!("UPDATE bots SET base_url = '{base}'")).await;
    let well = json!({"url": url, "max_connections": 40, "pending_update_count": 0, "allowed_updates": kinds});
    getting(well.clone());
    let mut server = Server::start(deployment.environment(), &[]).await;

    let findings = examined(&deployment, &ops).await;
    let not_well: Vec<_> = findings.iter().filter(|(_, grade)| grade != "well").collect();
    assert!(not_well.is_empty(), "{findings:?}\n{}", server.log());
    let order: Vec<_> = findings.iter().map(|(what, _)| what.as_str()).collect();
    assert_eq!(order[0], "settings");
    assert!(order.contains(&"shop: url") && order.contains(&"shop: dead letters"), "{order:?}");

    let found = async |what: &str, grade: &str| {
        let findings = examined(&deployment, &ops).await;
        assert!(findings.contains(&(what.to_owned(), grade.to_owned())), "{what} {grade}: {findings:?}");
    };
    let mut other = well.clone();
    other["url"] = json!("https://elsewhere.example.org/hook");
    getting(other);
    found("shop: webhook", "wrong").await;
    let mut failing = well.clone();
    failing["last_error_date"] =
        json!(std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs());
    failing["last_error_message"] = json!("Wrong response from the webhook: 403 Forbidden");
    getting(failing);
    found("shop: webhook", "doubtful").await;
    assert!(ends(&deployment, &["doctor"]).await.stdout.contains("TAPGATE_TRUSTED_PROXIES"));
    deployment.bot_api.answer_as_usual();
    deployment.bot_api.answer_when(|call| (call.method == "getMe").then(|| Reply::refused(401, "Unauthorized")));
    found("shop: token", "wrong").await;

    getting(well);
    deployment.botctl(&["pause", "--bot", "shop"]).await;
    found("shop: paused", "doubtful").await;
    deployment.botctl(&["resume", "--bot", "shop"]).await;
    assert!(server.stops().await.success());
    found("server", "wrong").await;
    found("shop: url", "wrong").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_doctor_takes_a_certificate_that_telegram_was_given_and_no_other_of_ones_own() {
    let deployment = Deployment::embedded();
    let bot = deployment.adds_bot("shop").await;
    let server = deployment.serves().await;
    let Some(nginx) = Nginx::before(&[server.public()]).await else { return };
    deployment.executes(&format!("UPDATE bots SET base_url = 'https://{}'", nginx.tls())).await;
    let me = json!({"id": bot.id, "is_bot": true, "first_name": "Shop", "username": "shop_bot"});
    for (given, grade) in [(true, "well"), (false, "wrong")] {
        let me = me.clone();
        deployment.bot_api.answer_when(move |call| match call.method.as_str() {
            "getMe" => Some(Reply::ok(me.clone())),
            "getWebhookInfo" => {
                let info = json!({"url": "", "has_custom_certificate": given, "pending_update_count": 0});
                Some(Reply::ok(info))
            }
            _ => None,
        });
        let findings = examined(&deployment, "").await;
        assert!(findings.contains(&("shop: url".to_owned(), grade.to_owned())), "{given}: {findings:?}");
        deployment.bot_api.answer_as_usual();
    }
}

#[test]
fn a_doctor_begins_with_the_settings() {
    let operator = Operator::new();
    let mut command = operator.command(&["doctor"]);
    let ended = Ended::of(command.env("TAPGATE_LISTEN", "nowhere"));
    assert!(ended.stdout.starts_with("WRONG  settings"), "{ended:?}");
    assert_eq!(ended.code, 1);
}

#[test]
fn a_bot_that_is_there_is_left_as_it_is_where_only_a_missing_one_is_to_be_added() {
    let operator = Operator::with_bot();
    let mut command = operator.command(&["bot", "add", "--name", "other", "--if-missing", "--offline"]);
    let ended = Ended::of(command.env("BOT_TOKEN", "123456:AA-token_main"));
    assert_eq!((ended.code, ended.stdout.trim()), (0, "main is there"), "{ended:?}");
    let mut command = operator.command(&["bot", "add", "--name", "other", "--if-missing", "--offline"]);
    assert_eq!(Ended::of(command.env("BOT_TOKEN", "7:AA-token_other")).code, 0);
    assert_eq!(operator.reads(&["bot", "list", "--json"]).as_array().unwrap().len(), 2);
    let line = operator.fails(2, &["bot", "add", "--name", "third"]);
    assert!(line.contains("--token"), "{line}");
}
