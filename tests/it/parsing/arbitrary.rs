//! Whatever bytes arrive, reading them ends well, and the two ways to read agree.

use proptest::collection::vec;
use proptest::prelude::*;
use tapgate::flow::event::read;
use tapgate::telegram::update::{Unreadable, envelope, parse};

const BODIES: [&str; 3] = [
    r#"{"update_id":10,"message":{"message_id":7,"from":{"id":5,"is_bot":false,"language_code":"ru"},"chat":{"id":5,"type":"private"},"date":1,"text":"/start@a \u043f\ud83d\ude00"}}"#,
    r#"{"update_id":10,"callback_query":{"id":"q","from":{"id":5},"message":{"message_id":7,"chat":{"id":5,"type":"private"},"date":0},"data":"a:b"}}"#,
    r#"{"update_id":10,"my_chat_member":{"chat":{"id":5,"type":"private"},"from":{"id":5},"date":1,"new_chat_member":{"status":"kicked"}}}"#,
];

fn check(body: &[u8]) {
    let envelope = envelope(body);
    match parse(body) {
        Ok(update) => {
            let envelope = envelope.expect("what is read has an envelope");
            assert_eq!((envelope.update, envelope.kind), (update.id, update.kind()));
            let _ = update.date();
            let _ = read(update, Some("a"));
        }
        Err(Unreadable::NotJson | Unreadable::NoUpdateId) => assert_eq!(envelope, None),
        Err(Unreadable::Undecodable) => assert!(envelope.is_some()),
        Err(Unreadable::NotUtf8) => assert!(str::from_utf8(body).is_err()),
    }
}

/// JSON with the names and values that updates have, in places where they may not be.
fn json() -> impl Strategy<Value = serde_json::Value> {
    let name = prop::sample::select(vec![
        "update_id",
        "message",
        "callback_query",
        "pre_checkout_query",
        "my_chat_member",
        "message_id",
        "chat",
        "from",
        "id",
        "type",
        "text",
        "caption",
        "date",
        "data",
        "status",
        "new_chat_member",
        "successful_payment",
    ]);
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        any::<f64>().prop_map(Into::into),
        prop::sample::select(vec!["private", "kicked", "/start", ""]).prop_map(Into::into),
    ];
    leaf.prop_recursive(4, 64, 8, move |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Into::into),
            vec((name.clone(), inner), 0..6).prop_map(|fields| {
                fields
                    .into_iter()
                    .map(|(name, value)| (name.to_owned(), value))
                    .collect::<serde_json::Map<_, _>>()
                    .into()
            }),
        ]
    })
}

proptest! {
    #[test]
    fn arbitrary_bytes_never_panic(body in vec(any::<u8>(), 0..200)) {
        check(&body);
    }

    #[test]
    fn updates_with_bytes_changed_never_panic(
        body in prop::sample::select(BODIES.to_vec()),
        changes in vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let mut body = body.as_bytes().to_vec();
        for (place, byte) in changes {
            let place = place.index(body.len());
            body[place] = byte;
        }
        check(&body);
    }

    #[test]
    fn updates_cut_short_are_not_json(body in prop::sample::select(BODIES.to_vec()), end in any::<prop::sample::Index>()) {
        let cut = &body.as_bytes()[..end.index(body.len())];
        check(cut);
        prop_assert_eq!(parse(cut).map(|update| update.id), Err(Unreadable::NotJson));
    }

    #[test]
    fn updates_of_the_wrong_shape_never_panic(content in json()) {
        let mut body = serde_json::json!({ "update_id": 10 });
        if let serde_json::Value::Object(fields) = content {
            body.as_object_mut().unwrap().extend(fields);
        }
        check(body.to_string().as_bytes());
    }
}
