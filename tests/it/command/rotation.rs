//! `botctl bot rotate-secret`: whatever happens half-way, what Telegram sends is accepted.

use super::{ends, reads};
use crate::harness::bot_api::{Call, Reply};
use crate::harness::deployment::Deployment;
use crate::harness::patience;
use crate::harness::telegram::{Bot, User};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::Instant;

on_both_profiles! {
    telegram_is_told_when_every_server_accepts_both_and_no_update_is_refused
    a_rotation_that_telegram_did_not_hear_of_loses_nothing_and_is_ended_by_set_webhook
    without_a_webhook_nobody_is_told_and_both_are_accepted
    what_would_harm_the_webhook_is_refused_before_anything_is_written
}

const URL: &str = "https://bot.example.org";

/// A bot whose webhook Telegram has.
async fn set(deployment: &Deployment) -> Bot {
    let bot = deployment.adds_bot("shop").await;
    deployment.botctl(&["set-webhook", "--url", URL, "--no-commands"]).await;
    has(deployment, &bot, json!({}));
    bot
}

/// What Telegram says of the webhook from now on.
fn has(deployment: &Deployment, bot: &Bot, more: Value) {
    let mut info = json!({"url": format!("{URL}{}", bot.webhook_path()), "has_custom_certificate": false,
                          "pending_update_count": 0, "max_connections": 40});
    info.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    deployment.bot_api.answer_as_usual();
    deployment.bot_api.answer_when(move |call| (call.method == "getWebhookInfo").then(|| Reply::ok(info.clone())));
}

async fn secret(deployment: &Deployment) -> String {
    reads(deployment, &["bot", "show", "--show-secret", "--json"]).await["secret"].as_str().unwrap().to_owned()
}

fn told(deployment: &Deployment) -> Vec<Call> {
    deployment.bot_api.calls_of("setWebhook")
}

async fn telegram_is_told_when_every_server_accepts_both_and_no_update_is_refused(deployment: Deployment) {
    let bot = set(&deployment).await;
    let servers = [deployment.serves().await, deployment.serves().await];
    let began = Instant::now();

    let done = reads(&deployment, &["bot", "rotate-secret", "--show-secret", "--json"]).await;

    let call = told(&deployment).pop().unwrap();
    assert!(call.at - began >= Duration::from_secs(2), "servers had no time to learn of it");
    let new = secret(&deployment).await;
    assert_ne!(new, bot.secret);
    assert_eq!((call.params["secret_token"].as_str(), done["secret"].as_str()), (Some(&*new), Some(&*new)));
    assert_eq!((&call.params["drop_pending_updates"], &done["telegram_told"]), (&Value::Null, &json!(true)));
    for server in &servers {
        for secret in [&bot.secret, &new] {
            let answer = server.telegram(&bot).with_secret(secret).posts(&User::named("Ann").says("/start")).await;
            assert_eq!(answer.status, 200);
        }
    }
    let until = humantime::parse_rfc3339(done["old_secret_until"].as_str().unwrap()).unwrap();
    let until = until.duration_since(std::time::UNIX_EPOCH).unwrap();
    let left = until.saturating_sub(Duration::from_millis(tapgate::clock::now().unix_millis().unsigned_abs()));
    assert!(left <= Duration::from_secs(120), "the old secret is soon refused: {left:?}");
}

async fn a_rotation_that_telegram_did_not_hear_of_loses_nothing_and_is_ended_by_set_webhook(deployment: Deployment) {
    let bot = set(&deployment).await;
    let server = deployment.serves().await;
    deployment.bot_api.answer_next("setWebhook", Reply::refused(500, "Internal Server Error"));

    let line = ends(&deployment, &["bot", "rotate-secret"]).await.failed(1);

    assert!(line.contains("nothing is lost") && line.contains("botctl set-webhook"), "{line}");
    let new = secret(&deployment).await;
    for secret in [&bot.secret, &new] {
        let answer = server.telegram(&bot).with_secret(secret).posts(&User::named("Ann").says("/start")).await;
        assert_eq!(answer.status, 200);
    }
    assert!(reads(&deployment, &["bot", "show", "--json"]).await["old_secret_until"].is_string());
    let line = ends(&deployment, &["bot", "rotate-secret"]).await.failed(1);
    assert!(line.contains("is not over") && line.contains("23h"), "{line}");
    deployment.botctl(&["set-webhook", "--no-commands"]).await;
    assert_eq!(told(&deployment).pop().unwrap().params["secret_token"], *new);
    let line = ends(&deployment, &["bot", "rotate-secret"]).await.failed(1);
    assert!(line.contains("is not over") && !line.contains("23h"), "the old one's time was cut short: {line}");
}

async fn without_a_webhook_nobody_is_told_and_both_are_accepted(deployment: Deployment) {
    let bot = deployment.adds_bot("shop").await;
    let server = deployment.serves().await;
    let rotate = ["bot", "rotate-secret", "--secret", "a_new_one", "--no-webhook", "--keep", "2h"];
    let printed = deployment.botctl(&rotate).await;
    assert!(printed.contains("botctl set-webhook") && !printed.contains("a_new_one"), "{printed}");
    assert!(deployment.bot_api.calls().is_empty());
    for secret in [&bot.secret, "a_new_one"] {
        patience::until("the server to know", async || {
            let telegram = server.telegram(&bot).with_secret(secret);
            (telegram.posts(&User::named("Ann").says("/start")).await.status == 200).then_some(())
        })
        .await;
    }
}

async fn what_would_harm_the_webhook_is_refused_before_anything_is_written(deployment: Deployment) {
    let bot = set(&deployment).await;
    for (code, has_now, word) in [
        (1, json!({"url": "https://elsewhere.example.org/"}), "elsewhere"),
        (2, json!({"has_custom_certificate": true}), "--certificate"),
    ] {
        has(&deployment, &bot, has_now);
        let line = ends(&deployment, &["bot", "rotate-secret"]).await.failed(code);
        assert!(line.contains(word) && line.contains("nothing was changed"), "{line}");
    }
    deployment.bot_api.answer_as_usual();
    deployment.bot_api.answer_next("getWebhookInfo", Reply::refused(500, "Internal Server Error"));
    let line = ends(&deployment, &["bot", "rotate-secret"]).await.failed(1);
    assert!(line.contains("--no-webhook"), "{line}");
    let line = ends(&deployment, &["bot", "rotate-secret", "--secret", "hunter 2"]).await.failed(2);
    assert!(line.contains("--secret") && !line.contains("hunter"), "{line}");
    assert_eq!(secret(&deployment).await, bot.secret);
    assert_eq!(told(&deployment).len(), 1);
}
