//! Pure: no I/O, no clock. The words of the storage contract: what goes in, and every way a call can end.

use super::error::Error;
use super::fence::Fence;
use super::job::{Lane, NewJob, POSITIONS_PER_VERSION, QueuedJob, SCREEN_KEY, TASKS_MAX, screen_position};
use crate::clock::Timestamp;
use crate::flow::books::{Books, Entry, EntryKind, Memory, Turn};
use crate::flow::chat::{Chat, Version};
use crate::flow::decision::{Change, Place, task_key};
use crate::telegram::answer::Answer;
use crate::telegram::id::{BotId, ChatId, UpdateId};
use sha2::{Digest, Sha256};

/// A chat's key. Batches lock in its order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    /// The bot.
    pub bot: BotId,
    /// The private chat.
    pub chat: ChatId,
}

/// A chat as it stands in the store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stored {
    /// The chat.
    pub chat: Chat,
    /// What was applied to it last.
    pub fence: Fence,
    /// The last commit of which Telegram said that the user cannot be reached (403).
    pub unreachable: Option<Version>,
}

/// The one write of an update (or of an operator's command): chat, fence and jobs, together or not at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    /// The chat's key.
    pub key: Key,
    /// The handler's columns as they are to be; `chat.version` is one more than the version that was read, and the
    /// commit applies only to a row of that version (to no row, if it was 0). `chat.shown` is not written.
    pub chat: Chat,
    /// The fence as it is to be, `update` included.
    pub fence: Fence,
    /// Which update this is; none for an operator's command, which no fence judges.
    pub update: Option<UpdateId>,
    /// What is queued with it: the tasks in this order, then the screen.
    pub jobs: Vec<NewJob>,
    /// What is written beside it.
    pub books: Books,
    /// When it was decided, for `created_at` and `updated_at`.
    pub at: Timestamp,
}

impl Commit {
    /// The commit of `change`, which was decided on a chat with the balance `before`. What a dialogue changes of the balance
    /// without a word goes to the ledger all the same.
    pub fn of(key: Key, before: i64, change: Change, fence: Fence, update: Option<UpdateId>, at: Timestamp) -> Self {
        let Change { chat, jobs, mut books } = change;
        let said: i64 = books.entries.iter().map(|entry| entry.amount).sum();
        let unsaid = chat.balance - before - said;
        if unsaid != 0 {
            books.entries.push(Entry { kind: EntryKind::Adjusted, amount: unsaid, reference: String::new() });
        }
        Self { key, chat, fence, update, jobs: jobs.into_iter().map(NewJob::from).collect(), books, at }
    }

    /// The rows of its jobs: at most one screen job, the last.
    ///
    /// # Errors
    /// If there are more than [`TASKS_MAX`] tasks.
    pub(super) fn queued(&self) -> Result<Vec<QueuedJob<'_>>, Error> {
        let version = self.chat.version;
        let mut rows = Vec::with_capacity(self.jobs.len());
        let mut screen = None;
        for job in &self.jobs {
            match job {
                NewJob::Screen(Place::Shown) if screen.is_some() => {}
                NewJob::Screen(place) => screen = Some(*place),
                NewJob::Task { lane, payload } => {
                    if rows.len() == TASKS_MAX {
                        return Err(Error::Data("more tasks than a commit may queue".into()));
                    }
                    let ordinal = rows.len();
                    rows.push(QueuedJob {
                        lane: *lane,
                        key: task_key(version, ordinal),
                        position: version.0 * POSITIONS_PER_VERSION + ordinal as i64,
                        place: None,
                        payload: Some(payload),
                    });
                }
            }
        }
        rows.extend(screen.map(|place| QueuedJob {
            lane: Lane::Outbound,
            key: SCREEN_KEY.to_owned(),
            position: screen_position(version),
            place: Some(place),
            payload: None,
        }));
        Ok(rows)
    }

    /// What becomes of what was said; none: it stays.
    ///
    /// # Errors
    /// If there are more than [`TASKS_MAX`] turns.
    pub(super) fn remembered(&self) -> Result<Option<Remembered<'_>>, Error> {
        let (turns, turns_max) = match &self.books.memory {
            Memory::Kept => return Ok(None),
            Memory::Forgotten => (&[][..], 0),
            Memory::Continued { turns, turns_max } => (&turns[..], *turns_max as usize),
        };
        if turns.len() > TASKS_MAX {
            return Err(Error::Data("more turns than a commit may remember".into()));
        }
        let too_many = turns.len().saturating_sub(turns_max);
        let position = |ordinal: usize| self.chat.version.0 * POSITIONS_PER_VERSION + ordinal as i64;
        Ok(Some(Remembered {
            kept: turns_max.saturating_sub(turns.len()) as i64,
            turns: turns.iter().enumerate().skip(too_many).map(|(ordinal, turn)| (position(ordinal), turn)).collect(),
        }))
    }

    /// The version of the row it was decided on; 0: there was none.
    pub fn base(&self) -> Version {
        Version(self.chat.version.0 - 1)
    }
}

/// What a commit leaves of what was said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Remembered<'a> {
    /// How many of the turns that are there stay: the last ones.
    pub(super) kept: i64,
    /// What follows them, with its position among the chat's turns.
    pub(super) turns: Vec<(i64, &'a Turn)>,
}

/// Every way a commit can end, read from the locked row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It is written. Only now may its answer or its jobs leave.
    Applied,
    /// The fence knows the update: it was applied before, with this answer. Or its payment is known: an empty answer.
    Duplicate {
        /// What it was answered then.
        answer: Answer,
    },
    /// The row has another version, or is gone: reload and decide again.
    Stale,
    /// The row is locked by somebody else. The gatherer tries again; a caller sees it only past its deadline.
    Busy,
}

/// An update that cannot be handled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The bot.
    pub bot: BotId,
    /// Its id; none where the body has none, then the body's digest names it.
    pub update: Option<UpdateId>,
    /// What happened, in our own words, without anything of the body.
    pub reason: &'static str,
    /// The body as it came, for a person to look at and to try again.
    pub body: Vec<u8>,
    /// When.
    pub at: Timestamp,
}

impl Failure {
    /// What names it within its bot: the update's id, or the body's digest.
    pub(super) fn key(&self) -> String {
        match self.update {
            Some(update) => update.to_string(),
            None => format!("sha256:{:x}", Sha256::digest(&self.body)),
        }
    }
}
