//! Pure: no I/O, no clock. What waits for a worker, as its chat is told it.

use super::job::LeasedJob;
use crate::telegram::id::BotId;
use std::collections::HashSet;

/// How far a lane is looked down for a job's place; farther behind, it is told that it is so far behind.
pub const AHEAD_MAX: u32 = 1_000;

/// A job of a lane, as the chat that waits for it is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// How many jobs its lane does before it, at most [`AHEAD_MAX`]: bots take turns, and of each bot the oldest goes
    /// first. 0 where a worker has it.
    pub ahead: u32,
    /// Whether a worker has it.
    pub leased: bool,
    /// What a worker has made of it so far.
    pub progress: Option<String>,
}

impl Waiting {
    /// Its place in the queue: 1 is the next one; 0: a worker has it.
    pub const fn place(&self) -> u32 {
        if self.leased { 0 } else { self.ahead + 1 }
    }
}

/// Whether a chat's screen is drawn anew.
///
/// A redraw is a screen job like any other, unless one is pending: it shows what is desired where it is shown. It waits
/// until the chat may take a message, so that it takes none of what the chat may be sent at once; a later commit's screen
/// pulls it forward. A pending one that is leased may have been drawn before the change, so it is marked stale: when it
/// was sent, it becomes a redraw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Redraw {
    /// As soon as the chat's pace allows.
    Due,
    /// Not because of this.
    NotYet,
}

/// How many more jobs each bot may have of a lane where there is `room` for so many, once those in `served` had their turn.
pub(super) fn share(room: usize, served: &[LeasedJob]) -> usize {
    let bots: HashSet<BotId> = served.iter().map(|job| job.key.bot).collect();
    (room / bots.len().max(1)).max(1)
}
