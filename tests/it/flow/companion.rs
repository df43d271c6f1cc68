//! The shipped companion, as its users read it.

use super::ann::{Ann, piece, writes};
use std::fmt::Write;
use std::sync::Arc;
use tapgate::clock::Timestamp;
use tapgate::flow::Flow;
use tapgate::flow::content::{Message, PhotoSource};
use tapgate::flow::decision::Urgency;
use tapgate::flow::event::{Happened, Purchase};
use tapgate::flow::output::{Face, Output, Piece, Words};
use tapgate::library::Library;
use tapgate::telegram::keyboard::ButtonAction;

fn companion() -> Arc<Flow> {
    Library::open(None).unwrap_or_else(|problems| panic!("{problems}")).get("companion").unwrap()
}

struct Transcript<'a> {
    ann: Ann<'a>,
    text: String,
}

impl<'a> Transcript<'a> {
    fn of(flow: &'a Flow, language: &'static str) -> Self {
        Self { ann: Ann::new(flow, language), text: String::new() }
    }

    fn says(&mut self, text: &str) {
        let decision = self.ann.says(text);
        self.write(&format!("Ann says {text}"), decision.answer.body());
    }

    fn taps(&mut self, label: &str) {
        let decision = self.ann.taps(label);
        self.write(&format!("Ann taps [ {label} ]"), decision.answer.body());
    }

    /// She waits: at this place, with so much of the result.
    fn waits(&mut self, place: u32, progress: &str) {
        self.ann.waiting.place = place;
        progress.clone_into(&mut self.ann.waiting.progress);
        self.write("Ann waits", "");
    }

    fn gets(&mut self, output: &Output) {
        self.ann.waiting = Default::default();
        self.ann.is_made(output);
        self.write("it is made", "");
    }

    fn pays(&mut self, product: &str, stars: i64) {
        let purchase = Purchase { currency: "XTR".into(), total_amount: stars, payload: product.to_owned().into() };
        let checkout = Happened::Checkout { query: "q".into(), purchase: purchase.clone() };
        let answer = self.ann.happens(checkout).answer;
        assert!(answer.body().contains("\"ok\":true"), "{answer:?}");
        self.ann.happens(Happened::Paid { charge: format!("charge of {product}").into(), purchase });
        self.write(&format!("Ann pays {stars} Stars"), "");
    }

    fn write(&mut self, act: &str, answer: &str) {
        writeln!(self.text, "══ {act}").unwrap();
        if answer != r#"{"method":"answerCallbackQuery","callback_query_id":"q"}"# && !answer.is_empty() {
            writeln!(self.text, "⇦ {answer}").unwrap();
        }
        for content in self.ann.got.drain(..) {
            let message = match content.message {
                Message::Text { text, .. } => text,
                Message::Photo { photo, caption, .. } => format!("({photo:?}) {}", caption.unwrap_or_default()),
                Message::Invoice(invoice) => format!("{invoice:?}"),
            };
            writeln!(self.text, "✉ {message}").unwrap();
        }
        writeln!(self.text, "── {}\n{}", self.ann.stands(), self.ann.sees()).unwrap();
    }
}

#[test]
fn a_user_who_speaks_english() {
    let flow = companion();
    let mut seen = Transcript::of(&flow, "en");
    seen.says("/start friend_7");
    seen.taps("💬 Talk");
    seen.taps("Luna");
    seen.ann.chat.balance = 2;
    seen.says("Hello, Luna");
    seen.waits(3, "");
    seen.waits(0, "The stars say");
    seen.says("Are you there?");
    seen.gets(&writes("The stars say <hello>."));
    seen.says("And what else?");
    seen.says("/menu");
    seen.gets(&writes("Nothing else."));
    seen.taps("💬 Talk");
    seen.taps("20 messages · 50 ⭐");
    seen.pays("few", 50);
    seen.taps("💬 Talk");
    seen.says("Once more!");
    seen.taps("✖️ Cancel");
    seen.says("/nope");
    seen.says("/settings");
    seen.taps("Русский");
    seen.taps("‹ Назад");
    seen.says("/help");
    seen.says("/paysupport");
    insta::assert_snapshot!(seen.text);
}

#[test]
fn a_user_who_speaks_russian() {
    let flow = companion();
    let mut seen = Transcript::of(&flow, "ru");
    seen.says("привет");
    seen.taps("👥 Выбрать собеседника");
    seen.taps("Макс");
    for balance in [0, 1, 2, 5, 11, 21, 1000] {
        seen.ann.chat.balance = balance;
        writeln!(seen.text, "{balance}: {}", seen.ann.sees().lines().nth(2).unwrap()).unwrap();
    }
    seen.says("Как дела?");
    for place in [1, 2, 21] {
        seen.waits(place, "");
    }
    seen.ann.waiting = Default::default();
    seen.ann.is_not_made();
    seen.write("it is not made", "");
    seen.says("/image кот под дождём");
    seen.gets(&Output {
        contents: vec![Piece {
            photo: Some(PhotoSource::Url("https://example.com/cat.jpg".to_owned())),
            ..piece(Words::Text("Кот под дождём".to_owned()))
        }],
        ..Output::default()
    });
    seen.says("/menu");
    seen.taps("⭐ Получить сообщения");
    seen.taps("🌟 Месяц премиума · 350 ⭐");
    seen.pays("month", 350);
    seen.taps("Главное меню");
    seen.taps("👥 Выбрать собеседника");
    seen.taps("✓ Макс");
    seen.taps("👥 Кто-нибудь другой");
    seen.ann.chat.banned = true;
    seen.taps("‹ Назад");
    seen.says("почему?");
    insta::assert_snapshot!(seen.text);
}

