//! A bot whose dialogue is written in Rust, since it does what data cannot: it counts.
//!
//! ```sh
//! cargo run --example counter -- bot add --name counter --token 123456:ABC… --flow counter
//! cargo run --example counter -- serve
//! ```
//!
//! Such a program is `botctl` with one more flow. `tests/it/path/dialogue.rs` runs it.

use std::process::ExitCode;
use tapgate::cli::Program;
use tapgate::clock::Timestamp;
use tapgate::flow::Dialogue;
use tapgate::flow::callback::Callback;
use tapgate::flow::chat::{Arguments, Chat, Frame, View, Waiting};
use tapgate::flow::decision::Decision;
use tapgate::flow::definition::Rendered;
use tapgate::flow::event::{Event, Happened};
use tapgate::telegram::answer::Answer;
use tapgate::telegram::keyboard::{ButtonAction, InlineButton, InlineKeyboard};

#[allow(dead_code, reason = "the test of this example has a `main` of its own")]
fn main() -> ExitCode {
    Program::new().dialogue("counter", Counter).main()
}

/// Counts up and down; a number that is written to it is where it goes on.
#[derive(Debug)]
pub(crate) struct Counter;

/// The one screen, and the variable that remembers the count.
const SCREEN: &str = "count";

impl Dialogue for Counter {
    fn decide(&self, chat: &Chat, event: &Event<'_>, _now: Timestamp) -> Decision {
        let mut after = chat.clone();
        let count = count(chat);
        let counted = match &event.happened {
            Happened::Membership { blocked } => {
                after.blocked = *blocked;
                return Decision::keep(after, Answer::EMPTY);
            }
            Happened::Refused { revision } => return Decision::take_back(chat, *revision, view()),
            _ if chat.banned => return Decision { answer: event.acknowledgement(), ..Decision::default() },
            Happened::Command { .. } | Happened::Other => count,
            Happened::Text(text) => text.trim().parse().unwrap_or(count),
            Happened::Press { data, .. } => match data.as_deref().and_then(button) {
                Some("more") => count.saturating_add(1),
                Some("less") => count.saturating_sub(1),
                _ => count,
            },
            // It sells nothing and asks no worker.
            _ => return Decision { answer: event.acknowledgement(), ..Decision::default() },
        };
        after.blocked = false;
        after.vars.insert(SCREEN.to_owned(), counted.to_string());
        Decision::show(after, view(), event.place(), event.acknowledgement())
    }

    fn render(&self, chat: &Chat, _: &Waiting) -> Rendered {
        let button = |name: &str, label: &str| {
            let data = Callback { screen: SCREEN, button: name, revision: None }.to_string();
            InlineButton { text: label.to_owned(), action: ButtonAction::CallbackData(data) }
        };
        let inline_keyboard = vec![vec![button("less", "− 1"), button("more", "+ 1")]];
        let text = format!("I have counted to <b>{}</b>.", count(chat));
        Rendered { view: view(), text, photo: None, keyboard: Some(InlineKeyboard { inline_keyboard }) }
    }

    fn error_text(&self, _language: Option<&str>) -> String {
        "I have lost count for a moment. Please try again.".to_owned()
    }

    fn commands(&self, _locale: &str) -> Vec<(&str, String)> {
        vec![("start", "Count".to_owned())]
    }
}

/// What a chat has counted to. Whatever another version left there: 0.
fn count(chat: &Chat) -> i64 {
    chat.vars.get(SCREEN).and_then(|count| count.parse().ok()).unwrap_or(0)
}

/// The button that was pressed, if it is one of this screen.
fn button(data: &str) -> Option<&str> {
    Callback::parse(data).filter(|callback| callback.screen == SCREEN).map(|callback| callback.button)
}

fn view() -> View {
    View { top: Frame { screen: SCREEN.to_owned(), arguments: Arguments::new() }, stack: Vec::new() }
}
