//! A client that hangs up cancels nothing half-way.

use super::{on_both_profiles, versions};
use crate::harness::deployment::Deployment;
use crate::harness::telegram::User;
use futures::stream::{self, StreamExt};
use std::time::Duration;

on_both_profiles!(posts_closed_early_are_applied_whole_or_not_at_all_and_then_by_the_repeat);

async fn posts_closed_early_are_applied_whole_or_not_at_all_and_then_by_the_repeat(deployment: Deployment) {
    const POSTS: usize = 600;
    let bot = deployment.adds_bot("shop").await;
    let server = deployment.serves().await;
    let telegram = server.telegram(&bot);
    let updates: Vec<_> = (0..POSTS).map(|_| User::named("Ann").says("/start")).collect();

    stream::iter(&updates)
        .for_each_concurrent(40, async |update| {
            telegram.posts_and_hangs_up(update, Duration::from_micros(200)).await.unwrap();
        })
        .await;
    stream::iter(&updates)
        .for_each_concurrent(40, async |update| {
            telegram.delivers(update).await;
        })
        .await;

    let versions = versions(&deployment).await;
    assert_eq!(versions.len(), POSTS);
    assert!(versions.iter().all(|version| *version == 1), "every update was applied exactly once");
    let jobs_left = |api: &crate::harness::bot_api::BotApi| {
        let chats: std::collections::BTreeSet<_> = api.calls_of("sendMessage").iter().map(|call| call.chat()).collect();
        (chats.len() == POSTS).then_some(())
    };
    deployment.bot_api.wait_until("every chat has its screen", jobs_left).await;
}
