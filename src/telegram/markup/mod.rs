//! Pure: no I/O, no clock. Formatted text as Telegram takes it and keeps it: plain letters beside entities that lie over
//! them. What it refuses it refuses whole, so a flow's texts are read this way before they are sent.

mod clean;
mod html;

pub use clean::clean;
pub use html::{Detail, TAGS, parse};

use serde::Serialize;

/// Text with its entities, which are sorted by offset, longer ones first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Formatted {
    /// The letters alone.
    pub text: String,
    /// What lies over them.
    pub entities: Vec<Entity>,
}

impl Formatted {
    /// Text without entities.
    pub fn plain(text: &str) -> Self {
        Self { text: text.to_owned(), entities: Vec::new() }
    }

    /// Brings the entities into their order.
    pub fn sort(&mut self) {
        // Stable: of two over the same letters, the one that was closed last lies outside.
        self.entities.sort_by_key(|entity| (entity.offset, std::cmp::Reverse(entity.length)));
    }
}

/// A `MessageEntity`, its fields in Telegram's order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Entity {
    /// In UTF-16 code units.
    pub offset: usize,
    /// In UTF-16 code units.
    pub length: usize,
    /// What it is.
    #[serde(flatten)]
    pub kind: Kind,
}

/// What an entity is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[expect(missing_docs, reason = "the Bot API's own words")]
pub enum Kind {
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
pub fn units(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}
