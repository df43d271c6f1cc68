//! Whatever is in the row and whatever happens: `decide` and `render` end well.

use super::flow;
use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use std::borrow::Cow;
use tapgate::clock::Timestamp;
use tapgate::flow::chat::{Chat, Desired, Frame, Generation, Revision, Shown, Version, View};
use tapgate::flow::decision::Job;
use tapgate::flow::event::{Event, Happened};
use tapgate::flow::{Flow, decide};
use tapgate::telegram::id::{ChatId, MessageId};
use tapgate::telegram::keyboard::{ButtonAction, CALLBACK_DATA_MAX_BYTES};
use tapgate::telegram::text::{TEXT_MAX_CHARS, visible_chars};

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => prop::sample::select(vec!["home", "pets", "walk", "shop", "busy", "gone", "pet", "note", "start", ""])
            .prop_map(str::to_owned),
        1 => any::<String>(),
    ]
}

fn value() -> impl Strategy<Value = String> {
    prop_oneof![Just("cat".to_owned()), any::<String>(), (0usize..6000).prop_map(|length| "<".repeat(length))]
}

fn frame() -> impl Strategy<Value = Frame> {
    (name(), btree_map(name(), value(), 0..3)).prop_map(|(screen, arguments)| Frame { screen, arguments })
}

fn view() -> impl Strategy<Value = View> {
    (frame(), vec(frame(), 0..20)).prop_map(|(top, stack)| View { top, stack })
}

prop_compose! {
    fn chat()(
        version in 0..i64::MAX,
        locale in option::of(prop_oneof![Just("ru".to_owned()), any::<String>()]),
        desired in option::of((view(), any::<i64>())),
        shown in option::of((view(), any::<i64>(), any::<i64>())),
        vars in btree_map(name(), value(), 0..4),
        balance in any::<i64>(),
        busy in option::of(("[0-9]{1,3}\\.0", 0..9_i64, "[a-z]{1,9}").prop_map(|(id, cost, screen)| Generation { id, cost, screen })),
        banned in any::<bool>(),
        blocked in any::<bool>(),
    ) -> Chat {
        let desired = desired.map(|(view, revision)| Desired { view, revision: Revision(revision) });
        let shown = shown.map(|(view, revision, message)| {
            Shown { view, revision: Revision(revision), message_id: MessageId(message) }
        });
        Chat { version: Version(version), locale, desired, shown, vars, balance, busy, premium_until: None, paid: false, banned, blocked }
    }
}

fn happened() -> impl Strategy<Value = Happened<'static>> {
    let data = prop_oneof![
        4 => (name(), prop::sample::select(vec!["pets", "cat", "dog", "walk", "home", "back", "site", "russian", "gone"]))
            .prop_map(|(screen, button)| format!("{screen}:{button}")),
        1 => any::<String>(),
    ];
    prop_oneof![
        (prop_oneof![name(), Just("walk".to_owned())], value())
            .prop_map(|(name, argument)| Happened::Command { name: Cow::Owned(name), argument: Cow::Owned(argument) }),
        any::<String>().prop_map(|text| Happened::Text(Cow::Owned(text))),
        (any::<String>(), option::of(any::<i64>()), option::of(data)).prop_map(|(query, message, data)| {
            Happened::Press { query: query.into(), message: message.map(MessageId), data: data.map(Cow::Owned) }
        }),
        any::<bool>().prop_map(|blocked| Happened::Membership { blocked }),
    ]
}

fn check_rendered(flow: &Flow, chat: &Chat) {
    let rendered = super::rendered(flow, chat);
    let length = visible_chars(&rendered.text);
    assert!((1..=TEXT_MAX_CHARS).contains(&length), "{length} characters");
    for button in rendered.keyboard.iter().flat_map(|keyboard| &keyboard.inline_keyboard).flatten() {
        assert!(!button.text.trim().is_empty());
        if let ButtonAction::CallbackData(data) = &button.action {
            assert!(data.len() <= CALLBACK_DATA_MAX_BYTES);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn every_event_of_every_chat_is_decided(
        chat in chat(),
        language in option::of(any::<String>()),
        happened in happened(),
    ) {
        thread_local!(static FLOW: Flow = flow());
        FLOW.with(|flow| {
            let press = matches!(happened, Happened::Press { .. });
            let event = Event { chat: ChatId(5), language: language.map(Cow::Owned), happened };
            let decision = decide(flow, &chat, &event, Timestamp::default());
            assert_eq!(decision, decide(flow, &chat, &event, Timestamp::default()), "it is pure");
            check_rendered(flow, &chat);
            let body = decision.answer.body();
            assert!(!press || body.contains("answerCallbackQuery"), "every press is answered");
            if !body.is_empty() {
                let fields: serde_json::Map<String, serde_json::Value> = serde_json::from_str(body).unwrap();
                assert!(fields.values().all(|value| !value.is_null()));
            }
            let Some(change) = decision.change else { return };
            assert_eq!(change.chat.version, chat.version.next());
            assert_eq!(change.chat.shown, chat.shown);
            assert_eq!(change.chat.banned, chat.banned);
            assert!(!chat.banned || matches!(event.happened, Happened::Membership { .. }), "nothing moves a banned chat");
            let revisions = (chat.desired.map(|desired| desired.revision), change.chat.desired.as_ref().map(|desired| desired.revision));
            match change.jobs.as_slice() {
                [] => assert_eq!(revisions.0, revisions.1),
                [Job::Screen(_)] => {
                    let new = Revision::from(change.chat.version);
                    assert!(revisions.1 == Some(new) || (revisions.0.is_some() && revisions.0 == revisions.1));
                }
                jobs => panic!("{jobs:?}"),
            }
            check_rendered(flow, &change.chat);
        });
    }
}
