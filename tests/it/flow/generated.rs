//! Flows that nobody wrote: what the checker takes renders within Telegram's limits and is decided without a panic.

use super::ann::writes;
use super::language::PNG;
use proptest::collection::vec;
use proptest::prelude::*;
use std::borrow::Cow;
use std::fmt::Write;
use tapgate::clock::Timestamp;
use tapgate::flow::callback::Callback;
use tapgate::flow::chat::{Arguments, Chat, Desired, Frame, Generation, Revision, Version, View, Waiting};
use tapgate::flow::definition::{Picture, Sources};
use tapgate::flow::event::{Event, Happened, Purchase};
use tapgate::flow::order::{Order, Wanted};
use tapgate::flow::output::{Face, OfferedAction, OfferedButton, OfferedCall, Output, Words};
use tapgate::flow::screen::{CALL, CALL_FAILED, SHOW};
use tapgate::flow::{Flow, decide};
use tapgate::telegram::id::{ChatId, MessageId};
use tapgate::telegram::keyboard::{ButtonAction, CALLBACK_DATA_MAX_BYTES};
use tapgate::telegram::markup::{clean, parse};

/// Bytes that choose: each choice takes one; at their end the first of everything is chosen.
struct Tape<'t>(std::slice::Iter<'t, u8>);

impl Tape<'_> {
    fn below(&mut self, count: usize) -> usize {
        self.0.next().map_or(0, |byte| usize::from(*byte) % count.max(1))
    }

    fn of<'w>(&mut self, words: &[&'w str]) -> &'w str {
        words[self.below(words.len())]
    }

    /// Once in `count` times.
    fn once_in(&mut self, count: usize) -> bool {
        self.below(count) == count - 1
    }
}

const SCREENS: [&str; 5] = ["start", "s1", "s2", "a-screen-of-24-letters-ok", "s4"];
const LOCALES: [&str; 2] = ["en", "ru"];

/// A flow; sound but for what is chosen rarely.
fn sources(tape: &mut Tape<'_>) -> Sources {
    let screens = &SCREENS.map(|name| &name[..name.len().min(24)])[..1 + tape.below(SCREENS.len())];
    let mut definition = "start = \"start\"\nlocales = [\"en\", \"ru\"]\n".to_owned();
    writeln!(definition, "free_balance = {}", tape.below(5)).unwrap();
    definition.push_str("[variables.free]\n[variables.one]\nvalues = [\"a\", \"b\", \"c\"]\n");
    for name in ["not_selected", "insufficient_messages", "generation_busy"] {
        if name == "not_selected" {
            definition.push_str("[interrupts]\n");
        }
        writeln!(definition, "{name} = \"{}\"", tape.of(screens)).unwrap();
    }
    writeln!(definition, "[products.p]\nstars = 1\n{}", tape.of(&["messages = 2", "premium_days = 3"])).unwrap();
    if tape.once_in(2) {
        writeln!(definition, "thanks = \"{}\"", tape.of(screens)).unwrap();
    }
    definition.push_str("[commands.paysupport]\ngo = \"start\"\n");
    writeln!(definition, "[commands.start]\ngo = {}", go(tape, screens, "start")).unwrap();
    writeln!(definition, "[commands.other]\nargument = \"{}\"", tape.of(&["free", "one"])).unwrap();
    writeln!(definition, "go = {}", go(tape, screens, "start")).unwrap();
    for link in ["a", "B_-1"] {
        writeln!(definition, "[links.{link}]\n{}", step(tape, screens, &["set", "locale", "go"])).unwrap();
    }
    let mut texts = LOCALES.map(|_| {
        let notices = ["suspended", "unknown-command", "old-button", "failed", "not-sold", "payment-unassigned"];
        let notices: String = notices.iter().map(|name| format!("notice-{name} = x\n")).collect();
        format!(
            "{notices}error = x\ncommand-start = x\ncommand-other = x\ncommand-paysupport = x\nproduct-p = x\n    .description = x\nwords = x\n"
        )
    });
    for (index, screen) in screens.iter().enumerate() {
        writeln!(definition, "[screens.{screen}]").unwrap();
        let photo =
            tape.of(&["", "", "{ file = \"p.png\" }", "{ url = \"https://example.com/p.jpg\" }", "{ id = \"Ag-_1\" }"]);
        if !photo.is_empty() {
            writeln!(definition, "photo = {photo}").unwrap();
        }
        if tape.once_in(3) {
            definition.push_str("other = \"words\"\n");
        }
        let mut names = vec!["buy".to_owned()];
        definition.push_str("keyboard = [\n  [{ name = \"buy\", buy = \"p\" }],\n");
        // So that every screen is reached.
        if let Some(next) = screens.get(index + 1) {
            names.push("next".to_owned());
            writeln!(definition, "  [{{ name = \"next\", go = \"{next}\" }}],").unwrap();
        }
        for row in 0..tape.below(4) {
            definition.push_str("  [");
            for column in 0..=tape.below(3) {
                let name = format!("b{row}-{column}-{}", &"long-name-of-a-button"[..tape.below(19)]);
                write!(definition, "{{ name = \"{name}\"").unwrap();
                if tape.once_in(3) {
                    write!(definition, ", when = {}", when(tape)).unwrap();
                }
                let does =
                    ["go", "set", "locale", "back", "url", "web_app", "call", "generate", "buy", "cancel", "forget"];
                let does = tape.of(&does);
                write!(definition, ", {} }}, ", step(tape, screens, &[does]).replace('\n', ", ")).unwrap();
                names.push(name);
            }
            definition.push_str("],\n");
        }
        definition.push_str("]\n");
        if tape.once_in(2) {
            let does = tape.of(&["go", "set", "back", "call", "generate"]);
            writeln!(definition, "[screens.{screen}.text]\nargument = \"free\"\n{}", step(tape, screens, &[does]))
                .unwrap();
        }
        for text in &mut texts {
            writeln!(text, "{screen} = {}", words(tape)).unwrap();
            for name in &names {
                let label = tape.of(&["x", "{ $one }.", "✓ { $balance }", "{ $free }!"]);
                writeln!(text, "    .{name} = {label}").unwrap();
            }
        }
    }
    let texts = LOCALES.iter().map(|locale| (*locale).to_owned()).zip(texts).collect();
    Sources { name: "made".to_owned(), definition, texts, pictures: vec![Picture::new("p.png", PNG).into()] }
}

