//! What goes out.

use super::{client, client_at, hello, token};
use crate::harness::bot_api::BotApi;
use serde_json::json;
use std::time::Duration;
use tapgate::secret::Secret;
use tapgate::telegram::id::BotId;
use tapgate::telegram::webhook::{ALLOWED_UPDATES, DeleteWebhook, SetWebhook};

fn webhook() -> SetWebhook<Secret> {
    SetWebhook {
        url: "https://bot.example.org/telegram/webhook/123456".to_owned(),
        ip_address: None,
        max_connections: 40,
        allowed_updates: ALLOWED_UPDATES,
        drop_pending_updates: false,
        secret_token: Secret::new("abc"),
    }
}

#[tokio::test]
async fn absent_parameters_are_left_out() {
    let api = BotApi::start();
    client(&api).send_message(&token(), &hello(7, "hello")).await.unwrap();
    let call = api.calls().remove(0);
    assert_eq!((call.bot.as_str(), call.method.as_str()), ("123456", "sendMessage"));
    assert_eq!(call.params, json!({"chat_id": 7, "text": "hello", "parse_mode": "HTML"}));
}

#[tokio::test]
async fn the_base_url_may_have_a_path_and_a_slash_at_its_end() {
    let api = BotApi::start();
    let client = client_at(&(api.url() + "/"), Duration::from_secs(5));
    assert_eq!(client.get_me(&token()).await.unwrap().id, BotId(123_456));
}

#[tokio::test]
async fn a_webhook_is_set_as_json_and_never_speaks_of_dropping_unless_told() {
    let api = BotApi::start();
    let client = client(&api);
    client.set_webhook(&token(), &webhook(), None).await.unwrap();
    client.delete_webhook(&token(), DeleteWebhook::default()).await.unwrap();
    client.delete_webhook(&token(), DeleteWebhook { drop_pending_updates: true }).await.unwrap();
    let params: Vec<_> = api.calls().into_iter().map(|call| call.params).collect();
    assert_eq!(
        params,
        [
            json!({
                "url": "https://bot.example.org/telegram/webhook/123456", "max_connections": 40,
                "allowed_updates": ["message", "callback_query", "pre_checkout_query", "my_chat_member"],
                "secret_token": "abc",
            }),
            json!({}),
            json!({"drop_pending_updates": true}),
        ]
    );
}

#[tokio::test]
async fn a_certificate_goes_beside_the_parameters_as_a_file() {
    let api = BotApi::start();
    let pem = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    client(&api).set_webhook(&token(), &webhook(), Some(pem.into())).await.unwrap();
    let call = api.calls().remove(0);
    assert_eq!(call.text("certificate"), pem);
    assert_eq!(call.text("allowed_updates"), json!(ALLOWED_UPDATES).to_string());
    assert_eq!((call.text("max_connections"), call.text("secret_token")), ("40", "abc"));
}

#[tokio::test]
async fn what_telegram_knows_of_a_webhook_is_read_with_all_that_it_leaves_out() {
    let api = BotApi::start();
    let info = client(&api).get_webhook_info(&token()).await.unwrap();
    assert_eq!((info.url.as_str(), info.pending_update_count, info.last_error_date), ("", 0, None));
}
