//! The shipped companion, as its users read it.

use super::ann::Ann;
use std::fmt::Write;
use std::sync::Arc;
use tapgate::flow::Flow;
use tapgate::library::Library;
use tapgate::telegram::keyboard::ButtonAction;

fn companion() -> Arc<Flow> {
    Library::open(None).unwrap_or_else(|problems| panic!("{problems}")).get("companion").unwrap()
}

struct Transcript<'a> {
    ann: Ann<'a>,
    text: String,
}

impl Transcript<'_> {
    fn says(&mut self, text: &str) {
        let decision = self.ann.says(text);
        self.write(&format!("Ann says {text}"), decision.answer.body());
    }

    fn taps(&mut self, label: &str) {
        let decision = self.ann.taps(label);
        self.write(&format!("Ann taps [ {label} ]"), decision.answer.body());
    }

    fn write(&mut self, act: &str, answer: &str) {
        writeln!(self.text, "══ {act}").unwrap();
        if answer != r#"{"method":"answerCallbackQuery","callback_query_id":"q"}"# && !answer.is_empty() {
            writeln!(self.text, "⇦ {answer}").unwrap();
        }
        writeln!(self.text, "── {}\n{}", self.ann.stands(), self.ann.sees()).unwrap();
    }
}

#[test]
fn a_user_who_speaks_english() {
    let flow = companion();
    let mut seen = Transcript { ann: Ann::new(&flow, "en"), text: String::new() };
    seen.says("/start friend_7");
    seen.taps("💬 Talk");
    seen.taps("Luna");
    seen.ann.chat.balance = 1;
    seen.says("Hello, Luna");
    seen.ann.chat.balance = 0;
    seen.says("Are you there?");
    seen.taps("‹ Back");
    seen.says("/nope");
    seen.says("/menu");
    seen.ann.chat.balance = 5;
    seen.ann.chat.busy = Some(Default::default());
    seen.taps("💬 Talk");
    seen.says("/settings");
    seen.taps("Русский");
    seen.taps("‹ Назад");
    seen.says("/help");
    insta::assert_snapshot!(seen.text);
}

#[test]
fn a_user_who_speaks_russian() {
    let flow = companion();
    let mut seen = Transcript { ann: Ann::new(&flow, "ru"), text: String::new() };
    seen.says("привет");
    seen.taps("👥 Выбрать собеседника");
    seen.taps("Макс");
    for balance in [0, 1, 2, 5, 11, 21, 1000] {
        seen.ann.chat.balance = balance;
        writeln!(seen.text, "{balance}: {}", seen.ann.sees().lines().nth(2).unwrap()).unwrap();
    }
    seen.taps("👥 Кто-нибудь другой");
    seen.ann.chat.banned = true;
    seen.taps("‹ Назад");
    seen.says("почему?");
    insta::assert_snapshot!(seen.text);
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
