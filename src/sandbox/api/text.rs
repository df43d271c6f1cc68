//! Pure: no I/O, no clock. Texts and captions: how they are marked up, what is left of them, how long they may be.
//! Source: tdlib/telegram-bot-api `Client.cpp` (`get_formatted_text`, `get_input_message_text`); tdlib/td
//! `MessageContent.cpp` (lengths).

use super::arguments::Arguments;
use super::outcome::Failure;
use crate::sandbox::markup::{Formatted, clean, given, parse, with_found};
use crate::telegram::text::TEXT_MAX_CHARS;
use serde_json::Value;

/// Longest text as it arrives.
const RAW_MAX_BYTES: usize = 1 << 15;
/// Longest caption, in code points after parsing (Bot API, sendPhoto).
const CAPTION_MAX_CHARS: usize = 1024;

/// `text`, read as HTML where `parse_mode` says so, else under the `entities`.
pub(super) fn formatted(text: &str, parse_mode: &str, entities: Option<&Value>) -> Result<Formatted, Failure> {
    if text.len() > RAW_MAX_BYTES {
        return Err(Failure::bad("Text is too long"));
    }
    match parse_mode.to_ascii_lowercase().as_str() {
        _ if text.is_empty() => Ok(Formatted::default()),
        "html" => parse(text).map_err(|detail| Failure::bad(&format!("Can't parse entities: {detail}"))),
        "" | "none" => match entities {
            Some(Value::Array(list)) => Ok(given(text, list)?),
            _ => Ok(Formatted::plain(text)),
        },
        "markdown" | "markdownv2" => {
            Err(Failure::bad("The sandbox does not parse Markdown: use parse_mode HTML, or entities"))
        }
        _ => Err(Failure::bad("Unsupported parse_mode")),
    }
}

/// The parameter `text`, which may not be empty.
pub(super) fn text(arguments: &Arguments<'_>) -> Result<Formatted, Failure> {
    if arguments.text("text").is_empty() {
        return Err(Failure::bad("Message text is empty"));
    }
    read(arguments, "text", "entities")
}

/// The parameter `caption`.
pub(super) fn caption(arguments: &Arguments<'_>) -> Result<Formatted, Failure> {
    read(arguments, "caption", "caption_entities")
}

fn read(arguments: &Arguments<'_>, name: &str, entities: &str) -> Result<Formatted, Failure> {
    // Entities that are no JSON are passed over.
    let list = serde_json::from_str(arguments.text(entities)).ok();
    formatted(arguments.text(name), arguments.text("parse_mode"), list.as_ref())
}

/// What is kept of a text.
pub(super) fn kept_text(text: &Formatted) -> Result<Formatted, Failure> {
    let text = clean(text);
    match text.text.chars().count() {
        0 => Err(Failure::bad("Text must be non-empty")),
        1..=TEXT_MAX_CHARS => Ok(with_found(text)),
        _ => Err(Failure::bad("Message is too long")),
    }
}

/// What is kept of a caption.
pub(super) fn kept_caption(caption: &Formatted) -> Result<Formatted, Failure> {
    let caption = clean(caption);
    if caption.text.chars().count() > CAPTION_MAX_CHARS {
        return Err(Failure::bad("Message caption is too long"));
    }
    Ok(with_found(caption))
}
