//! Pure: no I/O, no clock. What the server reads of an update: borrowed, tolerant, and nothing more.
//! Every string is a `Cow`: Telegram escapes each non-ASCII letter, so a plain `&str` would fail.

use super::id::UpdateId;
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

    /// Whether somebody waits for the answer with a finger on the glass: presses and checkouts pass the second gate.
    pub const fn is_interactive(self) -> bool {
        matches!(self, Self::CallbackQuery | Self::PreCheckoutQuery)
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
    /// Its kind.
    pub kind: Kind,
}

/// An update, read.
#[derive(Clone, Debug, PartialEq)]
pub struct Update<'a> {
    /// Its id.
    pub id: UpdateId,
    /// The rest, until it is written.
    pub todo: std::marker::PhantomData<&'a ()>,
}

/// Why a body is no update.
#[derive(Debug, thiserror::Error)]
#[error("todo")]
pub struct Unreadable;

/// The envelope of `body`; none where it is not JSON or has no `update_id`.
pub fn envelope(body: &[u8]) -> Option<Envelope> {
    let _ = body;
    todo!()
}

/// Reads `body`.
///
/// # Errors
/// If it is not UTF-8, not JSON, has no `update_id`, or its known kind does not decode.
pub fn parse(body: &[u8]) -> Result<Update<'_>, Unreadable> {
    let _ = body;
    todo!()
}
