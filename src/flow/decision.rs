//! Pure: no I/O, no clock. What the core returns: everything that is to happen because of one event.

use super::books::Books;
use super::chat::{Chat, Version};
use super::content::Content;
use super::definition::Lane;
use super::order::Order;
use crate::telegram::answer::Answer;
use crate::telegram::id::MessageId;
use std::fmt;
use std::str::FromStr;

/// What one event leads to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decision {
    /// What is written; none: the row stays byte for byte as it is, and its version too.
    pub change: Option<Change>,
    /// What Telegram is answered.
    pub answer: Answer,
    /// What was rare about it, for the log and the counters of the shell.
    pub note: Option<Note>,
}

/// The chat after an event, with what leaves because of it: one commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The chat as it is to be stored; its version is one more than that of the chat decided on.
    pub chat: Chat,
    /// What is queued with it, in this order; at most 255 of them are no screen.
    pub jobs: Vec<Job>,
    /// What is written beside it.
    pub books: Books,
}

impl Change {
    /// Only the chat changes.
    pub fn of(chat: Chat) -> Self {
        Self { chat, jobs: Vec::new(), books: Books::default() }
    }
}

/// Work that is queued in the commit of its cause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Job {
    /// Show what is desired, there.
    Screen(Place),
    /// Send this.
    Content(Content),
    /// Let a worker do this.
    Order {
        /// Whose.
        lane: Lane,
        /// Whether it goes before others.
        urgency: Urgency,
        /// What.
        order: Order,
    },
}

/// Whether an order goes before others of its lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Urgency {
    /// It takes its turn.
    Usual,
    /// It is that of a paying chat.
    Priority,
}

/// The key of a job that is no screen, unique in its chat: the version of the commit that queues it, and which of that
/// commit's jobs it is, the screen not counted, from 0.
pub fn task_key(version: Version, ordinal: usize) -> String {
    format!("{}.{ordinal}", version.0)
}

/// Where a screen is to be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In a new message at the end of the chat.
    New,
    /// In this message: the one whose button was pressed.
    Message(MessageId),
    /// In the message that shows the current screen, if there is one.
    Shown,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::New => f.write_str("new"),
            Self::Message(id) => write!(f, "message {id}"),
            Self::Shown => f.write_str("shown"),
        }
    }
}

impl FromStr for Place {
    type Err = UnknownPlace;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "new" => Ok(Self::New),
            "shown" => Ok(Self::Shown),
            _ => text.strip_prefix("message ").and_then(|id| id.parse().ok()).map(Self::Message).ok_or(UnknownPlace),
        }
    }
}

/// A place that is neither `new`, `shown` nor `message N`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a place is new, shown or message N")]
pub struct UnknownPlace;

/// Something rare about an event that is worth a line in the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Note {
    /// A command the flow does not have.
    UnknownCommand,
    /// A button that the screen it stands on no longer has.
    OldButton,
    /// The user is suspended.
    Suspended,
    /// A payment for something that the flow does not sell for that.
    Unassigned,
    /// A refund of a payment that is not known.
    UnknownRefund,
}
