//! Pure: no I/O, no clock. What waits and what was given up, as a person looks at it. Nothing is decided on it.

use super::job::{JobId, Lane};
use crate::clock::Timestamp;
use crate::telegram::id::{ChatId, UpdateId};
use serde::Serialize;
use std::time::Duration;

/// A job that waits or is being done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedJob {
    /// Its id.
    pub id: JobId,
    /// Its chat.
    pub chat: ChatId,
    /// Its lane.
    pub lane: Lane,
    /// Where it shows its screen (`new`, `shown`, `message N`), if it is one.
    pub place: Option<String>,
    /// How often it was leased.
    pub attempts: u32,
    /// Where it stands.
    pub standing: Standing,
}

/// Where a job stands, by the store's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It can be leased, if nothing else of its chat stands before it.
    Due,
    /// It is leased, for so long.
    Leased(Duration),
    /// It is tried again after so long.
    Waits(Duration),
}

impl Standing {
    /// From the milliseconds that are left of its lease, and those until it is due.
    pub(super) fn of(lease_left_millis: Option<i64>, due_in_millis: i64) -> Self {
        let positive = |millis: i64| u64::try_from(millis).ok().filter(|millis| *millis > 0).map(Duration::from_millis);
        let leased = lease_left_millis.and_then(positive).map(Self::Leased);
        leased.or_else(|| positive(due_in_millis).map(Self::Waits)).unwrap_or(Self::Due)
    }
}

/// A job with what it carries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownJob {
    /// As it is listed.
    pub listed: ListedJob,
    /// Its payload, JSON; a screen has none.
    pub payload: Option<String>,
}

/// An update that failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ListedFailure {
    /// What names it within its bot: the update's id, or `sha256:` and the body's digest.
    pub key: String,
    /// Its id, where it has one.
    pub update: Option<UpdateId>,
    /// How often it failed.
    pub failures: u32,
    /// When it was given up; none: it comes again.
    pub dead_at: Option<Timestamp>,
    /// What happened last, in our own words.
    pub reason: String,
    /// When it failed first.
    pub first_at: Timestamp,
    /// When it failed last.
    pub last_at: Timestamp,
}

/// An update that failed, with its body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Letter {
    /// As it is listed.
    pub listed: ListedFailure,
    /// The body as it came.
    pub body: Vec<u8>,
}
