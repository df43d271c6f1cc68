//! Presses: the query that goes out, its one answer, its window.

use super::Stand;
use super::stand::id;
use std::time::Duration;
use tapgate::sandbox::world::{ANSWER_WINDOW, Impossible, Pressed, Which};
use tapgate::telegram::id::MessageId;

const TOO_OLD: &str = "Bad Request: query is too old and response timeout expired or query ID is invalid";
const KEYBOARD: &str =
    r#"{"inline_keyboard":[[{"text":"Buy","callback_data":"b/é"},{"text":"Go","url":"https://example.com/"}]]}"#;

async fn shop(stand: &Stand) -> MessageId {
    let values = [("chat_id", &*stand.ann.to_string()), ("text", "Shop"), ("reply_markup", KEYBOARD)];
    id(&stand.done("sendMessage", &values).await)
}

fn press(stand: &Stand, message: MessageId) -> String {
    match stand.world.presses(stand.ann, message, Which::Labelled("Buy")).unwrap() {
        Pressed::Query { id } => id,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_press_is_answered_once_and_in_time() {
    let stand = Stand::new();
    let message = shop(&stand).await;
    let query = press(&stand, message);
    assert_eq!(stand.chat().waiting.len(), 1);
    stand.clock.advance(ANSWER_WINDOW);
    let long = "x".repeat(201);
    for (values, expected) in [
        (vec![("callback_query_id", "5")], TOO_OLD),
        (vec![("callback_query_id", "junk")], TOO_OLD),
        (vec![("callback_query_id", &*query), ("text", &*long)], "Bad Request: MESSAGE_TOO_LONG"),
        (vec![("callback_query_id", &*query), ("url", "https://example.com")], "Bad Request: URL_INVALID"),
    ] {
        assert_eq!(stand.refusal("answerCallbackQuery", &values).await, expected, "{values:?}");
    }
    let values = [("callback_query_id", &*query), ("text", "Sold"), ("show_alert", "1")];
    stand.done("answerCallbackQuery", &values).await;
    assert_eq!(stand.refusal("answerCallbackQuery", &values).await, TOO_OLD, "once");
    let chat = stand.chat();
    assert_eq!(chat.waiting, []);
    let notice = &chat.notices[0];
    assert_eq!((notice.message, notice.text.as_str(), notice.alert), (message, "Sold", true));

    let late = press(&stand, message);
    stand.clock.advance(ANSWER_WINDOW + Duration::from_millis(1));
    assert_eq!(stand.refusal("answerCallbackQuery", &[("callback_query_id", &late)]).await, TOO_OLD);
    assert_eq!(stand.chat().waiting, []);
}

#[tokio::test]
async fn a_query_is_written_field_by_field_as_telegram_does() {
    let stand = Stand::new();
    let message = shop(&stand).await;
    let query = press(&stand, message);
    let (kind, object) = stand.last_update();
    assert_eq!(kind, "callback_query");
    let instance =
        serde_json::from_str::<serde_json::Value>(&object).unwrap()["chat_instance"].as_str().unwrap().to_owned();
    assert_eq!(
        object,
        format!(
            r#"{{"id":"{query}","from":{{"id":7100000001,"is_bot":false,"first_name":"Ann","language_code":"en"}},"message":{{"message_id":2,"from":{{"id":4100000001,"is_bot":true,"first_name":"Helper","username":"helper_bot"}},"chat":{{"id":7100000001,"first_name":"Ann","type":"private"}},"date":1780000000,"text":"Shop","reply_markup":{{"inline_keyboard":[[{{"text":"Buy","callback_data":"b/\u00e9"}},{{"text":"Go","url":"https://example.com/"}}]]}}}},"chat_instance":"{instance}","data":"b/\u00e9"}}"#
        )
    );
    let pending = stand.pending().pop().unwrap();
    assert_eq!(pending.queue, stand.ann.0 + 3 * (1 << 33));
}

#[tokio::test]
async fn a_press_under_a_message_that_is_gone_has_nothing_but_its_place() {
    let stand = Stand::new();
    let message = shop(&stand).await;
    let values = [("chat_id", &*stand.ann.to_string()), ("message_id", &*message.to_string())];
    stand.done("deleteMessage", &values).await;
    stand.world.presses(stand.ann, message, Which::Data("old")).unwrap();
    let (_, object) = stand.last_update();
    let gone = r#""message":{"message_id":2,"chat":{"id":7100000001,"first_name":"Ann","type":"private"},"date":0}"#;
    assert!(object.contains(gone), "{object}");
}

#[tokio::test]
async fn buttons_are_found_by_place_and_label_and_others_are_not_there() {
    let stand = Stand::new();
    let message = shop(&stand).await;
    let at = |row, column| stand.world.presses(stand.ann, message, Which::At { row, column });
    assert!(matches!(at(0, 0), Ok(Pressed::Query { .. })));
    assert_eq!(at(0, 1), Ok(Pressed::Link("https://example.com/".to_owned())));
    assert_eq!(at(1, 0), Err(Impossible::NoButton(message)));
    let none = MessageId(999);
    assert_eq!(stand.world.presses(stand.ann, none, Which::Data("x")), Err(Impossible::NoMessage(none)));
    stand.world.blocks(stand.ann).unwrap();
    assert_eq!(at(0, 0), Err(Impossible::Blocked));
}
