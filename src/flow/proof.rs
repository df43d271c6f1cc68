//! Pure: no I/O, no clock. Every text of a flow, made once in every locale before a user sees it.

use super::chat::{Chat, Desired, View};
use super::definition::{Flow, Sources};
use super::render::{Form, Notice};
use super::source::Definition;
use super::texts::Unwritten;
use crate::problem::{Problem, Problems};
use crate::telegram::markup;
use crate::telegram::method::CALLBACK_ANSWER_MAX_CHARS;
use crate::telegram::text::TEXT_MAX_CHARS;

/// Longest description of a command (Bot API, BotCommand).
const DESCRIPTION_MAX_CHARS: usize = 256;

/// A text that the flow needs, and how much of it may be seen.
struct Needed {
    id: String,
    what: String,
    form: Form,
    max_chars: usize,
}

/// Reports every text that is missing, refers to what is not there, is empty or too long.
pub(super) fn texts(flow: &Flow, sources: &Sources, definition: &Definition, problems: &mut Problems) {
    let needed = needed(flow);
    for name in &definition.top.locales {
        let Some((name, text)) = sources.texts.iter().find(|(locale, _)| locale == name.get_ref()) else { continue };
        let Some(locale) = flow.texts.exactly(name) else { continue };
        let origin = format!("{}/{name}.ftl", sources.name);
        let chat = sample(flow, name);
        for needed in &needed {
            let arguments = flow.arguments(&chat, needed.form);
            if let Some(problem) = wrong(needed, locale.write(&needed.id, &arguments)) {
                let problem = Problem::new(&origin, problem);
                problems.push(match place(text, &needed.id) {
                    Some(place) => problem.at(text, place),
                    None => problem,
                });
            }
        }
    }
}

fn needed(flow: &Flow) -> Vec<Needed> {
    let mut needed = Vec::new();
    for screen in flow.screens() {
        let (id, what) = (screen.name.clone(), format!("the text of screen `{}`", screen.name));
        needed.push(Needed { id, what, form: Form::Html, max_chars: TEXT_MAX_CHARS });
        for button in screen.keyboard.iter().flatten() {
            let what = format!("the label of button `{}` on screen `{}`", button.name, screen.name);
            needed.push(Needed { id: button.label.clone(), what, form: Form::Plain, max_chars: TEXT_MAX_CHARS });
        }
    }
    for name in flow.commands.keys() {
        let what = format!("the description of command `{name}`");
        let id = format!("command-{name}");
        needed.push(Needed { id, what, form: Form::Plain, max_chars: DESCRIPTION_MAX_CHARS });
    }
    for notice in Notice::ALL {
        let max_chars = match notice {
            Notice::Suspended | Notice::OldButton => CALLBACK_ANSWER_MAX_CHARS,
            Notice::UnknownCommand | Notice::Error => TEXT_MAX_CHARS,
        };
        let id = notice.id().to_owned();
        needed.push(Needed { what: format!("the notice `{id}`"), id, form: Form::Html, max_chars });
    }
    needed
}

fn wrong(needed: &Needed, text: Result<String, Unwritten>) -> Option<String> {
    let Needed { id, what, form, max_chars } = needed;
    let text = match text {
        Ok(text) => text,
        Err(Unwritten::Missing) => {
            return Some(match id.split_once('.') {
                None => format!("{what} is missing: message `{id}`"),
                Some((message, attribute)) => {
                    format!("{what} is missing: attribute `.{attribute}` of message `{message}`")
                }
            });
        }
        Err(Unwritten::Broken(error)) => return Some(format!("{what} is broken: {error}")),
    };
    let seen = match form {
        Form::Html => match markup::parse(&text) {
            Ok(formatted) => markup::clean(&formatted).text,
            Err(detail) => return Some(format!("{what} is refused by Telegram: {}", refusal(&detail))),
        },
        Form::Plain => text,
    };
    let length = seen.chars().count();
    if seen.trim().is_empty() {
        Some(format!("{what} shows nothing"))
    } else if length > *max_chars {
        Some(format!("{what} is {length} characters long, more than {max_chars}"))
    } else {
        None
    }
}

/// What Telegram says of the markup, without the place in a text that nobody wrote as it is sent.
fn refusal(detail: &str) -> String {
    let words = match detail.split_once(" at byte offset ") {
        Some((before, after)) => {
            format!("{before}{}", after.trim_start_matches(|letter: char| letter.is_ascii_digit()))
        }
        None => detail.to_owned(),
    };
    if words.starts_with("Unsupported start tag \"\"") {
        format!("{words} (a `<` that begins no tag is written `&lt;`)")
    } else if words.starts_with("Unsupported start tag") {
        format!("{words} (it knows {})", markup::TAGS.join(", "))
    } else {
        words
    }
}

/// A chat in which every variable has a value.
fn sample(flow: &Flow, locale: &str) -> Chat {
    let value = |values: &[String]| values.first().map_or("x", String::as_str).to_owned();
    Chat {
        locale: Some(locale.to_owned()),
        desired: Some(Desired { view: View::start(flow), revision: Default::default() }),
        vars: flow.variables.iter().map(|(name, variable)| (name.clone(), value(&variable.values))).collect(),
        balance: flow.free_balance,
        ..Chat::default()
    }
}

/// Where the message of `id` begins in `text`.
fn place(text: &str, id: &str) -> Option<usize> {
    let message = id.split('.').next()?;
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        if line.strip_prefix(message).is_some_and(|rest| rest.trim_start_matches(' ').starts_with('=')) {
            return Some(offset);
        }
        offset += line.len();
    }
    None
}
