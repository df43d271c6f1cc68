//! `botctl dead …`.

use super::{ends, reads};
use crate::harness::deployment::Deployment;
use crate::harness::server::Server;
use crate::harness::services;
use crate::harness::telegram::{Bot, Update, User};
use serde_json::{Value, json};

on_both_profiles! {
    a_dead_update_is_handled_again_once_its_cause_is_gone_and_counts_once
    an_update_that_fails_again_is_kept_and_said_to_have_failed
    two_retries_at_the_same_moment_are_one
    what_users_wrote_is_shown_only_when_asked_for
    a_letter_is_dropped_only_when_that_is_meant
    a_body_without_an_id_is_found_by_the_beginning_of_its_digest
}

/// `update` fails three times and is given up; what comes after it does not fail.
async fn dies(deployment: &Deployment, bot: &Bot, update: &Update) -> Server {
    let server = deployment.serves_with(&[("FAILPOINTS", "decide=3*panic->off")]).await;
    let telegram = server.telegram(bot);
    let mut statuses = Vec::new();
    for _ in 0..3 {
        statuses.push(telegram.posts(update).await.status);
    }
    assert_eq!(statuses, [503, 503, 200]);
    server
}

async fn listed(deployment: &Deployment) -> Value {
    reads(deployment, &["dead", "list", "--json"]).await
}

async fn a_dead_update_is_handled_again_once_its_cause_is_gone_and_counts_once(deployment: Deployment) {
    if !services::fail_points() {
        return;
    }
    let bot = deployment.adds_bot("shop").await;
    let (ann, key) = (User::named("Ann"), |update: &Update| update.id.to_string());
    let update = ann.says("/start");
    let server = dies(&deployment, &bot, &update).await;
    let dead = listed(&deployment).await;
    assert_eq!((dead[0]["key"].as_str(), dead[0]["failures"].as_i64()), (Some(&*key(&update)), Some(3)));
    deployment.botctl(&["pause"]).await;

    let retried = reads(&deployment, &["dead", "retry", &key(&update), "--json"]).await;

    assert_eq!(retried, json!([{"key": key(&update), "outcome": "applied"}]));
    assert_eq!(listed(&deployment).await, json!([]));
    deployment.bot_api.wait_until("the screen", |api| (!api.messages(ann.id).is_empty()).then_some(())).await;
    deployment.botctl(&["resume"]).await;
    crate::harness::patience::until("the server to know", async || {
        (server.telegram(&bot).posts(&update).await.status == 200).then_some(())
    })
    .await;
    assert_eq!(deployment.chat(&bot, ann.id).await["version"], 1, "a repeat is one all the same");
    let line = ends(&deployment, &["dead", "retry", &key(&update)]).await.failed(1);
    assert!(line.contains("dead list"), "{line}");
    assert!(deployment.botctl(&["dead", "retry", "--all"]).await.contains("no update was given up"));
}

async fn an_update_that_fails_again_is_kept_and_said_to_have_failed(mut deployment: Deployment) {
    if !services::fail_points() {
        return;
    }
    let bot = deployment.adds_bot("shop").await;
    let update = User::named("Ann").says("a text that nobody may see");
    let _server = dies(&deployment, &bot, &update).await;
    deployment.set("FAILPOINTS", "decide=panic");
    let ended = ends(&deployment, &["dead", "retry", "--all"]).await;
    assert!(ended.stdout.contains("failed again (panic)"), "{ended:?}");
    let line = ended.complained(1);
    assert!(line.contains("1 of 1") && line.contains("dead show"), "{line}");
    assert_eq!(listed(&deployment).await[0]["failures"], 4);
}

async fn two_retries_at_the_same_moment_are_one(deployment: Deployment) {
    if !services::fail_points() {
        return;
    }
    let bot = deployment.adds_bot("shop").await;
    let ann = User::named("Ann");
    let update = ann.says("/start");
    let _server = dies(&deployment, &bot, &update).await;
    let retry = ["dead", "retry", "--all", "--json"];
    let both = tokio::join!(reads(&deployment, &retry), reads(&deployment, &retry));
    for retried in [both.0, both.1] {
        let outcomes: Vec<&str> =
            retried.as_array().unwrap().iter().map(|it| it["outcome"].as_str().unwrap()).collect();
        assert!(outcomes.iter().all(|outcome| ["applied", "known", "gone"].contains(outcome)), "{outcomes:?}");
    }
    assert_eq!(deployment.chat(&bot, ann.id).await["version"], 1);
}

async fn what_users_wrote_is_shown_only_when_asked_for(deployment: Deployment) {
    if !services::fail_points() {
        return;
    }
    let bot = deployment.adds_bot("shop").await;
    let ann = User::named("Annabella");
    let update = ann.says("a text that nobody may see");
    let _server = dies(&deployment, &bot, &update).await;
    let key = update.id.to_string();
    for format in [&[][..], &["--json"]] {
        let show = [&["dead", "show", &key][..], format].concat();
        let printed = deployment.botctl(&show).await;
        assert!(printed.contains("<26 characters>") && printed.contains(&ann.id.to_string()), "{printed}");
        assert!(!printed.contains("nobody may see") && !printed.contains("Annabella"), "{printed}");
        let printed = deployment.botctl(&[&show[..], &["--texts"]].concat()).await;
        assert!(printed.contains("a text that nobody may see") && printed.contains("Annabella"), "{printed}");
    }
    let shown = reads(&deployment, &["dead", "show", &key, "--json"]).await;
    assert_eq!((&shown["bot"], &shown["reason"]), (&json!("shop"), &json!("panic")));
    assert!(!deployment.botctl(&["dead", "list"]).await.contains("nobody may see"));
}

async fn a_letter_is_dropped_only_when_that_is_meant(deployment: Deployment) {
    let bot = deployment.adds_bot("shop").await;
    let server = deployment.serves().await;
    for body in ["{\"update_id\":78,\n\"message\":{\"message_id\":1}}", "rubbish"] {
        assert_eq!(server.telegram(&bot).posts(&Update::raw(0, body)).await.status, 200);
    }
    let line = ends(&deployment, &["dead", "drop", "78"]).await.failed(2);
    assert!(line.contains("--yes"), "{line}");
    assert_eq!(listed(&deployment).await.as_array().unwrap().len(), 2);
    let dropped = reads(&deployment, &["dead", "drop", "78", "--yes", "--json"]).await;
    assert_eq!(dropped, json!({"bot": "shop", "dropped": ["78"]}));
    assert!(deployment.botctl(&["dead", "drop", "--all", "--yes"]).await.contains("1 failed updates"));
    assert_eq!(listed(&deployment).await, json!([]));
}

async fn a_body_without_an_id_is_found_by_the_beginning_of_its_digest(deployment: Deployment) {
    let bot = deployment.adds_bot("shop").await;
    let server = deployment.serves().await;
    server.telegram(&bot).posts(&Update::raw(0, "rubbish")).await;
    let printed = deployment.botctl(&["dead", "list"]).await;
    let key = printed.split_whitespace().find(|word| word.starts_with("sha256:")).unwrap();
    assert!(deployment.botctl(&["dead", "show", key]).await.contains("<7 characters>"));
    assert!(deployment.botctl(&["dead", "show", key, "--texts"]).await.contains("rubbish"));
    let ended = ends(&deployment, &["dead", "retry", key]).await;
    assert!(ended.stdout.contains("failed again (not_json)"), "{ended:?}");
    ended.complained(1);
    ends(&deployment, &["dead", "show", "sha256:0000"]).await.failed(1);
}
