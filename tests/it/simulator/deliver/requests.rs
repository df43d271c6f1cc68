//! What goes out, byte for byte (Telegram's `send_update`).

use super::stage::{Stage, surroundings};
use super::webhook::Webhook;
use tapgate::sandbox::deliver::{lives, queue_key};
use tapgate::sandbox::updates::NewUpdate;
use tapgate::telegram::id::ChatId;

#[tokio::test]
async fn a_request_has_telegrams_bytes() {
    let webhook = Webhook::opens().await;
    let url = format!("http://ann:xy@{}/hook?a=b c#d", webhook.address);
    let host = webhook.address;
    let mut stage = Stage::at(&url, Some("s3cret"), 40, surroundings(1), webhook);
    let object = br#"{"id":"1","data":"\u0410"}"#.to_vec();
    let update = NewUpdate {
        kind: "callback_query",
        object,
        queue: queue_key("callback_query", 7),
        lives: lives("callback_query"),
    };
    let id = stage.around.updates.push(update).unwrap();
    let request = stage.webhook.request().await;
    let body = format!("{{\"update_id\":{id},\n\"callback_query\":{{\"id\":\"1\",\"data\":\"\\u0410\"}}}}");
    let head = [
        "POST /hook?a=b%20c#d HTTP/1.1".to_owned(),
        format!("Host: {host}"),
        "Authorization: Basic YW5uOnh5".to_owned(),
        "X-Telegram-Bot-Api-Secret-Token: s3cret".to_owned(),
        "Content-Type: application/json".to_owned(),
        format!("Content-Length: {}", body.len()),
        "Connection: keep-alive".to_owned(),
        "Accept-Encoding: gzip, deflate".to_owned(),
    ];
    assert_eq!(request.head, head.join("\r\n"));
    assert_eq!(String::from_utf8(request.body.clone()).unwrap(), body);

    let shown = stage.last_row().request.text().into_owned();
    assert!(!shown.contains("s3cret") && !shown.contains("YW5uOnh5"), "{shown}");
    assert!(shown.ends_with(&body));
    request.accepts();
}

#[tokio::test]
async fn bytes_that_are_no_text_are_sent_as_they_are() {
    let mut stage = Stage::new(40).await;
    stage.around.updates.push(NewUpdate::poison(ChatId(7)));
    let request = stage.webhook.request().await;
    assert!(request.body.ends_with(b"\"data\":\"\xff\xfe\"}}"));
    assert_eq!(stage.last().queue, queue_key("callback_query", 7));
}

#[tokio::test]
async fn a_repeat_has_the_same_bytes() {
    let mut stage = Stage::new(40).await;
    stage.push("message", 7);
    let first = stage.webhook.request().await;
    let (head, body) = (first.head.clone(), first.body.clone());
    first.answers_status("500 Internal Server Error");
    let second = stage.webhook.request().await;
    assert_eq!((second.head, second.body), (head, body));
}

#[tokio::test]
async fn with_too_long_a_head_nothing_is_ever_sent() {
    let webhook = Webhook::opens().await;
    let url = format!("http://{}/{}", webhook.address, "a".repeat(4096));
    let stage = Stage::at(&url, None, 40, surroundings(1), webhook);
    stage.push("message", 7);
    stage.delivering.quiet().await;
    assert_eq!(stage.attempts().len(), 0);
    assert_eq!((stage.around.updates.pending(), stage.last_error()), (1, None), "and nothing tells");
}

#[tokio::test]
async fn update_ids_begin_anywhere_and_count_up() {
    let mut ids = Vec::new();
    for seed in 0..20 {
        let updates = surroundings(seed).updates;
        let first = updates.push(super::stage::update("message", 1)).unwrap();
        let second = updates.push(super::stage::update("message", 2)).unwrap();
        updates.drop_all();
        let third = updates.push(super::stage::update("message", 3)).unwrap();
        assert_eq!((second.0, third.0), (first.0 + 1, first.0 + 2), "numbering goes on when all is dropped");
        assert!((2_000_001..=1_000_000_000).contains(&first.0));
        ids.push(first);
    }
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 20);
}

#[tokio::test]
async fn what_telegram_cannot_store_is_discarded() {
    let updates = surroundings(1).updates;
    let of = |bytes: usize| NewUpdate { object: vec![b'x'; bytes], ..super::stage::update("message", 1) };
    let frame = r#""message":"#.len();
    assert!(updates.push(of(524_288 - frame)).is_some());
    assert!(updates.push(of(524_288 - frame + 1)).is_none(), "too long");
    for _ in 1..256 {
        assert!(updates.push(of(524_288 - frame)).is_some());
    }
    assert!(updates.push(of(0)).is_none(), "128 MiB are pending");
    updates.drop_all();
    for _ in 0..100_000 {
        assert!(updates.push(of(2)).is_some());
    }
    assert!(updates.push(of(2)).is_none(), "100,000 are pending");
}
