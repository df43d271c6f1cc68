//! Pure: no I/O, no clock. A message as it lies in its chat.

use super::Thing;
use super::keyboard::Keyboard;
use super::photo::Photo;
use super::view::{Author, Payment};
use crate::clock::Timestamp;
use crate::sandbox::markup::Formatted;
use crate::telegram::id::{ChatId, MessageId};

/// A message.
#[derive(Clone, Debug)]
pub(super) struct Message {
    pub(super) id: MessageId,
    pub(super) chat: ChatId,
    pub(super) author: Author,
    pub(super) sent: Timestamp,
    pub(super) edited: Option<Timestamp>,
    pub(super) reply_to: Option<MessageId>,
    pub(super) content: Content,
    pub(super) markup: Markup,
}

/// What it holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Content {
    Text(Formatted),
    Photo { photo: Photo, caption: Formatted },
    Invoice { invoice: Invoice, payment: Payment },
    Paid(Charge),
    Refunded(Charge),
    Thing(Thing<'static>),
}

/// What stands under a message, or in place of the letters' keyboard.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::sandbox) enum Markup {
    #[default]
    None,
    Inline(Keyboard),
    /// A keyboard instead of letters, its removal, or a forced reply: with it a message cannot be edited any more.
    Reply,
}

impl Markup {
    /// The buttons under the message, if there are any.
    pub(in crate::sandbox) fn inline(&self) -> Option<&Keyboard> {
        match self {
            Self::Inline(keyboard) if !keyboard.is_empty() => Some(keyboard),
            Self::Inline(_) | Self::None | Self::Reply => None,
        }
    }
}

/// What an invoice is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::sandbox) struct Invoice {
    pub(in crate::sandbox) title: String,
    pub(in crate::sandbox) description: String,
    pub(in crate::sandbox) payload: String,
    pub(in crate::sandbox) start_parameter: String,
    /// In Stars.
    pub(in crate::sandbox) amount: i64,
}

/// A payment that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Charge {
    pub(super) id: String,
    pub(super) user: ChatId,
    pub(super) invoice: MessageId,
    pub(super) title: String,
    pub(super) payload: String,
    pub(super) amount: i64,
}
