//! The process dies anywhere: the next delivery, and the next sender, end it right.

use super::{on_both_profiles, sees_a_screen};
use crate::harness::deployment::Deployment;
use crate::harness::patience;
use crate::harness::server::Server;
use crate::harness::services;
use crate::harness::telegram::{Bot, User};
use serde_json::Value;

on_both_profiles!(
    a_death_before_the_answer_is_healed_by_the_next_delivery,
    a_death_of_the_sender_is_healed_by_the_next_sender,
);

/// A lease that ends soon, so that a test need not wait for the usual 15 s.
fn with_short_leases(deployment: &mut Deployment) {
    let file = deployment.folder().join("tapgate.toml");
    std::fs::write(&file, "[sender]\nlease = \"1s\"\n").unwrap();
    deployment.set("TAPGATE_CONFIG", file.to_str().unwrap());
}

async fn dies_at(deployment: &Deployment, point: &str) -> Server {
    deployment.serves_with(&[("TAPGATE_ABORT_AT", point)]).await
}

/// Waits until what is shown is what is desired, and gives the chat.
async fn settled(deployment: &Deployment, bot: &Bot, user: &User) -> Value {
    patience::until("the screen is confirmed", async || {
        let chat = deployment.chat(bot, user.id).await;
        (chat["shown"]["revision"] == chat["desired"]["revision"]).then_some(chat)
    })
    .await
}

async fn a_death_before_the_answer_is_healed_by_the_next_delivery(mut deployment: Deployment) {
    if !services::fail_points() {
        return;
    }
    with_short_leases(&mut deployment);
    let bot = deployment.adds_bot("shop").await;
    for point in ["after_claim", "before_commit", "after_commit"] {
        let ann = User::named("Ann");
        let start = ann.says("/start");
        let mut dying = dies_at(&deployment, point).await;
        assert!(dying.telegram(&bot).tries(&start).await.is_err(), "nothing is answered at {point}");
        dying.ends().await;

        let server = deployment.serves().await;
        let (answer, _) = server.telegram(&bot).delivers(&start).await;
        assert_eq!((answer.status, answer.text()), (200, ""), "{point}");
        sees_a_screen(&deployment, &ann).await;
        let chat = settled(&deployment, &bot, &ann).await;
        assert_eq!(chat["version"], 1, "{point}: applied once");
    }
}

async fn a_death_of_the_sender_is_healed_by_the_next_sender(mut deployment: Deployment) {
    if !services::fail_points() {
        return;
    }
    with_short_leases(&mut deployment);
    let bot = deployment.adds_bot("shop").await;
    for (point, most_messages) in [("after_lease", 1), ("after_send", 2), ("after_settle", 1)] {
        let ann = User::named("Ann");
        let mut dying = dies_at(&deployment, point).await;
        // Its sender may be faster than its answer.
        let _ = dying.telegram(&bot).tries(&ann.says("/start")).await;
        dying.ends().await;
        let server = deployment.serves().await;
        let chat = settled(&deployment, &bot, &ann).await;
        assert_eq!(chat["version"], 1, "{point}");
        let messages = deployment.bot_api.messages(ann.id).len();
        assert!((1..=most_messages).contains(&messages), "{point}: {messages} messages");
        drop(server);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_that_cuts_all_connections_costs_a_repeat_and_nothing_else() {
    let Some(deployment) = Deployment::cluster().await else { return };
    let bot = deployment.adds_bot("shop").await;
    let server = deployment.serves().await;
    let telegram = server.telegram(&bot);
    let users: Vec<_> = (0..60).map(|_| User::named("Ann")).collect();
    for (number, user) in users.iter().enumerate() {
        if number % 20 == 10 {
            deployment.database.as_ref().unwrap().cut_connections().await;
        }
        telegram.delivers(&user.says("/start")).await;
    }
    assert!(super::versions(&deployment).await.iter().all(|version| *version == 1));
    for user in &users {
        sees_a_screen(&deployment, user).await;
    }
}
