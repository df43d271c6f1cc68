//! Texts: what is refused, in which words, and what is left of what is taken.

use super::Stand;

#[tokio::test]
async fn texts_that_telegram_refuses_are_refused_in_its_words() {
    let stand = Stand::new();
    let ann = stand.ann.to_string();
    let (long, raw) = ("ж".repeat(4097), "x".repeat(32_769));
    for (values, expected) in [
        (vec![("chat_id", "0")], "Bad Request: message text is empty"),
        (vec![("chat_id", &*ann), ("text", "")], "Bad Request: message text is empty"),
        (vec![("chat_id", &*ann), ("text", " \n ")], "Bad Request: text must be non-empty"),
        (vec![("chat_id", &*ann), ("text", "<b> </b>"), ("parse_mode", "HTML")], "Bad Request: text must be non-empty"),
        (vec![("chat_id", &*ann), ("text", &*long)], "Bad Request: message is too long"),
        (vec![("chat_id", &*ann), ("text", &*raw)], "Bad Request: text is too long"),
        (vec![("chat_id", &*ann), ("text", "x"), ("parse_mode", "INVALID")], "Bad Request: unsupported parse_mode"),
        (
            vec![("chat_id", &*ann), ("text", "<script>"), ("parse_mode", "html")],
            "Bad Request: can't parse entities: Unsupported start tag \"script\" at byte offset 0",
        ),
        (
            vec![("chat_id", &*ann), ("text", "ж<b>x"), ("parse_mode", "HTML")],
            "Bad Request: can't parse entities: Can't find end tag corresponding to start tag \"b\"",
        ),
        (
            vec![("chat_id", &*ann), ("text", "ж<b><i>x</b></i>"), ("parse_mode", "HTML")],
            "Bad Request: can't parse entities: Unmatched end tag at byte offset 9, expected \"</i>\", found \"</b>\"",
        ),
        (
            vec![("chat_id", &*ann), ("text", "hello"), ("entities", r#"[{"type":"bold","offset":100,"length":1}]"#)],
            "Bad Request: entity begins after the end of the text at UTF-16 offset 100",
        ),
        (
            vec![("chat_id", &*ann), ("text", "hello"), ("entities", r#"[{"type":"nothing","offset":0,"length":1}]"#)],
            "Bad Request: can't parse MessageEntity: Unsupported type specified",
        ),
        (
            vec![("chat_id", &*ann), ("text", "x"), ("message_effect_id", "9999999999999999999")],
            "Bad Request: EFFECT_ID_INVALID",
        ),
        (
            vec![("chat_id", &*ann), ("text", "x"), ("allow_paid_broadcast", "True")],
            "Bad Request: FLOODSKIP_NOT_ALLOWED",
        ),
        (vec![("chat_id", &*ann), ("text", "x"), ("message_thread_id", "9")], "Bad Request: message thread not found"),
        (
            vec![("chat_id", &*ann), ("text", "x"), ("business_connection_id", "x")],
            "Bad Request: business connection not found",
        ),
        (
            vec![("chat_id", &*ann), ("text", "x"), ("reply_parameters", r#"{"message_id":999}"#)],
            "Bad Request: message to be replied not found",
        ),
        (
            vec![("chat_id", &*ann), ("text", "x"), ("reply_parameters", r#"{"quote":"x"}"#)],
            "Bad Request: can't find field \"message_id\"",
        ),
    ] {
        assert_eq!(stand.refusal("sendMessage", &values).await, expected, "{values:?}");
    }
    assert_eq!(stand.seen(), ["/start"], "nothing of it was sent");
}

#[tokio::test]
async fn lengths_count_letters_after_parsing() {
    let stand = Stand::new();
    let most = format!("<b>{}</b>", "ж".repeat(4096));
    let sent = stand
        .done("sendMessage", &[("chat_id", &stand.ann.to_string()), ("text", &most), ("parse_mode", "HTML")])
        .await;
    assert_eq!(sent["text"].as_str().unwrap().chars().count(), 4096);
    assert_eq!(sent["entities"][0]["length"], 4096);
}

#[tokio::test]
async fn a_message_is_answered_field_by_field_as_telegram_writes_it() {
    let stand = Stand::new();
    let answer = stand
        .answer(
            "sendMessage",
            super::stand::parameters(&[
                ("chat_id", &stand.ann.to_string()),
                ("text", "<b>Ж</b> /help"),
                ("parse_mode", "HTML"),
                ("reply_markup", r#"{"inline_keyboard":[[{"text":"ё","callback_data":"a/b"}]]}"#),
                ("reply_to_message_id", "1"),
            ]),
        )
        .await;
    assert_eq!(
        answer.body,
        r#"{"ok":true,"result":{"message_id":2,"from":{"id":4100000001,"is_bot":true,"first_name":"Helper","username":"helper_bot"},"chat":{"id":7100000001,"first_name":"Ann","type":"private"},"date":1780000000,"reply_to_message":{"message_id":1,"from":{"id":7100000001,"is_bot":false,"first_name":"Ann","language_code":"en"},"chat":{"id":7100000001,"first_name":"Ann","type":"private"},"date":1780000000,"text":"/start","entities":[{"offset":0,"length":6,"type":"bot_command"}]},"text":"\u0416 /help","entities":[{"offset":0,"length":1,"type":"bold"},{"offset":2,"length":5,"type":"bot_command"}],"reply_markup":{"inline_keyboard":[[{"text":"\u0451","callback_data":"a/b"}]]}}}"#
    );
}

#[tokio::test]
async fn markdown_is_refused_rather_than_half_understood() {
    let stand = Stand::new();
    let values = [("chat_id", &*stand.ann.to_string()), ("text", "*x*"), ("parse_mode", "MarkdownV2")];
    let refusal = stand.refusal("sendMessage", &values).await;
    assert!(refusal.contains("the sandbox does not parse Markdown"), "{refusal}");
}