fn step(tape: &mut Tape<'_>, screens: &[&str], does: &[&str]) -> String {
    let lines = does.iter().map(|does| match *does {
        "go" => format!("go = {}", go(tape, screens, screens[0])),
        "set" => tape
            .of(&["set = { one = \"a\", free = \"x\" }", "set = { one = \"\" }", "set = { free = \"<\" }"])
            .to_owned(),
        "locale" => format!("locale = \"{}\"", tape.of(&LOCALES)),
        "back" => "back = true".to_owned(),
        "url" => format!("url = \"{}\"", tape.of(&["https://example.com/?a=<b>&c", "tg://resolve?domain=x"])),
        "web_app" => "web_app = \"https://example.com/app\"".to_owned(),
        "call" => format!("call = {{ name = \"{}\" }}", tape.of(screens)),
        "generate" => {
            let then = if tape.once_in(2) { format!(", then = \"{}\"", tape.of(screens)) } else { String::new() };
            format!("generate = {{ lane = \"text\", cost = {}{then} }}", tape.below(3))
        }
        "cancel" => "cancel = true".to_owned(),
        "forget" => "forget = true".to_owned(),
        "buy" => "buy = \"p\"".to_owned(),
        other => panic!("{other}"),
    });
    let mut lines: Vec<String> = lines.collect();
    if !["url", "web_app"].contains(&does[0]) && tape.once_in(4) {
        lines.push(format!("requires = {{ selected = [\"one\"], balance = {}, idle = true }}", tape.below(3)));
    }
    lines.join("\n")
}

fn go(tape: &mut Tape<'_>, screens: &[&str], last: &str) -> String {
    if tape.once_in(2) {
        return format!("[{{ when = {}, to = \"{}\" }}, {{ to = \"{last}\" }}]", when(tape), tape.of(screens));
    }
    format!("\"{last}\"")
}

