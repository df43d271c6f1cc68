//! getUpdates.

use super::Stand;
use super::stand::parameters;
use std::time::Duration;

#[tokio::test]
async fn updates_are_polled_acknowledged_and_waited_for() {
    let stand = Stand::new();
    let first = stand.done("getUpdates", &[]).await;
    let start = first[0]["update_id"].as_i64().unwrap();
    assert_eq!(first[0]["message"]["text"], "/start");
    assert_eq!(stand.done("getUpdates", &[("offset", "-1")]).await[0]["update_id"], start);
    let next = (start + 1).to_string();
    assert_eq!(stand.done("getUpdates", &[("offset", &next)]).await, serde_json::json!([]));
    assert_eq!(stand.pending().len(), 0);

    let (api, bot) = (stand.api.clone(), stand.bot);
    let values = parameters(&[("offset", &next), ("timeout", "50")]);
    let poll = tokio::spawn(async move { api.call(bot, "getUpdates", values).await });
    while stand.clock.next_due().is_none() {
        tokio::task::yield_now().await;
    }
    stand.world.says(stand.ann, "hello").unwrap();
    assert!(poll.await.unwrap().body.contains("hello"));
}

#[tokio::test]
async fn a_poll_is_ended_by_another_by_a_webhook_and_by_time() {
    let stand = Stand::new();
    let far = "1999999999";
    let start = |timeout: &str| {
        let (api, bot) = (stand.api.clone(), stand.bot);
        let values = parameters(&[("offset", far), ("timeout", timeout)]);
        tokio::spawn(async move { api.call(bot, "getUpdates", values).await })
    };
    let waiting = async || {
        while stand.clock.next_due().is_none() {
            tokio::task::yield_now().await;
        }
    };
    let poll = start("50");
    waiting().await;
    stand.done("getUpdates", &[("offset", far)]).await;
    let ended = poll.await.unwrap();
    assert_eq!(ended.status, 409);
    assert!(
        ended.body.contains(
            "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running"
        )
    );

    let poll = start("3");
    waiting().await;
    stand.clock.advance(Duration::from_secs(3));
    assert_eq!(poll.await.unwrap().body, r#"{"ok":true,"result":[]}"#);

    let poll = start("50");
    waiting().await;
    stand.call("setWebhook", &[("url", "http://127.0.0.1:9/")]).await;
    assert!(poll.await.unwrap().body.contains("Conflict: terminated by setWebhook request"));
    assert_eq!(
        stand.refusal("getUpdates", &[]).await,
        "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first"
    );
}
