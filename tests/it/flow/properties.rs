//! Whatever is in the row and whatever happens: `decide` and `render` end well, within Telegram's limits, and the books say
//! where every message of the balance went.

use super::language::sources;
use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use std::borrow::Cow;
use tapgate::clock::Timestamp;
use tapgate::flow::books::{Books, EntryKind, Payment};
use tapgate::flow::chat::{Arguments, Chat, Desired, Frame, Generation, Revision, Shown, Version, View, Waiting};
use tapgate::flow::content::{Content, Message, PhotoSource, Reservation};
use tapgate::flow::decision::{Change, Job};
use tapgate::flow::event::{Event, Happened, Purchase};
use tapgate::flow::order::{Order, Wanted};
use tapgate::flow::output::{Face, OfferedAction, OfferedButton, OfferedCall, Output, Piece, Words};
use tapgate::flow::screen::{CALL, SHOW};
use tapgate::flow::{Flow, decide};
use tapgate::telegram::id::{ChatId, MessageId};
use tapgate::telegram::keyboard::{ButtonAction, CALLBACK_DATA_MAX_BYTES, InlineKeyboard};
use tapgate::telegram::markup::{clean, parse};
use tapgate::telegram::text::{CAPTION_MAX_CHARS, TEXT_MAX_CHARS};

/// Most tasks of one commit.
const TASKS_MAX: usize = 255;

fn name() -> impl Strategy<Value = String> {
    let known = [
        "home", "pets", "kennel", "shop", "busy", "waiting", "news", "thanks", "gone", "pet", "name", "start", "call",
        "show", "",
    ];
    prop_oneof![
        8 => prop::sample::select(known.to_vec()).prop_map(str::to_owned),
        1 => any::<String>(),
    ]
}

/// An id that a generation and an event may have in common.
fn key() -> impl Strategy<Value = String> {
    prop_oneof![8 => Just("7.0".to_owned()), 1 => "[0-9]{1,3}\\.0", 1 => any::<String>()]
}

fn text() -> impl Strategy<Value = String> {
    let repeated = (prop::sample::select(vec!["<", "woof ", "ж\n\n", "&amp;<b>x</b>"]), 0usize..6000);
    prop_oneof![2 => any::<String>(), 1 => repeated.prop_map(|(piece, times)| piece.repeat(times))]
}

fn words() -> impl Strategy<Value = Words> {
    let html = prop_oneof![Just("<b>fine</b> &amp;".to_owned()), "(<b>|</b>|x|&lt;|&|<i>|</i>| ){0,30}", text()];
    prop_oneof![text().prop_map(Words::Text), html.prop_map(Words::Html)]
}

fn link() -> impl Strategy<Value = String> {
    prop_oneof![Just("https://example.com/".to_owned()), Just("nowhere".to_owned()), any::<String>()]
}

fn buttons() -> impl Strategy<Value = Vec<Vec<OfferedButton>>> {
    let call = (any::<String>(), btree_map(any::<String>(), any::<String>(), 0..2))
        .prop_map(|(name, arguments)| OfferedAction::Call(OfferedCall { name, arguments }));
    let action = prop_oneof![name().prop_map(OfferedAction::Screen), call, link().prop_map(OfferedAction::Url)];
    let button = (text(), action).prop_map(|(label, action)| OfferedButton { label, action });
    vec(vec(button, 0..3), 0..3)
}

fn face() -> impl Strategy<Value = Face> {
    (words(), option::of(link()), buttons()).prop_map(|(words, photo_url, buttons)| Face { words, photo_url, buttons })
}

fn value() -> impl Strategy<Value = String> {
    prop_oneof![Just("cat".to_owned()), text(),]
}

fn frame() -> impl Strategy<Value = Frame> {
    let made = face().prop_map(|face| Arguments::from([(SHOW.to_owned(), serde_json::to_string(&face).unwrap())]));
    let waiting = key().prop_map(|key| Arguments::from([(CALL.to_owned(), key)]));
    let arguments = prop_oneof![2 => btree_map(name(), value(), 0..3), 1 => made, 1 => waiting];
    (name(), arguments).prop_map(|(screen, arguments)| Frame { screen, arguments })
}