fn when(tape: &mut Tape<'_>) -> &'static str {
    let tests = [
        "{ one = \"a\" }",
        "{ one = [\"b\", \"c\"], locale = \"ru\" }",
        "{ one = true, balance = 1 }",
        "{ free = false }",
        "{ busy = true }",
        "{ premium = true }",
    ];
    tests[tape.below(tests.len())]
}

/// A text of a few pieces, now and then one that must be refused.
fn words(tape: &mut Tape<'_>) -> String {
    let (long, caption) = ("long ".repeat(900), "x".repeat(240));
    let mut text = String::new();
    for _ in 0..=tape.below(4) {
        let refused = if tape.once_in(60) { tape.below(5) } else { usize::MAX };
        text.push_str(match (refused, tape.below(8)) {
            (0, _) => "{ $one ->\n    [a] a\n   *[other] <b>not closed\n  }",
            (1, _) => &long,
            (2, _) => "<br> ",
            (3, _) => "{ $nobody } ",
            (4, _) => "1 < 2",
            (_, 0) => "words ",
            (_, 1) => &caption,
            (_, 2) => "<b>bold <i>{ $free }</i></b> ",
            (_, 3) => "{ $one ->\n    [a] <u>a</u>\n    [b] { $free }\n   *[other] &lt;other\n  }",
            (_, 4) => "{ $balance ->\n    [0] none\n    [one] one\n   *[other] { $balance }\n  }",
            (_, 5) => "<a href=\"https://example.com/?q={ $free }\">link</a>",
            (_, 6) => "😀 &amp; { $locale } { $busy } { $place } { $call } { $premium } ",
            _ => "&#1078; { $start }.",
        });
    }
    text
}

/// A chat that this flow, another one or nobody has made.
fn chat(tape: &mut Tape<'_>) -> Chat {
    let mut arguments = Arguments::new();
    match tape.below(6) {
        0 => drop(arguments.insert(CALL.to_owned(), "5.0".to_owned())),
        1 => drop(arguments.insert(CALL.to_owned(), CALL_FAILED.to_owned())),
        2 => drop(arguments.insert(SHOW.to_owned(), face(tape).json().unwrap())),
        _ => {}
    }
    let view = View {
        top: Frame { screen: tape.of(&["start", "s1", "s2", "gone"]).to_owned(), arguments },
        stack: (0..tape.below(4)).map(|_| Frame { screen: tape.of(&SCREENS).to_owned(), ..Frame::default() }).collect(),
    };
    let mut chat = Chat {
        locale: Some(tape.of(&["en", "ru", "xx"]).to_owned()),
        desired: Some(Desired { view, revision: Revision(i64::MAX >> tape.below(60)) }),
        balance: i64::try_from(tape.below(4)).unwrap() - 1,
        busy: tape.once_in(3).then(|| Generation {
            id: "6.0".to_owned(),
            cost: 2,
            screen: tape.of(&SCREENS).to_owned(),
            then: tape.of(&["start", "s1", "gone"]).to_owned(),
        }),
        premium_until: tape.once_in(3).then(|| Timestamp::from_unix_millis(1)),
        // One that is new gets its free balance.
        version: Version(7),
        ..Chat::default()
    };
    for name in ["one", "free", "gone"] {
        if tape.once_in(2) {
            let value = tape.of(&["a", "b", "c", "<b>", "&", "\u{200b}"]).repeat(1 + tape.below(200) * tape.below(2));
            chat.vars.insert(name.to_owned(), value);
        }
    }
    chat
}

/// What a worker shows.
fn face(tape: &mut Tape<'_>) -> Face {
    let button = |action| vec![OfferedButton { label: "x".to_owned(), action }];
    let call = OfferedCall { name: "more".to_owned(), arguments: Arguments::new() };
    Face {
        words: Words::Html(tape.of(&["<b>x</b>", "<b>x", "", "1 < 2"]).to_owned()),
        photo_url: tape.once_in(2).then(|| "https://example.com/p.jpg".to_owned()),
        buttons: vec![
            button(OfferedAction::Screen(tape.of(&SCREENS).to_owned())),
            button(OfferedAction::Call(call)),
            button(OfferedAction::Url("https://example.com/".to_owned())),
        ],
    }
}

fn check_screen(flow: &Flow, chat: &Chat) -> Vec<String> {
    let waiting = Waiting { place: 3, progress: "<b>".repeat(2000) };
    let rendered = flow.render(chat, &waiting);
    let seen = parse(&rendered.text).unwrap_or_else(|refused| panic!("{refused}: {}", rendered.text));
    let length = clean(&seen).text.chars().count();
    let most = if rendered.photo.is_some() { 1024 } else { 4096 };
    assert!((1..=most).contains(&length), "{length} characters");
    let mut payloads = Vec::new();
    for row in rendered.keyboard.iter().flat_map(|keyboard| &keyboard.inline_keyboard) {
        assert!(!row.is_empty());
        for button in row {
            assert!(!button.text.trim().is_empty());
            let ButtonAction::CallbackData(data) = &button.action else { continue };
            assert!(data.len() <= CALLBACK_DATA_MAX_BYTES, "{data}");
            let callback = Callback::parse(data).unwrap_or_else(|| panic!("{data}"));
            assert_eq!(callback.screen, rendered.view.top.screen);
            let is_a_workers = callback.number().is_some() && chat.desired.as_ref().unwrap().view.top.face().is_some();
            assert!(is_a_workers || flow.screen(callback.screen).unwrap().button(callback.button).is_some());
            payloads.push(data.clone());
        }
    }
    payloads
}

/// Everything that can happen to `chat`, once.
fn check_events(flow: &Flow, chat: &Chat, payloads: Vec<String>) {
    let press =
        |data: String| Happened::Press { query: "q".into(), message: Some(MessageId(1)), data: Some(data.into()) };
    let command =
        |name: &'static str, argument: &'static str| Happened::Command { name: name.into(), argument: argument.into() };
    let made = |key: &'static str, wanted: Wanted| {
        let order = Order { wanted, arguments: Arguments::new(), text: None, vars: [].into(), locale: None };
        let output = Output { show: Some(face(&mut Tape([].iter()))), ..writes("made") };
        let failed = Happened::Failed { key: key.into(), order: Cow::Owned(order.clone()) };
        [Happened::Finished { key: key.into(), order: Cow::Owned(order), output: Cow::Owned(output) }, failed]
    };
    let generation = made("6.0", Wanted::Generation { then: "start".to_owned() });
    let call = made("5.0", Wanted::Call { name: "s1".to_owned(), screen: "s1".to_owned() });
    let purchase = || Purchase { currency: "XTR".into(), total_amount: 1, payload: "p".into() };
    let others = [
        Happened::Checkout { query: "q".into(), purchase: purchase() },
        Happened::Paid { charge: "c".into(), purchase: purchase() },
        command("start", ""),
        command("start", "a"),
        command("start", "B_-1"),
        command("other", "b"),
        command("gone", ""),
        Happened::Text(Cow::Borrowed("hello")),
        Happened::Other,
        Happened::Membership { blocked: true },
        press("gone:gone".to_owned()),
    ];
    for happened in payloads.into_iter().map(press).chain(others).chain(generation).chain(call) {
        let is_press = matches!(happened, Happened::Press { .. });
        let event = Event { chat: ChatId(5), language: Some("ru".into()), happened };
        let decision = decide(flow, chat, &event, Timestamp::default());
        assert!(!is_press || decision.answer.body().contains("answerCallbackQuery"), "every press is answered");
        if let Some(change) = decision.change {
            assert_eq!(change.chat.version, chat.version.next());
            let said: i64 = change.books.entries.iter().map(|entry| entry.amount).sum();
            assert_eq!(change.chat.balance - chat.balance, said, "the books say why");
            assert!(chat.balance < 0 || change.chat.balance >= 0);
            check_screen(flow, &change.chat);
        }
    }
}

