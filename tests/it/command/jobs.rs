//! `botctl jobs …`.

use super::{ends, reads};
use crate::harness::deployment::Deployment;
use crate::harness::patience;
use crate::harness::server::Server;
use crate::harness::telegram::{Bot, User};
use serde_json::{Value, json};

on_both_profiles! {
    what_waits_is_listed_shown_and_sent_when_it_is_retried
    all_that_waits_is_retried_at_once
    a_job_that_is_not_there_is_said_to_be_so
}

/// A user whose screen waits, since their row does not decode.
async fn stuck(deployment: &Deployment, bot: &Bot) -> (User, Server, Value) {
    let receiving = Server::start(&deployment.server_environment(&[]), &["--no-sender"]).await;
    let ann = User::named("Ann");
    assert_eq!(receiving.telegram(bot).posts(&ann.says("/start")).await.status, 200);
    deployment.executes("UPDATE chats SET vars = '['").await;
    let server = deployment.serves().await;
    let job = patience::until("the job to wait", async || {
        let jobs = reads(deployment, &["jobs", "list", "--json"]).await;
        jobs.as_array().unwrap().iter().find(|job| job["standing"] == "waits").cloned()
    })
    .await;
    deployment.executes("UPDATE chats SET vars = '{}'").await;
    (ann, server, job)
}

async fn what_waits_is_listed_shown_and_sent_when_it_is_retried(deployment: Deployment) {
    let bot = deployment.adds_bot("shop").await;
    let (ann, _server, job) = stuck(&deployment, &bot).await;
    let id = job["id"].to_string();
    assert_eq!(
        job,
        json!({"id": job["id"], "chat": ann.id, "lane": "outbound", "place": "new", "attempts": job["attempts"],
               "standing": "waits", "seconds": job["seconds"]})
    );
    let chat = ann.id.to_string();
    let listed = reads(&deployment, &["jobs", "list", "--chat", &chat, "--json"]).await;
    assert_eq!((listed.as_array().unwrap().len(), &listed[0]["id"]), (1, &job["id"]));
    assert_eq!(reads(&deployment, &["jobs", "list", "--lane", "text", "--json"]).await, json!([]));
    assert!(deployment.botctl(&["jobs", "list"]).await.contains("again in"));
    assert_eq!(reads(&deployment, &["jobs", "show", &id, "--json"]).await["payload"], Value::Null);
    assert!(deployment.botctl(&["jobs", "show", &id]).await.contains("screen, new"));

    let retried = reads(&deployment, &["jobs", "retry", &id, "--json"]).await;

    assert_eq!(retried, json!([{"id": job["id"], "outcome": "due"}]));
    deployment.bot_api.wait_until("the screen", |api| (!api.messages(ann.id).is_empty()).then_some(())).await;
}

async fn all_that_waits_is_retried_at_once(deployment: Deployment) {
    let bot = deployment.adds_bot("shop").await;
    let (ann, _server, _) = stuck(&deployment, &bot).await;
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
