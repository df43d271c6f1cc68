//! Pure: no I/O, no clock. How a chat reads on paper.

use super::difference::Effect;
use crate::sandbox::world::{Content, MessageView, Payment, Rich};
use std::fmt::Write;

/// How many characters of a message stand for it where it is only named.
const NAMED_BY_CHARS: usize = 40;

/// One effect on the user called `who`, as lines that end in a line break.
pub(super) fn effect(who: &str, effect: Effect<'_>) -> String {
    match effect {
        Effect::Came(message) => format!("  {who} sees:\n{}", indented(message)),
        Effect::Changed(message) => format!("  {who} sees, edited:\n{}", indented(message)),
        Effect::Gone(message) => format!("  gone for {who}: {}\n", name(message)),
        Effect::Noticed(notice) if notice.alert => format!("  {who} gets, to be closed: {}\n", quote(&notice.text)),
        Effect::Noticed(notice) => format!("  {who} gets: {}\n", quote(&notice.text)),
        Effect::Waits(_) => format!("  {who} waits: the button was not answered\n"),
    }
}

/// A text in quotation marks, on one line, as a script would write it.
pub(super) fn quote(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}

/// What a message says and has, line by line, without a line break at the end.
pub(super) fn message(message: &MessageView) -> String {
    let mut text = words(message);
    for row in &message.keyboard {
        let labels: Vec<String> = row.iter().map(|button| format!("[{}]", button.text)).collect();
        write!(text, "\n{}", labels.join(" ")).expect("a string takes all");
    }
    text
}

/// The words of a message, without marks.
pub(super) fn words(message: &MessageView) -> String {
    match &message.content {
        Content::Text(Rich { text, .. }) => text.clone(),
        Content::Photo { caption, .. } if caption.text.is_empty() => "(a photo)".to_owned(),
        Content::Photo { caption, .. } => format!("(a photo)\n{}", caption.text),
        Content::Invoice(invoice) => {
            let state = match &invoice.payment {
                Payment::Open => String::new(),
                Payment::Waiting => " (being paid)".to_owned(),
                Payment::Failed { reason } => format!(" (not paid: {reason})"),
                Payment::Paid { .. } => " (paid)".to_owned(),
                Payment::Refunded => " (given back)".to_owned(),
            };
            format!("(an invoice) {}, {} ⭐{state}\n{}", invoice.title, invoice.stars, invoice.description)
        }
        Content::Service { text } => format!("({text})"),
        Content::Other { what } => format!("({what})"),
    }
}

/// A message in a few words.
fn name(message: &MessageView) -> String {
    let words = words(message);
    let line = words.lines().next().unwrap_or_default();
    let mut short: String = line.chars().take(NAMED_BY_CHARS).collect();
    if short.len() < words.len() {
        short.push('…');
    }
    short
}

fn indented(view: &MessageView) -> String {
    let mut text = String::new();
    for line in message(view).lines() {
        let line = format!("    {line}");
        writeln!(text, "{}", line.trim_end()).expect("a string takes all");
    }
    text
}
