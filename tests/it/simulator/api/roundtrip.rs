//! The whole way: a user acts, the update is posted, the answer's method is run, the user sees it.

use super::Stand;
use super::stand::id;
use crate::simulator::deliver::webhook::{Webhook, response};
use serde_json::Value;
use tapgate::sandbox::wire::Entry;
use tapgate::sandbox::world::Which;

#[tokio::test]
async fn a_press_is_posted_and_answered_in_the_response() {
    let stand = Stand::new();
    let mut webhook = Webhook::opens().await;
    let url = format!("http://{}/hook", webhook.address);
    stand.done("setWebhook", &[("url", &url), ("secret_token", "s3cret"), ("max_connections", "3")]).await;
    let start = webhook.request().await;
    assert!(start.head.contains("X-Telegram-Bot-Api-Secret-Token: s3cret"), "{}", start.head);
    start.accepts();
    stand.api.quiet(stand.bot).await;
    assert_eq!(stand.pending().len(), 0);

    let keyboard = r#"{"inline_keyboard":[[{"text":"Buy","callback_data":"buy"}]]}"#;
    let values = [("chat_id", &*stand.ann.to_string()), ("text", "Shop"), ("reply_markup", keyboard)];
    let message = id(&stand.done("sendMessage", &values).await);
    stand.world.presses(stand.ann, message, Which::At { row: 0, column: 0 }).unwrap();

    let press = webhook.request().await;
    let body: Value = serde_json::from_slice(&press.body).unwrap();
    let query = body["callback_query"]["id"].as_str().unwrap();
    let answer = format!(r#"{{"method":"answerCallbackQuery","callback_query_id":"{query}","text":"Sold"}}"#);
    press.answers(response("200 OK", "Content-Type: application/json\r\n", &answer));
    stand.api.quiet(stand.bot).await;

    let chat = stand.chat();
    assert_eq!((chat.notices[0].text.as_str(), chat.waiting.len()), ("Sold", 0));
    let row = stand.wire.rows().last().cloned().unwrap();
    let Entry::Call(call) = &row.entry else { panic!("{row:?}") };
    assert_eq!((call.method.as_str(), call.status), ("answercallbackquery", Some(200)));
    assert!(call.inline.is_some(), "the wire says that it came in an answer");
}

#[tokio::test]
async fn an_error_of_a_method_in_an_answer_is_seen_by_nobody_but_the_wire() {
    let stand = Stand::new();
    let mut webhook = Webhook::opens().await;
    stand.done("setWebhook", &[("url", &format!("http://{}/", webhook.address))]).await;
    let answer = r#"{"method":"sendMessage","chat_id":5,"text":"x"}"#;
    webhook.request().await.answers(response("200 OK", "Content-Type: application/json\r\n", answer));
    stand.api.quiet(stand.bot).await;
    assert_eq!(stand.pending().len(), 0, "the update counts as delivered");
    assert_eq!(stand.done("getWebhookInfo", &[]).await.get("last_error_message"), None);
    let calls = stand.wire.rows().into_iter().filter(|row| row.response.text().contains("chat not found"));
    assert_eq!(calls.count(), 1);
}

#[tokio::test]
async fn a_webhook_that_is_set_anew_gets_what_was_in_flight() {
    let stand = Stand::new();
    let mut old = Webhook::opens().await;
    stand.done("setWebhook", &[("url", &format!("http://{}/", old.address))]).await;
    let in_flight = old.request().await;
    let mut new = Webhook::opens().await;
    stand.clock.advance(std::time::Duration::from_secs(1));
    stand.done("setWebhook", &[("url", &format!("http://{}/", new.address))]).await;
    let again = new.request().await;
    assert_eq!(again.update_id(), in_flight.update_id());
    assert_eq!(again.body, in_flight.body);
    again.accepts();
    stand.api.quiet(stand.bot).await;
    assert_eq!(stand.pending().len(), 0);
}