fn view() -> impl Strategy<Value = View> {
    (frame(), vec(frame(), 0..20)).prop_map(|(top, stack)| View { top, stack })
}

fn generation() -> impl Strategy<Value = Generation> {
    (key(), 0..9_i64, name(), name()).prop_map(|(id, cost, screen, then)| Generation { id, cost, screen, then })
}

fn balance() -> impl Strategy<Value = i64> {
    prop_oneof![3 => -1..20_i64, 1 => any::<i64>()]
}

prop_compose! {
    fn chat()(
        version in prop_oneof![Just(0), 0..i64::MAX],
        locale in option::of(prop_oneof![Just("ru".to_owned()), any::<String>()]),
        desired in option::weighted(0.9, (view(), prop_oneof![Just(35), any::<i64>()])),
        shown in option::of((view(), any::<i64>(), any::<i64>())),
        vars in btree_map(name(), value(), 0..4),
        balance in balance(),
        busy in option::of(generation()),
        premium_until in option::of(prop_oneof![Just(1), any::<i64>()]),
        paid in any::<bool>(),
        banned in prop::bool::weighted(0.1),
        blocked in prop::bool::weighted(0.1),
    ) -> Chat {
        let desired = desired.map(|(view, revision)| Desired { view, revision: Revision(revision) });
        let shown = shown.map(|(view, revision, message)| {
            Shown { view, revision: Revision(revision), message_id: MessageId(message) }
        });
        let premium_until = premium_until.map(Timestamp::from_unix_millis);
        Chat { version: Version(version), locale, desired, shown, vars, balance, busy, premium_until, paid, banned, blocked }
    }
}

fn order() -> impl Strategy<Value = Order> {
    let generation = name().prop_map(|then| Wanted::Generation { then });
    let call = (name(), name()).prop_map(|(name, screen)| Wanted::Call { name, screen });
    (prop_oneof![generation, call], option::of(text())).prop_map(|(wanted, text)| Order {
        wanted,
        arguments: Default::default(),
        text,
        vars: Default::default(),
        locale: None,
    })
}

fn output() -> impl Strategy<Value = Output> {
    let photo = prop_oneof![link().prop_map(PhotoSource::Url), any::<String>().prop_map(PhotoSource::File)];
    let piece = (option::of(photo), option::of(words()), buttons()).prop_map(|(photo, words, buttons)| Piece {
        photo,
        words,
        buttons,
    });
    let set = btree_map(name(), prop_oneof![Just("dog".to_owned()), text()], 0..3);
    (vec(piece, 0..5), option::of(name()), option::of(face()), set).prop_map(|(contents, screen, show, set)| Output {
        contents,
        screen,
        show,
        set,
    })
}

fn purchase() -> impl Strategy<Value = Purchase<'static>> {
    let payload = prop_oneof![Just("ten".to_owned()), Just("month".to_owned()), any::<String>()];
    let currency = prop_oneof![3 => Just("XTR".to_owned()), 1 => any::<String>()];
    let amount = prop_oneof![Just(50), Just(200), any::<i64>()];
    (payload, currency, amount).prop_map(|(payload, currency, total_amount)| Purchase {
        currency: currency.into(),
        total_amount,
        payload: payload.into(),
    })
}

fn payment() -> impl Strategy<Value = Payment> {
    (0..i64::MAX, 0..i64::MAX, any::<bool>(), purchase()).prop_map(|(messages, premium_days, refunded, purchase)| {
        Payment { messages, premium_days, refunded, ..Payment::unassigned("c", &purchase) }
    })
}