/// Whether the checker took the flow.
fn check_flow(tape: &[u8]) -> bool {
    let mut tape = Tape(tape.iter());
    let sources = sources(&mut tape);
    let flow = match Flow::parse(&sources) {
        Ok(flow) => flow,
        Err(problems) => {
            assert!(!problems.0.is_empty());
            assert!(problems.0.iter().all(|problem| problem.position.is_some()), "{problems}\n{}", sources.definition);
            return false;
        }
    };
    for locale in LOCALES {
        for screen in flow.screens() {
            for _ in 0..4 {
                let mut chat = chat(&mut tape);
                chat.locale = Some(locale.to_owned());
                chat.desired.as_mut().unwrap().view.top.screen.clone_from(&screen.name);
                check_screen(&flow, &chat);
            }
        }
    }
    for _ in 0..4 {
        let chat = chat(&mut tape);
        let payloads = check_screen(&flow, &chat);
        check_events(&flow, &chat, payloads);
    }
    true
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn a_flow_that_the_checker_takes_keeps_to_what_telegram_takes(tape in vec(any::<u8>(), 0..600)) {
        check_flow(&tape);
    }
}

#[test]
fn of_the_flows_that_nobody_wrote_enough_are_taken_and_enough_refused() {
    let mut chance = fastrand::Rng::with_seed(7);
    let taken = (0..200)
        .filter(|_| check_flow(&std::iter::repeat_with(|| chance.u8(..)).take(600).collect::<Vec<_>>()))
        .count();
    assert!((20..=180).contains(&taken), "{taken} of 200");
}
