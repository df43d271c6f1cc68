//! `botctl jobs …`.

use super::{ends, reads};
use crate::harness::bot_api::Reply;
use crate::harness::deployment::Deployment;
use crate::harness::patience;
use crate::harness::telegram::{Bot, User};
use serde_json::{Value, json};

on_both_profiles! {
    what_telegram_refuses_is_listed_shown_and_sent_when_it_is_retried
    all_that_waits_is_retried_at_once
    a_job_that_is_not_there_is_said_to_be_so
}

/// A user whose screen Telegram refuses for good.
async fn refused(deployment: &Deployment, bot: &Bot) -> (User, crate::harness::server::Server, Value) {
    deployment.bot_api.answer_when(|call| {
        (call.method == "sendMessage").then(|| Reply::refused(400, "Bad Request: message is too strange"))
    });
    let server = deployment.serves().await;
    let ann = User::named("Ann");
    assert_eq!(server.telegram(bot).posts(&ann.says("/start")).await.status, 200);
    let job = patience::until("the job to be refused", async || {
        let jobs = reads(deployment, &["jobs", "list", "--json"]).await;
        jobs.as_array().unwrap().iter().find(|job| job["standing"] == "parked").cloned()
    })
    .await;
    (ann, server, job)
}

async fn what_telegram_refuses_is_listed_shown_and_sent_when_it_is_retried(deployment: Deployment) {
    let bot = deployment.adds_bot("shop").await;
    let (ann, _server, job) = refused(&deployment, &bot).await;
    let id = job["id"].to_string();
    assert_eq!(
        job,
        json!({"id": job["id"], "chat": ann.id, "lane": "outbound", "place": "new", "attempts": job["attempts"],
               "standing": "parked"})
    );
    let chat = ann.id.to_string();
    assert_eq!(reads(&deployment, &["jobs", "list", "--chat", &chat, "--json"]).await, json!([job]));
    assert_eq!(reads(&deployment, &["jobs", "list", "--lane", "text", "--json"]).await, json!([]));
    assert!(deployment.botctl(&["jobs", "list"]).await.contains("refused by Telegram"));
    assert_eq!(reads(&deployment, &["jobs", "show", &id, "--json"]).await["payload"], Value::Null);
    assert!(deployment.botctl(&["jobs", "show", &id]).await.contains("screen, new"));

    deployment.bot_api.answer_as_usual();
    let retried = reads(&deployment, &["jobs", "retry", &id, "--json"]).await;

    assert_eq!(retried, json!([{"id": job["id"], "outcome": "due"}]));
    deployment.bot_api.wait_until("the screen", |api| (!api.messages(ann.id).is_empty()).then_some(())).await;
}

async fn all_that_waits_is_retried_at_once(deployment: Deployment) {
    let bot = deployment.adds_bot("shop").await;
    let (ann, _server, _) = refused(&deployment, &bot).await;
    deployment.bot_api.answer_as_usual();
    assert!(deployment.botctl(&["jobs", "retry", "--all"]).await.contains("is due now"));
    deployment.bot_api.wait_until("the screen", |api| (!api.messages(ann.id).is_empty()).then_some(())).await;
    patience::until("the job to be done", async || {
        (reads(&deployment, &["jobs", "list", "--json"]).await == json!([])).then_some(())
    })
    .await;
    assert!(deployment.botctl(&["jobs", "retry", "--all"]).await.contains("no job waits"));
    assert!(deployment.botctl(&["jobs", "list"]).await.contains("no jobs"));
}

async fn a_job_that_is_not_there_is_said_to_be_so(deployment: Deployment) {
    deployment.adds_bot("shop").await;
    let line = ends(&deployment, &["jobs", "show", "4711"]).await.failed(1);
    assert!(line.contains("4711") && line.contains("jobs list"), "{line}");
    let ended = ends(&deployment, &["jobs", "retry", "4711"]).await;
    assert!(ended.stdout.contains("job 4711 is not there"), "{ended:?}");
    assert!(ended.complained(1).contains("jobs list"));
}
