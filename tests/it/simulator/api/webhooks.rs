//! setWebhook with its order and its trap, deleteWebhook, getWebhookInfo.

use super::Stand;
use super::stand::{file, parameters};
use serde_json::{Value, json};
use std::time::Duration;
use tapgate::sandbox::api::Mode;

const URL: &str = "http://127.0.0.1:9/telegram/webhook/1";

/// Calls setWebhook when it may be called again.
async fn set(stand: &Stand, values: &[(&str, &str)]) -> Value {
    stand.clock.advance(Duration::from_secs(1));
    stand.call("setWebhook", values).await
}

async fn url(stand: &Stand) -> String {
    stand.done("getWebhookInfo", &[]).await["url"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn set_unchanged_deleted_and_nothing_to_delete_are_told_apart() {
    let stand = Stand::new();
    let said = |description: &str| json!({"ok": true, "result": true, "description": description});
    assert_eq!(set(&stand, &[("url", URL)]).await, said("Webhook was set"));
    assert_eq!(set(&stand, &[("url", URL)]).await, said("Webhook is already set"));
    for other in
        [("max_connections", "7"), ("secret_token", "s"), ("drop_pending_updates", "yes"), ("certificate", "x")]
    {
        assert_eq!(set(&stand, &[("url", URL), other]).await, said("Webhook was set"), "{other:?}");
    }
    assert_eq!(stand.call("deleteWebhook", &[]).await, said("Webhook was deleted"));
    assert_eq!(stand.call("deleteWebhook", &[]).await, said("Webhook is already deleted"));
    assert_eq!(set(&stand, &[("url", "")]).await, said("Webhook is already deleted"));
}

#[tokio::test]
async fn a_refused_set_webhook_leaves_the_bot_with_none() {
    let stand = Stand::with(Mode::Public);
    let long = "x".repeat(257);
    for (values, expected) in [
        (vec![("url", "http://")], "invalid webhook URL specified"),
        (vec![("url", "https://example.com/x"), ("secret_token", &*long)], "secret token is too long"),
        (vec![("url", "https://example.com/x"), ("secret_token", "a b")], "secret token contains unallowed characters"),
        (vec![("url", "http://example.com/x")], "bad webhook: An HTTPS URL must be provided for webhook"),
        (
            vec![("url", "https://example.com:8080/x")],
            "bad webhook: Webhook can be set up only on ports 80, 88, 443 or 8443",
        ),
        (vec![("url", "https://127.0.0.1/x")], "bad webhook: IP address 127.0.0.1 is reserved"),
        (
            vec![("url", "https://example.com/x"), ("ip_address", "10.1.2.3")],
            "bad webhook: IP address 10.1.2.3 is reserved",
        ),
        (
            vec![("url", "https://example.com/x"), ("ip_address", "nowhere")],
            "bad webhook: Invalid IP address specified",
        ),
        (vec![("url", "https://[2001:db8::1]/x")], "bad webhook: IPv6-only addresses are not allowed"),
    ] {
        assert_eq!(set(&stand, &[("url", "https://example.com/before")]).await["ok"], true);
        assert_eq!(url(&stand).await, "https://example.com/before");
        let answer = set(&stand, &values).await;
        assert_eq!(answer["description"], format!("Bad Request: {expected}"), "{values:?}");
        assert_eq!(url(&stand).await, "", "the trap: {values:?}");
    }
}

#[tokio::test]
async fn a_certificate_has_a_size() {
    let stand = Stand::new();
    let mut call = parameters(&[("url", URL)]);
    call.files.push(file("certificate", b"-----BEGIN CERTIFICATE-----"));
    assert!(stand.answer("setWebhook", call.clone()).await.body.contains("Webhook was set"));
    assert_eq!(stand.done("getWebhookInfo", &[]).await["has_custom_certificate"], true);
    stand.clock.advance(Duration::from_secs(1));
    assert!(stand.answer("setWebhook", call).await.body.contains("Webhook was set"), "every call with one starts anew");

    stand.clock.advance(Duration::from_secs(1));
    let mut large = parameters(&[("url", URL)]);
    large.files.push(file("certificate", &[b'x'; 3 * 1024 * 1024 + 1]));
    let refused = stand.answer("setWebhook", large).await.body;
    assert!(refused.contains("Bad Request: certificate size is too big (3145729 bytes)"), "{refused}");
}

#[tokio::test]
async fn one_set_webhook_a_second() {
    let stand = Stand::new();
    assert_eq!(stand.call("setWebhook", &[("url", URL)]).await["ok"], true);
    let second = stand.answer("setWebhook", parameters(&[("url", URL)])).await;
    assert_eq!((second.status, second.retry_after), (429, Some(1)));
    assert_eq!(url(&stand).await, URL, "the webhook stays");
}

#[tokio::test]
async fn dropping_empties_the_queue_even_where_the_rest_is_refused() {
    let stand = Stand::with(Mode::Public);
    assert_eq!(stand.pending().len(), 1);
    set(&stand, &[("url", "http://example.com"), ("drop_pending_updates", "1")]).await;
    assert_eq!(stand.pending().len(), 0);
    stand.world.says(stand.ann, "x").unwrap();
    stand.call("deleteWebhook", &[]).await;
    assert_eq!(stand.pending().len(), 1, "kept unless dropped");
    stand.call("deleteWebhook", &[("drop_pending_updates", "true")]).await;
    assert_eq!(stand.pending().len(), 0);
}

#[tokio::test]
async fn the_info_has_telegrams_fields_in_telegrams_order() {
    let stand = Stand::with(Mode::Public);
    let info = async || stand.answer("getWebhookInfo", parameters(&[])).await.body;
    assert_eq!(
        info().await,
        r#"{"ok":true,"result":{"url":"","has_custom_certificate":false,"pending_update_count":1}}"#
    );
    let ip =
        [("url", "https://example.com/x"), ("ip_address", "8.8.4.4"), ("allowed_updates", r#"["message","nothing"]"#)];
    set(&stand, &ip).await;
    assert_eq!(
        info().await,
        r#"{"ok":true,"result":{"url":"https://example.com/x","has_custom_certificate":false,"pending_update_count":1,"max_connections":40,"ip_address":"8.8.4.4","allowed_updates":["message"]}}"#
    );
    // Absent, what is allowed stays; all that is known, it is the default.
    set(&stand, &[("url", "https://example.com/y"), ("max_connections", "1000")]).await;
    assert!(info().await.contains(r#""max_connections":100,"ip_address":"<unknown>","allowed_updates":["message"]"#));
    set(&stand, &[("url", "https://example.com/y"), ("max_connections", "many"), ("allowed_updates", "[]")]).await;
    assert!(info().await.ends_with(r#""max_connections":1,"ip_address":"<unknown>"}}"#), "{}", info().await);
}
