//! Pure: no I/O, no clock. What a worker is given.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// The version of what is written here. It changes when a worker that knows an older one would go wrong.
pub const VERSION: u32 = 1;

/// What a lease gave.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Leased {
    /// 1. A new field does not change it.
    pub version: u32,
    /// At most as many as were asked for; none: nothing came in the time that was waited.
    pub jobs: Vec<Job>,
}

/// One thing to be done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Job {
    /// What the calls about it are made with.
    pub id: String,
    /// The proof that it is held, which each of these calls shows. It ends with the lease, and with the job.
    pub lease: String,
    /// So long it is held; a heartbeat holds it for as long again.
    pub lease_seconds: u64,
    /// The lane it waited in: a lease of `text` may bring a job of `text_priority`, and one of `image` one of
    /// `image_priority`.
    pub lane: String,
    /// How often it was given to a worker, this time included.
    pub attempt: u32,
    /// What names it in its chat: it stays the same from attempt to attempt.
    pub key: String,
    /// What is to be made.
    pub kind: Kind,
    /// Of a `call`: what it is for, in the flow's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Of a `call`: the screen that is to be made. Of a `generate`: the screen that follows the result.
    pub screen: String,
    /// What the flow, or the button of a worker, says beside.
    #[serde(default)]
    pub arguments: BTreeMap<String, String>,
    /// What the user wrote, if a text asked for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The chat's variables, as they were when it was asked for.
    #[serde(default)]
    pub vars: BTreeMap<String, String>,
    /// The language that the user is spoken to in, as the flow calls it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub locale: Option<String>,
    /// The bot.
    pub bot: Bot,
    /// The chat.
    pub chat: Chat,
    /// What was said before, the oldest first; without `text`.
    #[serde(default)]
    pub dialog: Vec<Turn>,
}

/// What is to be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Messages to the user, who waits for them: `contents`.
    Generate,
    /// What a screen shows: `show`.
    Call,
}

/// A bot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Bot {
    /// Telegram's number.
    pub id: i64,
    /// Its name on the server.
    pub name: String,
    /// Its name at Telegram, without `@`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub username: Option<String>,
}

/// A private chat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Chat {
    /// Telegram's number, which is also the user's.
    pub id: i64,
}

/// Something that was said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Turn {
    /// By whom.
    pub role: Role,
    /// What, plain.
    pub text: String,
}

/// Who said something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The user.
    User,
    /// The bot.
    Assistant,
}
