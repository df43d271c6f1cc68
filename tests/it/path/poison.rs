//! One update that cannot be handled holds nobody up: not its chat, let alone the bot.

use super::{on_both_profiles, starts};
use crate::harness::deployment::Deployment;
use crate::harness::services;
use crate::harness::telegram::{Update, User};

on_both_profiles!(
    a_poison_update_is_dead_at_its_third_failure_and_its_user_is_told,
    a_row_that_does_not_decode_makes_its_updates_dead_and_no_others,
    what_is_no_update_is_dead_at_once,
);

async fn a_poison_update_is_dead_at_its_third_failure_and_its_user_is_told(deployment: Deployment) {
    if !services::fail_points() {
        return;
    }
    let bot = deployment.adds_bot("shop").await;
    let server = deployment.serves_with(&[("FAILPOINTS", "decide=3*panic->off")]).await;
    let telegram = server.telegram(&bot);
    let ann = User::named("Ann");
    let poison = ann.says("a text that nobody may see");

    let statuses = [telegram.posts(&poison).await.status, telegram.posts(&poison).await.status];
    assert_eq!(statuses, [503, 503]);
    let last = telegram.posts(&poison).await;
    assert_eq!(last.status, 200);
    assert_eq!(last.json()["method"], "sendMessage");
    assert_eq!(last.json()["chat_id"], ann.id);
    assert!(!last.json()["text"].as_str().unwrap().is_empty());
    assert_eq!(server.metric("tapgate_dead_updates_total", "panic").await, 1.0);
    assert!(!server.log().contains("nobody may see"));

    starts(&deployment, &server, &bot, &ann).await;
    assert_eq!(deployment.chat(&bot, ann.id).await["version"], 1, "the poison left no trace");
}

async fn a_row_that_does_not_decode_makes_its_updates_dead_and_no_others(deployment: Deployment) {
    let bot = deployment.adds_bot("shop").await;
    let server = deployment.serves().await;
    let telegram = server.telegram(&bot);
    let ann = User::named("Ann");
    starts(&deployment, &server, &bot, &ann).await;
    deployment.executes("UPDATE chats SET vars = '['").await;
    let update = ann.says("hello");
    let mut statuses = Vec::new();
    for _ in 0..3 {
        statuses.push(telegram.posts(&update).await.status);
    }
    assert_eq!(statuses, [503, 503, 200]);
    assert_eq!(server.metric("tapgate_dead_updates_total", "corrupt").await, 1.0);
    starts(&deployment, &server, &bot, &User::named("Bob")).await;
}

async fn what_is_no_update_is_dead_at_once(deployment: Deployment) {
    let bot = deployment.adds_bot("shop").await;
    let server = deployment.serves().await;
    let telegram = server.telegram(&bot);
    let raw_bytes =
        [&b"{\"update_id\":77,\n\"callback_query\":{\"id\":\"1\",\"data\":\""[..], &[0xff, 0xfe], b"\"}}"].concat();
    let bodies: [(&[u8], &str); 5] = [
        (b"", "not_json"),
        (b"rubbish", "not_json"),
        (b"{\"message\":{}}", "no_update_id"),
        (b"{\"update_id\":78,\n\"message\":{\"message_id\":1}}", "undecodable"),
        (&raw_bytes, "not_utf8"),
    ];
    for (body, reason) in bodies {
        let before = server.metric("tapgate_dead_updates_total", reason).await;
        let answer = telegram.posts(&Update::raw(0, body)).await;
        assert_eq!((answer.status, answer.text()), (200, ""), "{reason}");
        assert_eq!(server.metric("tapgate_dead_updates_total", reason).await, before + 1.0, "{reason}");
    }
}
