//! Keyboards: read by the Bot API server first, judged by Telegram's side then.

use super::Stand;

#[tokio::test]
async fn keyboards_that_telegram_refuses_are_refused_in_its_words() {
    let stand = Stand::new();
    let button = |rest: &str| format!(r#"{{"inline_keyboard":[[{{"text":"a"{rest}}}]]}}"#);
    let data = |letters: usize| button(&format!(r#","callback_data":"{}""#, "x".repeat(letters)));
    let many = format!(r#"{{"inline_keyboard":[[{}]]}}"#, [r#"{"text":"a","callback_data":"b"}"#; 101].join(","));
    let unreadable = "Bad Request: can't parse inline keyboard button: ";
    for (markup, expected) in [
        ("{".to_owned(), "Bad Request: can't parse reply keyboard markup JSON object".to_owned()),
        ("null".to_owned(), "Bad Request: object expected as reply markup".to_owned()),
        ("[]".to_owned(), "Bad Request: object expected as reply markup".to_owned()),
        (r#"{"inline_keyboard":"x"}"#.to_owned(), "Bad Request: field \"inline_keyboard\" must be of type Array".to_owned()),
        (
            r#"{"inline_keyboard":[{}]}"#.to_owned(),
            "Bad Request: field \"inline_keyboard\" of the InlineKeyboardMarkup must be an Array of Arrays".to_owned(),
        ),
        (r#"{"inline_keyboard":[[5]]}"#.to_owned(), format!("{unreadable}InlineKeyboardButton must be an Object")),
        (
            r#"{"inline_keyboard":[[{"callback_data":"x"}]]}"#.to_owned(),
            format!("{unreadable}Can't find field \"text\""),
        ),
        (
            r#"{"inline_keyboard":[[{"text":true}]]}"#.to_owned(),
            format!("{unreadable}Field \"text\" must be of type String"),
        ),
        (button(""), format!("{unreadable}Text buttons are unallowed in the inline keyboard")),
        (data(0), format!("{unreadable}Text buttons are unallowed in the inline keyboard")),
        (data(65), "Bad Request: BUTTON_DATA_INVALID".to_owned()),
        (
            button(r#","callback_data":"жжжжжжжжжжжжжжжжжжжжжжжжжжжжжжжжж""#),
            "Bad Request: BUTTON_DATA_INVALID".to_owned(),
        ),
        (
            button(r#","url":"not-a-url""#),
            "Bad Request: inline keyboard button URL 'not-a-url' is invalid: Wrong HTTP URL".to_owned(),
        ),
        (
            button(r#","url":"ftp://example.com""#),
            "Bad Request: inline keyboard button URL 'ftp://example.com' is invalid: Unsupported URL protocol".to_owned(),
        ),
        (
            button(r#","web_app":{"url":"http://example.com"}"#),
            "Bad Request: inline keyboard button Web App URL 'http://example.com' is invalid: Only HTTPS links are allowed"
                .to_owned(),
        ),
        (button(r#","pay":true"#), "Bad Request: BUTTON_TYPE_INVALID".to_owned()),
        (button(r#","callback_game":{}"#), "Bad Request: BUTTON_TYPE_INVALID".to_owned()),
        (button(r#","copy_text":{"text":""}"#), "Bad Request: BUTTON_COPY_TEXT_INVALID".to_owned()),
        (many, "Bad Request: reply markup is too long".to_owned()),
        (r#"{"force_reply":"yes"}"#.to_owned(), "Bad Request: field \"force_reply\" must be of type Boolean".to_owned()),
        (
            r#"{"keyboard":[[{"text":"a"}]],"one_time_keyboard":"yes"}"#.to_owned(),
            "Bad Request: field \"one_time_keyboard\" must be of type Boolean".to_owned(),
        ),
        (
            r#"{"keyboard":[[5]]}"#.to_owned(),
            "Bad Request: can't parse keyboard button: KeyboardButton must be a String or an Object".to_owned(),
        ),
    ] {
        let values = [("chat_id", &*stand.ann.to_string()), ("text", "x"), ("reply_markup", &*markup)];
        assert_eq!(stand.refusal("sendMessage", &values).await, expected, "{markup}");
    }
}

#[tokio::test]
async fn sixty_four_bytes_and_other_keyboards_are_taken() {
    let stand = Stand::new();
    let data = format!(r#"{{"inline_keyboard":[[{{"text":"a","callback_data":"{}"}}]]}}"#, "x".repeat(64));
    for markup in [&data, r#"{"keyboard":[["a"]]}"#, r#"{"remove_keyboard":true}"#, r#"{"inline_keyboard":[]}"#, "{}"] {
        let values = [("chat_id", &*stand.ann.to_string()), ("text", "x"), ("reply_markup", markup)];
        let sent = stand.done("sendMessage", &values).await;
        assert_eq!(sent.get("reply_markup").is_some(), markup == data, "{markup}");
    }
}
