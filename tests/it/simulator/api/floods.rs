//! Flood limits: short waits look like slow calls, long ones are 429.

use super::Stand;
use super::stand::{START, parameters};
use std::time::Duration;

#[tokio::test]
async fn short_waits_are_slept_off_and_long_ones_are_told() {
    let stand = Stand::new();
    let ann = stand.ann.to_string();
    let send = [("chat_id", &*ann), ("text", "x")];
    for _ in 0..10 {
        stand.done("sendMessage", &send).await;
    }
    // Eight more wait in the server, each a second longer than the one before.
    let mut waiting = Vec::new();
    for seconds in 1..=8_u64 {
        let (api, bot, values) = (stand.api.clone(), stand.bot, parameters(&send));
        waiting.push(tokio::spawn(async move { api.call(bot, "sendMessage", values).await }));
        let due = START.plus(Duration::from_secs(seconds));
        while stand.wire.rows().len() < 10 + usize::try_from(seconds).unwrap() || stand.clock.next_due() > Some(due) {
            tokio::task::yield_now().await;
        }
    }
    let refused = stand.answer("sendMessage", parameters(&send)).await;
    assert_eq!((refused.status, refused.retry_after), (429, Some(9)));
    assert_eq!(
        refused.body,
        r#"{"ok":false,"error_code":429,"description":"Too Many Requests: retry after 9","parameters":{"retry_after":9}}"#
    );
    assert!(waiting.iter().all(|call| !call.is_finished()));
    stand.clock.advance(Duration::from_secs(8));
    for call in waiting {
        assert_eq!(call.await.unwrap().status, 200);
    }
    assert_eq!(stand.seen().len(), 1 + 18);
}

#[tokio::test]
async fn answers_to_presses_and_other_chats_are_not_limited_by_one() {
    let stand = Stand::new();
    let ben = stand.world.add_user("Ben", None);
    stand.world.says(ben, "/start").unwrap();
    for _ in 0..10 {
        stand.sent("x").await;
    }
    stand.done("sendMessage", &[("chat_id", &ben.to_string()), ("text", "x")]).await;
    for _ in 0..20 {
        stand.refusal("answerCallbackQuery", &[("callback_query_id", "1")]).await;
    }
}

#[tokio::test]
async fn edits_share_the_limit_with_messages() {
    let stand = Stand::new();
    let message = stand.sent("x").await.to_string();
    let ann = stand.ann.to_string();
    for text in ["1", "2", "3", "4", "5", "6", "7", "8", "9"] {
        stand.done("editMessageText", &[("chat_id", &ann), ("message_id", &message), ("text", text)]).await;
    }
    let (api, bot) = (stand.api.clone(), stand.bot);
    let values = parameters(&[("chat_id", &ann), ("message_id", &message), ("text", "10")]);
    let call = tokio::spawn(async move { api.call(bot, "editMessageText", values).await });
    while stand.clock.next_due().is_none() {
        tokio::task::yield_now().await;
    }
    assert!(!call.is_finished());
    stand.clock.advance(Duration::from_secs(1));
    assert_eq!(call.await.unwrap().status, 200);
}
