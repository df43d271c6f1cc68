//! Edits: what can become what, and what is no change.

use super::stand::{id, parameters};
use super::{NOT_MODIFIED, Stand};

const KEYBOARD: &str = r#"{"inline_keyboard":[[{"text":"a","callback_data":"b"}]]}"#;
const OTHER: &str = r#"{"inline_keyboard":[[{"text":"a","callback_data":"c"}]]}"#;

#[tokio::test]
async fn an_edit_that_changes_nothing_is_refused() {
    let stand = Stand::new();
    let ann = stand.ann.to_string();
    let text = [("chat_id", &*ann), ("text", "<b>x</b>"), ("parse_mode", "HTML"), ("reply_markup", KEYBOARD)];
    let message = id(&stand.done("sendMessage", &text).await).to_string();
    let at = [("chat_id", &*ann), ("message_id", &*message)];
    let with = |more: &[(&'static str, &'static str)]| [&at[..], more].concat();
    let (same, bold) = (("reply_markup", KEYBOARD), [("text", " <b>x</b> "), ("parse_mode", "HTML")]);

    assert_eq!(stand.refusal("editMessageText", &with(&[bold[0], bold[1], same])).await, NOT_MODIFIED);
    assert_eq!(stand.refusal("editMessageReplyMarkup", &with(&[same])).await, NOT_MODIFIED);
    stand.done("editMessageReplyMarkup", &with(&[("reply_markup", OTHER)])).await;
    stand.done("editMessageText", &with(&[("text", "x"), ("reply_markup", OTHER)])).await;
    // Left out, the keyboard goes.
    let edited = stand.done("editMessageText", &with(&[("text", "x")])).await;
    assert_eq!(edited.get("reply_markup"), None);
    assert_eq!(edited["edit_date"], 1_780_000_000);
    assert_eq!(stand.refusal("editMessageReplyMarkup", &with(&[])).await, NOT_MODIFIED);
}

#[tokio::test]
async fn what_cannot_be_edited_is_refused_in_telegrams_words() {
    let stand = Stand::new();
    let ann = stand.ann.to_string();
    let own = stand.sent("x").await.to_string();
    let reply_keyboard = [("chat_id", &*ann), ("text", "x"), ("reply_markup", r#"{"keyboard":[["a"]]}"#)];
    let fixed = id(&stand.done("sendMessage", &reply_keyboard).await).to_string();
    for (values, expected) in [
        (vec![("text", "y")], "Bad Request: message identifier is not specified"),
        (vec![("inline_message_id", "abc"), ("text", "y")], "Bad Request: MESSAGE_ID_INVALID"),
        (vec![("message_id", &*own), ("text", "y")], "Bad Request: chat_id is empty"),
        (vec![("chat_id", "5"), ("message_id", &*own), ("text", "y")], "Bad Request: chat not found"),
        (vec![("chat_id", &*ann), ("text", "y")], "Bad Request: message to edit not found"),
        (vec![("chat_id", &*ann), ("message_id", "999"), ("text", "y")], "Bad Request: message to edit not found"),
        (vec![("chat_id", &*ann), ("message_id", "1"), ("text", "y")], "Bad Request: message can't be edited"),
        (vec![("chat_id", &*ann), ("message_id", &*fixed), ("text", "y")], "Bad Request: message can't be edited"),
        (vec![("chat_id", &*ann), ("message_id", &*own)], "Bad Request: message text is empty"),
        (
            vec![("chat_id", &*ann), ("message_id", &*own), ("text", "y"), ("reply_markup", r#"{"force_reply":true}"#)],
            "Bad Request: inline keyboard expected",
        ),
    ] {
        assert_eq!(stand.refusal("editMessageText", &values).await, expected, "{values:?}");
    }
}

#[tokio::test]
async fn a_text_can_become_a_photo_and_a_photo_no_text() {
    let stand = Stand::new();
    let ann = stand.ann.to_string();
    let message = stand.sent("x").await.to_string();
    let at = [("chat_id", &*ann), ("message_id", &*message)];
    let with = |more: &[(&'static str, &'static str)]| [&at[..], more].concat();

    assert_eq!(
        stand.refusal("editMessageCaption", &with(&[("caption", "y")])).await,
        "Bad Request: there is no caption in the message to edit"
    );
    let media = r#"{"type":"photo","media":"https://example.com/a.jpg","caption":"<i>y</i>","parse_mode":"HTML"}"#;
    stand.done("editMessageMedia", &with(&[("media", media)])).await;
    assert_eq!(stand.seen()[1], "[photo] <i>y</i>");
    assert_eq!(stand.refusal("editMessageMedia", &with(&[("media", media)])).await, NOT_MODIFIED);
    assert_eq!(
        stand.refusal("editMessageText", &with(&[("text", "z")])).await,
        "Bad Request: there is no text in the message to edit"
    );
    stand.done("editMessageCaption", &with(&[("caption", "z")])).await;
    assert_eq!(stand.seen()[1], "[photo] z");

    for (media, expected) in [
        ("", "Bad Request: parameter \"media\" is required"),
        ("{", "Bad Request: can't parse input media JSON object"),
        ("[]", "Bad Request: can't parse InputMedia: expected an Object"),
        (r#"{"type":"photo"}"#, "Bad Request: can't parse InputMedia: media not found"),
        (r#"{"media":"https://example.com/a.jpg"}"#, "Bad Request: can't parse InputMedia: Can't find field \"type\""),
        (r#"{"type":"photo","media":"attach://none"}"#, "Bad Request: can't parse InputMedia: media not found"),
    ] {
        let values = [("chat_id", &*ann), ("message_id", &*message), ("media", media)];
        assert_eq!(stand.refusal("editMessageMedia", &values).await, expected, "{media}");
    }
}

#[tokio::test]
async fn an_uploaded_picture_takes_the_place_of_another() {
    let stand = Stand::new();
    let message = stand.sent("x").await.to_string();
    let mut call = parameters(&[
        ("chat_id", &stand.ann.to_string()),
        ("message_id", &message),
        ("media", r#"{"type":"photo","media":"attach://picture"}"#),
    ]);
    call.files.push(super::stand::file("picture", super::photos::PNG));
    assert_eq!(stand.answer("editMessageMedia", call).await.status, 200);
    assert_eq!(stand.seen()[1], "[photo] ");
}
