//! Faults on request, and what the wire says of them.

use super::Stand;
use super::stand::parameters;
use std::time::Duration;
use tapgate::sandbox::faults::{ApiFault, Lasts};
use tapgate::sandbox::wire::{Call, Entry};
use tapgate::telegram::id::ChatId;

fn last_call(stand: &Stand) -> Call {
    match &stand.wire.rows().last().unwrap().entry {
        Entry::Call(call) => call.clone(),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_fault_strikes_whom_it_is_meant_for_and_is_noted() {
    let stand = Stand::new();
    let flood = ApiFault::Flood { chat: ChatId(5), retry_after: Duration::from_secs(7) };
    stand.faults.strike_api(flood, Lasts::Standing);
    stand.sent("x").await;
    let refused = stand.answer("sendMessage", parameters(&[("chat_id", "5"), ("text", "x")])).await;
    assert_eq!((refused.status, refused.retry_after), (429, Some(7)));
    assert_eq!(last_call(&stand).note.as_deref(), Some("told to wait, on request"));

    stand.faults.clear();
    stand.faults.strike_api(ApiFault::Fail(500), Lasts::Times(1));
    let failed = stand.answer("sendMessage", parameters(&[("chat_id", &stand.ann.to_string()), ("text", "y")])).await;
    assert_eq!(failed.body, r#"{"ok":false,"error_code":500,"description":"Internal Server Error"}"#);
    assert_eq!(stand.seen(), ["/start", "x"], "it was not done");
    stand.sent("y").await;
}

#[tokio::test]
async fn a_slow_call_takes_simulated_time() {
    let stand = Stand::new();
    stand.faults.strike_api(ApiFault::Slow(Duration::from_secs(3)), Lasts::Times(1));
    let (api, bot) = (stand.api.clone(), stand.bot);
    let call = tokio::spawn(async move { api.call(bot, "getMe", parameters(&[])).await });
    while stand.clock.next_due().is_none() {
        tokio::task::yield_now().await;
    }
    stand.clock.advance(Duration::from_secs(3));
    assert_eq!(call.await.unwrap().status, 200);
    assert_eq!(stand.wire.rows().last().unwrap().took.unwrap().simulated, Duration::from_secs(3));
}

#[tokio::test]
async fn an_unknown_method_is_answered_as_telegram_does_and_marked() {
    let stand = Stand::new();
    assert_eq!(stand.refusal("sendDice", &[]).await, "Not Found: method not found");
    let call = last_call(&stand);
    assert_eq!((call.status, call.note.as_deref()), (Some(404), Some("the sandbox does not know this method")));
}

#[tokio::test]
async fn secrets_are_not_on_the_wire() {
    let stand = Stand::new();
    stand.call("setWebhook", &[("url", "http://127.0.0.1:9/x"), ("secret_token", "hush-hush")]).await;
    let row = stand.wire.rows().last().cloned().unwrap();
    assert!(row.request.text().contains("\"secret_token\":\"***\""), "{}", row.request.text());
    assert!(!format!("{row:?}").contains("hush-hush"));
}
