//! Pure: no I/O, no clock. What is known of one chat: who the user is to this bot and where they stand.

use crate::clock::Timestamp;
use crate::telegram::id::MessageId;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// How often a chat was committed; the compare-and-set of every commit. 0: never stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Version(pub i64);

impl Version {
    /// The version that the next commit makes.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}

/// The [`Version`] at whose commit a screen was set. Never reused, so it names that showing of the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Revision(pub i64);

impl From<Version> for Revision {
    fn from(version: Version) -> Self {
        Self(version.0)
    }
}

/// What a screen was opened with, by name.
pub type Arguments = BTreeMap<String, String>;

/// One screen with what it was opened with.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Frame {
    /// The screen's name. It may be one that the flow no longer knows; then the start screen stands in for it.
    pub screen: String,
    /// What it was opened with.
    #[serde(default, skip_serializing_if = "Arguments::is_empty")]
    pub arguments: Arguments,
}

/// A screen and the way back from it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct View {
    /// The screen on top.
    #[serde(flatten)]
    pub top: Frame,
    /// What `back` returns to, the nearest last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stack: Vec<Frame>,
}

/// What the chat is to show.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Desired {
    /// Which screen.
    #[serde(flatten)]
    pub view: View,
    /// The commit that set it.
    pub revision: Revision,
}

/// What Telegram confirmed that the chat shows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shown {
    /// Which screen.
    #[serde(flatten)]
    pub view: View,
    /// The revision of *desired* that was sent.
    pub revision: Revision,
    /// The message that shows it.
    pub message_id: MessageId,
}

/// What a chat waits for. It ends only with its job.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Generation {
    /// Its id, unique in its chat: the key of its job, see [`task_key`](super::decision::task_key).
    pub id: String,
    /// What was taken from the balance for it.
    #[serde(default)]
    pub cost: i64,
    /// The screen on which it is waited for.
    pub screen: String,
    /// The screen that follows it.
    #[serde(default)]
    pub then: String,
}

/// How a generation stands at the moment: not part of the chat, and known only when a screen is rendered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Waiting {
    /// Its place in the queue, counted from 1; 0: a worker has it, or there is none.
    pub place: u32,
    /// What is there of it so far, plain.
    pub progress: String,
}

/// A chat's row without its fence.
///
/// All of it but `shown` belongs to the handler and is written under `version`;
/// `shown` belongs to the sender, and nothing here ever writes it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Chat {
    /// How often it was committed.
    pub version: Version,
    /// The locale it is spoken to in, one of the flow's, learnt at first contact or chosen.
    pub locale: Option<String>,
    /// What it is to show; none before the first contact.
    pub desired: Option<Desired>,
    /// What it shows.
    pub shown: Option<Shown>,
    /// What the flow remembers of it.
    pub vars: BTreeMap<String, String>,
    /// Messages it may still ask for.
    pub balance: i64,
    /// The generation it waits for.
    pub busy: Option<Generation>,
    /// It is a premium chat until then.
    pub premium_until: Option<Timestamp>,
    /// Whether it ever paid for anything.
    pub paid: bool,
    /// Suspended by an operator.
    pub banned: bool,
    /// The user has blocked the bot.
    pub blocked: bool,
}

impl Chat {
    /// The chat as it is by `now`: without what has lapsed.
    pub fn as_of(&self, now: Timestamp) -> Cow<'_, Self> {
        match self.premium_until {
            Some(until) if until <= now => Cow::Owned(Self { premium_until: None, ..self.clone() }),
            _ => Cow::Borrowed(self),
        }
    }
}
