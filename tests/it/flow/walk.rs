//! The shipped flows, walked: every screen is reached and every button pressed, in every locale.

use super::ann::{Ann, writes};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use tapgate::flow::Flow;
use tapgate::flow::chat::{Arguments, Chat, Frame};
use tapgate::flow::definition::Action;
use tapgate::flow::event::{Happened, Purchase};
use tapgate::flow::order::{Order, Wanted};
use tapgate::flow::output::{Face, Output, Words};
use tapgate::flow::screen::{CALL, CALL_FAILED, SHOW};
use tapgate::library::Library;
use tapgate::telegram::keyboard::ButtonAction;
use tapgate::telegram::markup::{clean, parse};

/// Screens of the shipped flows on which one waits and does nothing else.
const WAITING: [&str; 2] = ["thinking", "drawing"];

/// Who walks: with messages, without, and while a generation is under way.
fn walkers() -> [Chat; 3] {
    let rich = Chat { balance: 9, ..Chat::default() };
    [Chat { balance: 0, ..rich.clone() }, Chat { busy: Some(Default::default()), ..rich.clone() }, rich]
}

/// What a state is known by, whenever it was come to.
fn known(chat: &Chat) -> String {
    let Frame { screen, arguments } = &chat.desired.as_ref().unwrap().view.top;
    let waits = arguments.get(CALL).map(|call| call == CALL_FAILED);
    let (busy, premium) = (chat.busy.as_ref().map(|busy| &busy.screen), chat.premium_until.is_some());
    format!("{screen} {waits:?} {} {:?} {} {busy:?} {premium}", arguments.contains_key(SHOW), chat.vars, chat.balance)
}

/// What comes of what the chat waits for, and of what it can buy.
fn events(flow: &Flow, chat: &Chat) -> Vec<Happened<'static>> {
    let order =
        |wanted| Cow::Owned(Order { wanted, arguments: Arguments::new(), text: None, vars: [].into(), locale: None });
    let mut events = Vec::new();
    let mut ends = |key: &str, wanted: Wanted| {
        let face = Face { words: Words::Text("made".to_owned()), photo_url: None, buttons: Vec::new() };
        let output = Cow::Owned(Output { show: Some(face), ..writes("made") });
        let key = || Cow::Owned(key.to_owned());
        events.push(Happened::Finished { key: key(), order: order(wanted.clone()), output });
        events.push(Happened::Failed { key: key(), order: order(wanted) });
    };
    if let Some(busy) = &chat.busy {
        ends(&busy.id, Wanted::Generation { then: busy.then.clone() });
    }
    let Frame { screen, arguments } = &chat.desired.as_ref().unwrap().view.top;
    if let Some(key) = arguments.get(CALL) {
        ends(key, Wanted::Call { name: screen.clone(), screen: screen.clone() });
    }
    if chat.busy.is_none() {
        events.extend(flow.products().map(|(name, product)| Happened::Paid {
            charge: "c".into(),
            purchase: Purchase { currency: "XTR".into(), total_amount: product.stars, payload: name.to_owned().into() },
        }));
    }
    events
}

/// Every state that can be come to by buttons, texts, stickers, commands, payments and what workers make, in `locale`, once;
/// what was pressed.
fn walk(flow: &Flow, locale: &'static str) -> (BTreeSet<String>, BTreeSet<String>) {
    let (mut seen, mut screens, mut pressed) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    let commands: Vec<String> = flow.commands(locale).iter().map(|(name, _)| format!("/{name} x")).collect();
    let mut waiting = Vec::new();
    for walker in walkers() {
        let mut ann = Ann::new(flow, locale);
        ann.says("/start");
        (ann.chat.balance, ann.chat.busy) = (walker.balance, walker.busy);
        waiting.push(ann.chat);
    }
    while let Some(mut chat) = waiting.pop() {
        // How many there are makes no difference any more.
        chat.balance = if chat.balance > 3 { 9 } else { 0 };
        if chat.locale.as_deref() != Some(locale) || !seen.insert(known(&chat)) {
            continue;
        }
        let screen = &chat.desired.as_ref().unwrap().view.top.screen;
        screens.insert(screen.clone());
        assert!(!WAITING.contains(&screen.as_str()) || chat.busy.is_some(), "one waits on `{screen}` for nothing");
        let rendered = super::rendered(flow, &chat);
        let text = clean(&parse(&rendered.text).unwrap()).text;
        assert!(!text.is_empty() && !text.contains('$') && !text.contains('{'), "{text}");
        let mut step = |act: &dyn Fn(&mut Ann<'_>)| {
            let mut ann = Ann::new(flow, locale);
            // Jobs of before are not known here.
            ann.chat = chat.clone();
            act(&mut ann);
            waiting.push(ann.chat);
        };
        step(&|ann| drop(ann.says("hello")));
        step(&|ann| drop(ann.sends_a_sticker()));
        for command in &commands {
            step(&|ann| drop(ann.says(command)));
        }
        for event in events(flow, &chat) {
            step(&|ann| drop(ann.happens(event.clone())));
        }
        for button in rendered.keyboard.iter().flat_map(|keyboard| &keyboard.inline_keyboard).flatten() {
            if let ButtonAction::CallbackData(data) = &button.action {
                let name = data.split(':').take(2).collect::<Vec<_>>().join(":");
                // Nothing is given up where nothing is under way.
                let is_over = chat.busy.is_none() && name.ends_with(":cancel");
                step(&|ann| assert!(ann.presses(1, data).note.is_none() || is_over, "{data}"));
                pressed.insert(name);
            }
        }
    }
    (screens, pressed)
}

#[test]
fn every_screen_of_every_shipped_flow_is_reached_and_every_button_pressed_in_every_locale() {
    let library = Library::open(None).unwrap_or_else(|problems| panic!("{problems}"));
    let mut walked = BTreeMap::new();
    for name in library.names() {
        let flow = library.get(&name).unwrap();
        let all: BTreeSet<String> = flow.screens().map(|screen| screen.name.clone()).collect();
        for locale in flow.locales() {
            let locale: &'static str = locale.to_owned().leak();
            let (screens, pressed) = walk(&flow, locale);
            assert_eq!(screens, all, "{name} in {locale}");
            // A button that leads to another language is there in the one, or in both.
            let buttons = flow.screens().flat_map(|screen| {
                let buttons = screen.keyboard.iter().flatten();
                let moves = buttons.filter(|button| match &button.action {
                    Action::Step(step) => step.locale.is_none() || button.when.0.is_empty(),
                    Action::Url(_) | Action::WebApp(_) => false,
                });
                moves.map(|button| format!("{}:{}", screen.name, button.name)).collect::<Vec<_>>()
            });
            let missing: Vec<String> = buttons.filter(|button| !pressed.contains(button)).collect();
            assert!(missing.is_empty(), "{name} in {locale}: never pressed: {missing:?}");
            walked.entry(name.clone()).or_insert_with(Vec::new).push(locale);
        }
    }
    let expected = [("companion", ["en", "ru"]), ("quiz", ["en", "de"]), ("support", ["en", "es"])];
    assert_eq!(walked, expected.map(|(name, locales)| (name.to_owned(), locales.to_vec())).into());
}
