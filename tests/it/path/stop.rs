//! SIGTERM loses and doubles nothing.

use super::{on_both_profiles, sees_a_screen, versions};
use crate::harness::deployment::Deployment;
use crate::harness::telegram::User;
use futures::future::{join, join_all};

on_both_profiles!(a_stop_under_load_loses_and_doubles_nothing);

async fn a_stop_under_load_loses_and_doubles_nothing(deployment: Deployment) {
    let bot = deployment.adds_bot("shop").await;
    let mut server = deployment.serves().await;
    let telegram = server.telegram(&bot);
    let users: Vec<_> = (0..300).map(|_| User::named("Ann")).collect();
    let updates: Vec<_> = users.iter().map(|user| user.says("/start")).collect();

    // Half of them are under way when it is told to stop; the rest meet a server that goes or is gone.
    let (answers, ()) = join(join_all(updates.iter().map(|update| telegram.tries(update))), async {
        deployment.bot_api.wait_for(1, "sendMessage").await;
        server.is_told_to_stop();
    })
    .await;
    let status = server.ends().await;
    assert!(status.success(), "{status}: {}", server.log());
    let acknowledged = answers.iter().flatten().filter(|answer| answer.status == 200).count();
    assert!(acknowledged > 0);
    assert!(versions(&deployment).await.len() >= acknowledged, "what got a 200 is in the store");

    let next = deployment.serves().await;
    let telegram = next.telegram(&bot);
    for update in &updates {
        telegram.delivers(update).await;
    }
    let versions = versions(&deployment).await;
    assert_eq!(versions.len(), users.len());
    assert!(versions.iter().all(|version| *version == 1));
    for user in &users {
        sees_a_screen(&deployment, user).await;
        assert_eq!(deployment.bot_api.messages(user.id).len(), 1, "one screen each");
    }
}