fn happened() -> impl Strategy<Value = Happened<'static>> {
    let buttons = [
        "pets", "cat", "dog", "kennel", "forget", "back", "draw:z", "news:z", "ten:z", "month:z", "stop", "again:z",
        "0:z", "1:z", "2:z", ">", "gone", "map",
    ];
    let data = prop_oneof![
        6 => (name(), prop::sample::select(buttons.to_vec())).prop_map(|(screen, button)| format!("{screen}:{button}")),
        1 => any::<String>(),
    ];
    let commands = ["start", "name", "draw", "cancel", "forget", "news", "paysupport", "gone"];
    let command = (prop::sample::select(commands.to_vec()), value());
    let reservation = (key(), 0..9_i64).prop_map(|(generation, cost)| Reservation { generation, cost });
    prop_oneof![
        2 => command.prop_map(|(name, argument)| Happened::Command { name: name.into(), argument: Cow::Owned(argument) }),
        2 => text().prop_map(|text| Happened::Text(Cow::Owned(text))),
        1 => Just(Happened::Other),
        4 => (any::<String>(), option::of(any::<i64>()), option::of(data)).prop_map(|(query, message, data)| {
            Happened::Press { query: query.into(), message: message.map(MessageId), data: data.map(Cow::Owned) }
        }),
        1 => any::<bool>().prop_map(|blocked| Happened::Membership { blocked }),
        1 => prop_oneof![Just(35), any::<i64>()].prop_map(|revision| Happened::Refused { revision: Revision(revision) }),
        1 => reservation.prop_map(Happened::Undelivered),
        3 => (key(), order(), output()).prop_map(|(key, order, output)| {
            Happened::Finished { key: key.into(), order: Cow::Owned(order), output: Cow::Owned(output) }
        }),
        1 => (key(), order()).prop_map(|(key, order)| Happened::Failed { key: key.into(), order: Cow::Owned(order) }),
        1 => (any::<String>(), purchase()).prop_map(|(query, purchase)| Happened::Checkout { query: query.into(), purchase }),
        1 => (any::<String>(), purchase()).prop_map(|(charge, purchase)| Happened::Paid { charge: charge.into(), purchase }),
        1 => (any::<String>(), purchase(), option::of(payment())).prop_map(|(charge, purchase, payment)| {
            Happened::Refunded { charge: charge.into(), purchase, payment }
        }),
        1 => (any::<i64>(), any::<String>())
            .prop_map(|(amount, reason)| Happened::Granted { amount, reason: reason.into() }),
    ]
}

fn check_keyboard(keyboard: Option<&InlineKeyboard>) {
    for row in keyboard.iter().flat_map(|keyboard| &keyboard.inline_keyboard) {
        assert!(!row.is_empty());
        for button in row {
            assert!(!button.text.trim().is_empty());
            if let ButtonAction::CallbackData(data) = &button.action {
                assert!(data.len() <= CALLBACK_DATA_MAX_BYTES, "{data}");
            }
        }
    }
}

fn check_text(html: &str, max_chars: usize) {
    let seen = clean(&parse(html).unwrap_or_else(|refused| panic!("{refused}: {html}"))).text.chars().count();
    assert!((1..=max_chars).contains(&seen), "{seen} characters");
}

fn check_rendered(flow: &Flow, chat: &Chat, waiting: &Waiting) {
    let rendered = flow.render(chat, waiting);
    let most = if rendered.photo.is_some() { CAPTION_MAX_CHARS } else { TEXT_MAX_CHARS };
    check_text(&rendered.text, most);
    check_keyboard(rendered.keyboard.as_ref());
}

fn check_content(content: &Content) {
    match &content.message {
        Message::Text { text, keyboard } => {
            check_text(text, TEXT_MAX_CHARS);
            check_keyboard(keyboard.as_ref());
        }
        Message::Photo { caption, keyboard, .. } => {
            caption.iter().for_each(|caption| check_text(caption, CAPTION_MAX_CHARS));
            check_keyboard(keyboard.as_ref());
        }
        Message::Invoice(invoice) => {
            assert!((1..=32).contains(&invoice.title.chars().count()));
            assert!((1..=255).contains(&invoice.description.chars().count()));
            assert!((1..=128).contains(&invoice.payload.len()) && invoice.stars > 0);
        }
    }
    assert!(content.reservation.as_ref().is_none_or(|reservation| reservation.cost > 0));
}

