//! Pure: no I/O, no clock. The outside of an update: its id, its kind, and why a body is none.
//! How it is decoded stands in `decode`.

use super::content::{CallbackQuery, Message, MyChatMember, PreCheckoutQuery};
use super::id::UpdateId;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

/// What an update carries, as far as the server tells them apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `message`.
    Message,
    /// `callback_query`.
    CallbackQuery,
    /// `pre_checkout_query`.
    PreCheckoutQuery,
    /// `my_chat_member`.
    MyChatMember,
    /// Any other kind, known to Telegram or not yet.
    Other,
    /// The body is not an update.
    Unreadable,
}

impl Kind {
    /// Its label.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Message => "message",
            Self::CallbackQuery => "callback_query",
            Self::PreCheckoutQuery => "pre_checkout_query",
            Self::MyChatMember => "my_chat_member",
            Self::Other => "other",
            Self::Unreadable => "unreadable",
        }
    }
}

/// The queues in which Telegram delivers a chat's updates: the next of a queue is sent only after the previous one
/// was acknowledged, so its last id with its answer is enough to recognise a repeat, with or without Redis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum DeliveryQueue {
    /// `message`.
    #[serde(rename = "m")]
    Messages,
    /// `callback_query`.
    #[serde(rename = "p")]
    Presses,
    /// `pre_checkout_query`.
    #[serde(rename = "c")]
    Checkouts,
    /// `my_chat_member`.
    #[serde(rename = "s")]
    Membership,
}

/// The outside of an update: enough for the dedup and the second gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Envelope {
    /// Its id.
    pub update: UpdateId,
    /// Its kind; one that carries several of ours at once is `Other`.
    pub kind: Kind,
}

/// An update, read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Update<'a> {
    /// Its id.
    pub id: UpdateId,
    /// What it carries.
    pub content: Content<'a>,
}

/// What an update carries, as far as the server reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content<'a> {
    /// `message`.
    Message(Message<'a>),
    /// `callback_query`.
    CallbackQuery(CallbackQuery<'a>),
    /// `pre_checkout_query`.
    PreCheckoutQuery(PreCheckoutQuery<'a>),
    /// `my_chat_member`.
    MyChatMember(MyChatMember<'a>),
    /// Any other kind, or several of the above at once, which Telegram never sends.
    Other,
}

impl Update<'_> {
    /// Its kind.
    pub const fn kind(&self) -> Kind {
        match self.content {
            Content::Message(_) => Kind::Message,
            Content::CallbackQuery(_) => Kind::CallbackQuery,
            Content::PreCheckoutQuery(_) => Kind::PreCheckoutQuery,
            Content::MyChatMember(_) => Kind::MyChatMember,
            Content::Other => Kind::Other,
        }
    }

    /// When it happened, in Unix seconds, where Telegram says so (a press has no date of its own).
    pub fn date(&self) -> Option<i64> {
        match &self.content {
            Content::Message(message) => message.date,
            Content::MyChatMember(change) => change.date,
            Content::CallbackQuery(_) | Content::PreCheckoutQuery(_) | Content::Other => None,
        }
        .filter(|date| *date > 0)
    }
}

/// Why a body is no update. It says nothing of the body, which may hold a user's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// Telegram writes callback data and invoice payloads that are not UTF-8 as raw bytes.
    #[error("not utf-8")]
    NotUtf8,
    /// It is not JSON.
    #[error("not json")]
    NotJson,
    /// It is JSON without one integer `update_id`.
    #[error("no update id")]
    NoUpdateId,
    /// It is an update of a kind that the server reads, but not one that it can read.
    #[error("known kind does not decode")]
    Undecodable,
}

impl Unreadable {
    /// Its name in the dead letters.
    pub const fn name(self) -> &'static str {
        match self {
            Self::NotUtf8 => "not_utf8",
            Self::NotJson => "not_json",
            Self::NoUpdateId => "no_update_id",
            Self::Undecodable => "undecodable",
        }
    }
}

/// The envelope of `body`; none where it is not JSON or has no `update_id`.
/// Strings are skipped unread, so one that is not UTF-8 does not hide the id.
pub fn envelope(body: &[u8]) -> Option<Envelope> {
    serde_json::from_slice(body).ok()
}

/// Reads `body`.
///
/// # Errors
/// If it is not UTF-8, not JSON, has no `update_id`, or its known kind does not decode.
pub fn parse(body: &[u8]) -> Result<Update<'_>, Unreadable> {
    let text = str::from_utf8(body).map_err(|_| Unreadable::NotUtf8)?;
    serde_json::from_str(text).map_err(|_| {
        if serde_json::from_str::<IgnoredAny>(text).is_err() {
            Unreadable::NotJson
        } else if envelope(body).is_none() {
            Unreadable::NoUpdateId
        } else {
            Unreadable::Undecodable
        }
    })
}
