//! What is an update, what is not, and what is known of it either way.

use tapgate::telegram::id::UpdateId;
use tapgate::telegram::update::{Content, Envelope, Kind, Unreadable, envelope, parse};

const TEXT: &str = r#""message":{"message_id":7,"from":{"id":5,"is_bot":false,"first_name":"Ann"},"chat":{"id":5,"type":"private"},"date":1700000000,"text":"hi"}"#;

fn update(rest: &str) -> String {
    format!("{{\"update_id\":10,\n{rest}}}")
}

#[track_caller]
fn is_unreadable(body: &[u8], reason: Unreadable, id: Option<i64>) {
    assert_eq!(parse(body).map(|update| update.id), Err(reason));
    assert_eq!(envelope(body).map(|envelope| envelope.update), id.map(UpdateId));
}

#[test]
fn each_kind_that_is_read_is_told_by_its_envelope() {
    let query = r#"{"id":"q","from":{"id":5,"first_name":""}}"#;
    let checkout = r#"{"id":"q","from":{"id":5},"currency":"XTR","total_amount":50,"invoice_payload":"ten"}"#;
    let change = r#"{"chat":{"id":5,"type":"private"},"from":{"id":5},"date":1,"new_chat_member":{"status":"member"}}"#;
    for (body, kind) in [
        (update(TEXT), Kind::Message),
        (update(&format!("\"callback_query\":{query}")), Kind::CallbackQuery),
        (update(&format!("\"pre_checkout_query\":{checkout}")), Kind::PreCheckoutQuery),
        (update(&format!("\"my_chat_member\":{change}")), Kind::MyChatMember),
        (update(r#""edited_message":{"message_id":1}"#), Kind::Other),
        (update(r#""kind_of_the_future":[1,{"a":null}]"#), Kind::Other),
        (r#"{"update_id":10}"#.to_owned(), Kind::Other),
    ] {
        assert_eq!(envelope(body.as_bytes()), Some(Envelope { update: UpdateId(10), kind }), "{body}");
        assert_eq!(parse(body.as_bytes()).map(|update| update.kind()), Ok(kind), "{body}");
    }
}

#[test]
fn a_date_is_known_of_what_has_one() {
    assert_eq!(parse(update(TEXT).as_bytes()).unwrap().date(), Some(1_700_000_000));
    assert_eq!(parse(update(r#""poll":{}"#).as_bytes()).unwrap().date(), None);
}

#[test]
fn escaped_letters_and_surrogate_pairs_are_read() {
    let body = update(&TEXT.replace("\"hi\"", r#""\u043f\u0440\u0438\u0432\u0435\u0442 \ud83d\ude00 \"\\ \u0007""#));
    let Content::Message(message) = parse(body.as_bytes()).unwrap().content else { panic!("no message") };
    assert_eq!(message.text.as_deref(), Some("привет 😀 \"\\ \u{7}"));
}

#[test]
fn plain_strings_stay_borrowed() {
    let body = update(TEXT);
    let Content::Message(message) = parse(body.as_bytes()).unwrap().content else { panic!("no message") };
    assert!(matches!(message.text, Some(std::borrow::Cow::Borrowed("hi"))));
}

#[test]
fn names_of_fields_may_be_escaped() {
    let body = update(TEXT).replace("update_id", r"update\u005fid");
    assert_eq!(envelope(body.as_bytes()), Some(Envelope { update: UpdateId(10), kind: Kind::Message }));
    assert!(parse(body.as_bytes()).is_ok());
}

#[test]
fn a_null_is_an_absent_field() {
    let body = update(
        r#""message":{"message_id":7,"from":{"id":5,"is_bot":null,"language_code":null},"chat":{"id":5,"type":"private"},
        "date":null,"text":null,"caption":null,"successful_payment":null,"reply_markup":null},"callback_query":null"#,
    );
    assert_eq!(envelope(body.as_bytes()).map(|envelope| envelope.kind), Some(Kind::Message));
    let Content::Message(message) = parse(body.as_bytes()).unwrap().content else { panic!("no message") };
    assert!(message.text.is_none() && message.successful_payment.is_none());
}

#[test]
fn several_kinds_at_once_are_nothing_that_is_read() {
    let body = update(&format!("{TEXT},\"callback_query\":{{\"id\":\"q\",\"from\":{{\"id\":5}}}}"));
    assert_eq!(envelope(body.as_bytes()), Some(Envelope { update: UpdateId(10), kind: Kind::Other }));
    assert_eq!(parse(body.as_bytes()).unwrap().content, Content::Other);
    let twice = update(&format!("{TEXT},{TEXT}"));
    assert_eq!(parse(twice.as_bytes()).unwrap().content, Content::Other);
}

#[test]
fn raw_bytes_in_callback_data_are_not_utf8_and_do_not_hide_the_id() {
    let mut body = br#"{"update_id":10,"callback_query":{"id":"q","from":{"id":5},"data":""#.to_vec();
    body.extend([0xff, 0xfe, b'x']);
    body.extend(br#""}}"#);
    is_unreadable(&body, Unreadable::NotUtf8, Some(10));
    assert_eq!(envelope(&body).map(|envelope| envelope.kind), Some(Kind::CallbackQuery));
}

#[test]
fn what_is_not_json_is_told() {
    for body in ["", " ", "{", "not json", r#"{"update_id":10"#, r#"{"update_id":10}{"update_id":11}"#, "\u{feff}{}"] {
        is_unreadable(body.as_bytes(), Unreadable::NotJson, None);
    }
}

#[test]
fn an_update_without_one_integer_id_is_told() {
    for body in [
        "{}",
        "[]",
        "[10]",
        "null",
        r#"{"update_id":null}"#,
        r#"{"update_id":"10"}"#,
        r#"{"update_id":10.5}"#,
        r#"{"update_id":99999999999999999999}"#,
        r#"{"update_id":10,"update_id":11}"#,
    ] {
        is_unreadable(body.as_bytes(), Unreadable::NoUpdateId, None);
    }
}

#[test]
fn a_known_kind_that_does_not_decode_is_told_with_its_id() {
    for rest in [
        r#""message":{"message_id":1}"#,
        r#""message":{"some fields are missing":true}"#,
        r#""message":[1,2]"#,
        r#""message":"text""#,
        r#""message":{"message_id":1,"chat":[5,"private"]}"#,
        r#""message":{"message_id":1,"chat":{"id":"5","type":"private"}}"#,
        r#""message":{"message_id":1,"chat":{"id":5,"type":"private"},"text":5}"#,
        r#""message":{"message_id":1,"chat":{"id":5,"type":"private"},"text":"\ud83d"}"#,
        r#""message":{"message_id":1,"chat":{"id":5,"type":"private"},"text":"a","text":"b"}"#,
        r#""callback_query":{"id":5,"from":{"id":5}}"#,
        r#""callback_query":{"id":"q"}"#,
        r#""pre_checkout_query":{}"#,
        r#""my_chat_member":{"chat":{"id":5,"type":"private"},"from":{"id":5}}"#,
    ] {
        is_unreadable(update(rest).as_bytes(), Unreadable::Undecodable, Some(10));
    }
}

#[test]
fn depth_is_harmless_where_nothing_is_read() {
    let deep = format!("{}{}", "[".repeat(200_000), "]".repeat(200_000));
    let body = update(&format!("\"future\":{deep}"));
    assert_eq!(parse(body.as_bytes()).map(|update| update.kind()), Ok(Kind::Other));
    let body = update(&TEXT.replace("\"hi\"", &format!("\"hi\",\"future\":{deep}")));
    assert_eq!(parse(body.as_bytes()).map(|update| update.kind()), Ok(Kind::Message));
    is_unreadable(&body.as_bytes()[..100_000], Unreadable::NotJson, None);
    is_unreadable("[".repeat(500_000).as_bytes(), Unreadable::NotJson, None);
    is_unreadable(update(&format!("\"message\":{deep}")).as_bytes(), Unreadable::Undecodable, Some(10));
}
