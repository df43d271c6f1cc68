//! The shipped flows, walked: every screen is reached and every button pressed, in every locale.

use super::ann::Ann;
use std::collections::{BTreeMap, BTreeSet};
use tapgate::flow::Flow;
use tapgate::flow::chat::Chat;
use tapgate::flow::definition::Action;
use tapgate::library::Library;
use tapgate::telegram::keyboard::ButtonAction;
use tapgate::telegram::markup::{clean, parse};

/// Who walks: with messages, without, and while a generation is under way.
fn walkers() -> [Chat; 3] {
    let rich = Chat { balance: 9, ..Chat::default() };
    [Chat { balance: 0, ..rich.clone() }, Chat { busy: Some(Default::default()), ..rich.clone() }, rich]
}

/// Every state that can be come to by buttons, texts and stickers in `locale`, once; what was pressed.
fn walk(flow: &Flow, locale: &'static str) -> (BTreeSet<String>, BTreeSet<String>) {
    let (mut seen, mut screens, mut pressed) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    let mut waiting = Vec::new();
    for walker in walkers() {
        let mut ann = Ann::new(flow, locale);
        ann.says("/start");
        (ann.chat.balance, ann.chat.busy) = (walker.balance, walker.busy);
        waiting.push(ann.chat);
    }
    while let Some(chat) = waiting.pop() {
        let top = &chat.desired.as_ref().unwrap().view.top;
        let fresh = seen.insert(format!("{top:?} {:?} {} {:?}", chat.vars, chat.balance, chat.busy));
        if !fresh || chat.locale.as_deref() != Some(locale) {
            continue;
        }
        screens.insert(top.screen.clone());
        let rendered = super::rendered(flow, &chat);
        let text = clean(&parse(&rendered.text).unwrap()).text;
        assert!(!text.is_empty() && !text.contains('$') && !text.contains('{'), "{text}");
        let mut step = |act: &dyn Fn(&mut Ann<'_>)| {
            let mut ann = Ann::new(flow, locale);
            ann.chat = chat.clone();
            act(&mut ann);
            waiting.push(ann.chat);
        };
        step(&|ann| drop(ann.says("hello")));
        step(&|ann| drop(ann.sends_a_sticker()));
        for button in rendered.keyboard.iter().flat_map(|keyboard| &keyboard.inline_keyboard).flatten() {
            if let ButtonAction::CallbackData(data) = &button.action {
                let name = data.split(':').take(2).collect::<Vec<_>>().join(":");
                step(&|ann| assert_eq!(ann.presses(1, data).note, None, "{data}"));
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