#[test]
fn a_worker_is_told_who_it_is_in_the_language_of_the_user() {
    let flow = companion();
    for (language, talk, name, words) in
        [("en", "Luna", "You are Luna.", "Answer in English"), ("ru", "Макс", "Тебя зовут Макс.", "по-русски")]
    {
        let mut ann = Ann::new(&flow, language);
        ann.says("/start");
        ann.taps(if language == "en" {
            "👥 Choose a companion"
        } else {
            "👥 Выбрать собеседника"
        });
        ann.taps(talk);
        ann.says("?");
        let system = &ann.asked[0].order.arguments["system"];
        assert!(system.starts_with(name) && system.contains(words), "{system}");
    }
}

#[test]
fn whoever_is_premium_goes_first_until_that_lapses() {
    let flow = companion();
    let mut ann = Ann::new(&flow, "en");
    ann.says("/start");
    ann.taps("👥 Choose a companion");
    ann.taps("Iris");
    ann.chat.paid = true;
    let urgency = |ann: &mut Ann<'_>| {
        ann.says("?");
        let urgency = ann.asked[0].urgency;
        ann.is_made(&writes("!"));
        urgency
    };
    assert_eq!(urgency(&mut ann), Urgency::Usual);
    let purchase = Purchase { currency: "XTR".into(), total_amount: 350, payload: "month".into() };
    ann.happens(Happened::Paid { charge: "c".into(), purchase });
    ann.taps("💬 Talk");
    assert_eq!(urgency(&mut ann), Urgency::Priority);
    ann.now = Timestamp::from_unix_seconds(30 * 24 * 60 * 60);
    assert_eq!(urgency(&mut ann), Urgency::Usual);
}

#[test]
fn who_chooses_a_companion_or_says_forget_begins_anew() {
    let flow = companion();
    let mut ann = Ann::new(&flow, "en");
    ann.says("/start");
    ann.taps("👥 Choose a companion");
    ann.taps("Iris");
    for way in ["/forget", "Luna"] {
        ann.says("A question");
        ann.is_made(&writes("An answer"));
        assert_eq!(ann.remembered.len(), 2);
        if way == "/forget" {
            ann.says("Another question");
            ann.says(way);
            assert_eq!(
                (ann.asked.len(), ann.chat.busy.as_ref(), ann.stands().as_str()),
                (0, None, "welcome > forgotten")
            );
            ann.taps("‹ Back");
            ann.taps("💬 Talk");
        } else {
            ann.taps("👥 Somebody else");
            ann.taps(way);
        }
        assert_eq!(ann.remembered.len(), 0, "{way}");
    }
    ann.says("A question");
    ann.says("/start");
    ann.taps("👥 Choose a companion");
    ann.taps("Max");
    assert_eq!(ann.stands(), "welcome > characters > busy", "not while Luna is thinking");
}

#[test]
fn a_question_is_what_a_worker_makes_of_it() {
    let flow = companion();
    let mut ann = Ann::new(&flow, "en");
    ann.says("/start");
    ann.taps("💡 Question");
    assert!(ann.sees().contains("Let me think"), "{}", ann.sees());
    let face = Face { words: Words::Text("Why?".to_owned()), photo_url: None, buttons: Vec::new() };
    ann.is_made(&Output { show: Some(face), ..Output::default() });
    assert!(ann.sees().starts_with("Why?\n[ 💡 Another one ]"), "{}", ann.sees());
    ann.taps("💡 Another one");
    ann.is_not_made();
    assert!(ann.sees().contains("Nobody can think"), "{}", ann.sees());
    assert_eq!(ann.chat.balance, 10, "it is free");
}

#[test]
fn the_first_callback_button_of_the_text_start_screen_opens_another_text_screen() {
    let flow = companion();
    let mut ann = Ann::new(&flow, "en");
    ann.says("/start");
    let keyboard = super::rendered(&flow, &ann.chat).keyboard.unwrap();
    let mut buttons = keyboard.inline_keyboard.iter().flatten();
    let first = buttons.find(|button| matches!(button.action, ButtonAction::CallbackData(_))).unwrap();
    let before = ann.sees();
    ann.taps(&first.text);
    assert_ne!(ann.stands(), "welcome");
    assert_ne!(ann.sees(), before);
    assert_eq!(super::rendered(&flow, &ann.chat).photo, None);
}

#[test]
fn its_commands_are_described_in_both_languages() {
    let flow = companion();
    let mut listed = String::new();
    for locale in flow.locales() {
        for (name, description) in flow.commands(locale) {
            writeln!(listed, "{locale} /{name} – {description}").unwrap();
        }
    }
    insta::assert_snapshot!(listed);
}

#[test]
fn its_error_text_is_in_the_language_of_the_client() {
    let flow = companion();
    assert!(flow.error_text(Some("ru-RU")).starts_with("С вашим"));
    assert!(flow.error_text(Some("de")).starts_with("Something"));
    assert!(flow.error_text(None).starts_with("Something"));
}
