//! Formatted text as Telegram takes it, keeps it and gives it back: plain letters beside entities that lie over them.
//! Never shares the checks of our own flows: it is what those are tested against.

mod clean;
mod found;
mod given;
mod html;
mod render;

pub(super) use clean::clean;
pub(super) use found::with_found;
pub(super) use given::given;
pub(super) use html::parse;
pub(super) use render::render;

use serde::Serialize;

/// Text with its entities, which are sorted by offset, longer ones first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Formatted {
    pub(super) text: String,
    pub(super) entities: Vec<Entity>,
}

impl Formatted {
    /// Text without entities.
    pub(super) fn plain(text: &str) -> Self {
        Self { text: text.to_owned(), entities: Vec::new() }
    }

    fn sort(&mut self) {
        // Stable: of two over the same letters, the one that was closed last lies outside.
        self.entities.sort_by_key(|entity| (entity.offset, std::cmp::Reverse(entity.length)));
    }
}

/// A `MessageEntity`, its fields in Telegram's order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Entity {
    /// In UTF-16 code units.
    pub(super) offset: usize,
    /// In UTF-16 code units.
    pub(super) length: usize,
    #[serde(flatten)]
    pub(super) kind: Kind,
}

/// What an entity is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Kind {
    Bold,
    Italic,
    Underline,
    Strikethrough,
    Spoiler,
    Code,
    Blockquote,
    ExpandableBlockquote,
    Pre {
        #[serde(skip_serializing_if = "Option::is_none")]
        language: Option<String>,
    },
    TextLink {
        url: String,
    },
    CustomEmoji {
        custom_emoji_id: String,
    },
    Mention,
    Hashtag,
    BotCommand,
    Url,
    Email,
}

/// How many UTF-16 code units `text` has.
fn units(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

/// Splits `text` after `count` UTF-16 code units, or at its end.
fn split_units(text: &str, count: usize) -> (&str, &str) {
    let mut left = count;
    let place = text.char_indices().find_map(|(place, letter)| {
        if left < letter.len_utf16() {
            return Some(place);
        }
        left -= letter.len_utf16();
        None
    });
    text.split_at(place.unwrap_or(text.len()))
}