/// What was taken for a generation that is no longer waited for came back, or lies in what the user gets.
fn check_end(before: &Chat, change: &Change, generation: &Generation) {
    let Books { entries, cancelled, .. } = &change.books;
    let back: i64 = entries.iter().filter(|entry| entry.kind == EntryKind::Returned).map(|entry| entry.amount).sum();
    let carried = change.jobs.iter().filter_map(|job| match job {
        Job::Content(content) => content.reservation.as_ref(),
        _ => None,
    });
    let carried: i64 = carried.map(|reservation| reservation.cost).sum();
    let is_full = before.balance.checked_add(generation.cost).is_none();
    assert!(is_full || back + carried == generation.cost, "{back} came back and {carried} may");
    assert!(cancelled.is_none() || cancelled.as_ref() == Some(&generation.id));
}

fn check_change(before: &Chat, change: &Change, is_refused: bool) {
    let Change { chat, jobs, books } = change;
    assert_eq!(chat.version, before.version.next());
    assert_eq!((&chat.shown, chat.banned), (&before.shown, before.banned));
    let said: i128 = books.entries.iter().map(|entry| i128::from(entry.amount)).sum();
    assert_eq!(i128::from(chat.balance) - i128::from(before.balance), said, "the books say why the balance changes");
    assert!(before.balance < 0 || chat.balance >= 0, "{} messages are left of {}", chat.balance, before.balance);
    match (&before.busy, &chat.busy) {
        (before, after) if before == after => {}
        (Some(generation), _) => check_end(before, change, generation),
        (None, _) => assert_eq!(books.cancelled, None),
    }
    assert!(books.cancelled.is_none() || before.busy.is_some());
    let is_screen = |job: &Job| matches!(job, Job::Screen(_));
    let tasks = jobs.iter().filter(|job| !is_screen(job)).count();
    assert!(tasks <= TASKS_MAX && jobs.len() - tasks <= 1 && jobs.iter().skip(tasks).all(is_screen));
    let (old, new) = (before.desired.as_ref(), chat.desired.as_ref());
    let is_new = new.is_some_and(|desired| desired.revision == Revision::from(chat.version));
    let is_kept = new.map(|desired| desired.revision) == old.map(|desired| desired.revision);
    if jobs.len() == tasks {
        assert!(is_kept || is_refused, "who sees nothing new has the revision of before");
    } else {
        assert!(is_new || (is_kept && new.is_some()));
    }
    for job in jobs {
        if let Job::Content(content) = job {
            check_content(content);
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
        place in any::<u32>(),
        progress in text(),
    ) {
        thread_local!(static FLOW: Flow = Flow::parse(&sources()).unwrap());
        FLOW.with(|flow| {
            let waiting = Waiting { place, progress };
            let is_press = matches!(happened, Happened::Press { .. });
            let is_checkout = matches!(happened, Happened::Checkout { .. });
            let is_act = is_press || is_checkout
                || matches!(happened, Happened::Command { .. } | Happened::Text(_) | Happened::Other);
            let is_refused = matches!(happened, Happened::Refused { .. });
            let event = Event { chat: ChatId(5), language: language.map(Cow::Owned), happened };
            let now = Timestamp::from_unix_millis(1);
            let decision = decide(flow, &chat, &event, now);
            assert_eq!(decision, decide(flow, &chat, &event, now), "it is pure");
            check_rendered(flow, &chat, &waiting);
            let body = decision.answer.body();
            assert!(!is_press || body.contains("answerCallbackQuery"), "every press is answered");
            assert!(!is_checkout || body.contains("answerPreCheckoutQuery"), "and every checkout");
            if !body.is_empty() {
                let fields: serde_json::Map<String, serde_json::Value> = serde_json::from_str(body).unwrap();
                assert!(fields.values().all(|value| !value.is_null()));
            }
            let Some(change) = decision.change else { return };
            assert!(!(chat.banned && is_act), "nothing that a suspended user does moves anything");
            check_change(&chat, &change, is_refused);
            check_rendered(flow, &change.chat, &waiting);
        });
    }
}
