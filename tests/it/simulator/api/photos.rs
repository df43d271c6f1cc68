//! Photos by URL, by id, uploaded.

use super::Stand;
use super::stand::{file, parameters};

/// The head of a picture of 40 × 30.
pub const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x28\0\0\0\x1e\x08\x02\0\0\0";

#[tokio::test]
async fn photos_that_telegram_refuses_are_refused_in_its_words() {
    let stand = Stand::new();
    let ann = stand.ann.to_string();
    let long = "x".repeat(1025);
    for (values, expected) in [
        (vec![], "Bad Request: there is no photo in the request"),
        (vec![("photo", "attach://none")], "Bad Request: there is no photo in the request"),
        (
            vec![("photo", "no such id!")],
            "Bad Request: wrong remote file identifier specified: Wrong character in the string",
        ),
        (
            vec![("photo", "AgACAgIAAxkDunknown")],
            "Bad Request: wrong remote file identifier specified: can't unserialize it. Wrong last symbol",
        ),
        (vec![("photo", "http://127.0.0.1/a.jpg")], "Bad Request: failed to get HTTP URL content"),
        (vec![("photo", "https://gone.invalid/a.jpg")], "Bad Request: failed to get HTTP URL content"),
        (vec![("photo", "https://example.com/page.html")], "Bad Request: wrong type of the web page content"),
        (vec![("photo", "https://example.com/a.jpg"), ("caption", &*long)], "Bad Request: message caption is too long"),
    ] {
        let values = [vec![("chat_id", &*ann)], values].concat();
        assert_eq!(stand.refusal("sendPhoto", &values).await, expected, "{values:?}");
    }
}

#[tokio::test]
async fn an_upload_has_sizes_and_can_be_sent_again_by_id() {
    let stand = Stand::new();
    let ann = stand.ann.to_string();
    let mut call = parameters(&[("chat_id", &ann), ("caption", "ж".repeat(1024).as_str())]);
    call.files.push(file("photo", PNG));
    let answer = stand.answer("sendPhoto", call).await;
    let sent: serde_json::Value = serde_json::from_str(&answer.body).unwrap();
    let largest = &sent["result"]["photo"][0];
    assert_eq!((&largest["width"], &largest["height"]), (&40.into(), &30.into()));
    let again = stand.done("sendPhoto", &[("chat_id", &ann), ("photo", largest["file_id"].as_str().unwrap())]).await;
    assert_eq!(&again["photo"][0], largest);

    let mut no_picture = parameters(&[("chat_id", &ann)]);
    no_picture.files.push(file("photo", b"hello"));
    let answer = stand.answer("sendPhoto", no_picture).await;
    assert!(answer.body.contains("Bad Request: IMAGE_PROCESS_FAILED"), "{}", answer.body);
}
