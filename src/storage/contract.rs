//! Pure: no I/O, no clock. The words of the storage contract: what goes in, and every way a call can end.

use super::error::Error;
use super::fence::Fence;
use crate::clock::Timestamp;
use crate::flow::chat::{Chat, Shown, Version};
use crate::flow::decision::Place;
use crate::telegram::answer::Answer;
use crate::telegram::id::{BotId, ChatId, UpdateId};
use sha2::{Digest, Sha256};
use std::fmt;
use std::time::Duration;

/// A chat's key. Batches lock in its order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    /// The bot.
    pub bot: BotId,
    /// The private chat.
    pub chat: ChatId,
}

/// A chat as it stands in the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stored {
    /// The chat.
    pub chat: Chat,
    /// What was applied to it last.
    pub fence: Fence,
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
    /// What is queued with it, in this order.
    pub jobs: Vec<NewJob>,
    /// When it was decided, for `created_at` and `updated_at`.
    pub at: Timestamp,
}

/// Most jobs of one commit, its screen job not counted.
pub const TASKS_MAX: usize = 255;

/// A chat's jobs are done in the order of their positions: the version of the commit, times 256, plus the place in it.
const POSITIONS_PER_VERSION: i64 = 256;

/// A job as its row is to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct QueuedJob<'a> {
    /// Its lane.
    pub(super) lane: Lane,
    /// Unique in its chat: `screen`, or `VERSION.ORDINAL`.
    pub(super) key: String,
    /// Its order among the chat's jobs.
    pub(super) position: i64,
    /// Of a screen job.
    pub(super) place: Option<Place>,
    /// Of a task.
    pub(super) payload: Option<&'a str>,
}

/// The key of a chat's screen job.
pub(super) const SCREEN_KEY: &str = "screen";

/// Where a screen job of `serial` stands among the chat's jobs: after all that was queued with it.
pub(super) const fn screen_position(serial: Version) -> i64 {
    serial.0 * POSITIONS_PER_VERSION + (POSITIONS_PER_VERSION - 1)
}

impl Commit {
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
                        key: format!("{}.{ordinal}", version.0),
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

    /// The version of the row it was decided on; 0: there was none.
    pub fn base(&self) -> Version {
        Version(self.chat.version.0 - 1)
    }
}

/// Every way a commit can end, read from the locked row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It is written. Only now may its answer or its jobs leave.
    Applied,
    /// The fence knows the update: it was applied before, with this answer.
    Duplicate {
        /// What it was answered then.
        answer: Answer,
    },
    /// The row has another version, or is gone: reload and decide again.
    Stale,
    /// The row is locked by somebody else. The gatherer tries again; a caller sees it only past its deadline.
    Busy,
}

/// A named durable queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Lane {
    /// To the Bot API.
    Outbound,
    /// Texts to be generated.
    Text,
    /// The same for paying chats.
    TextPriority,
    /// Images to be generated.
    Image,
    /// The same for paying chats.
    ImagePriority,
    /// Anything else.
    Default,
}

impl Lane {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Outbound, Self::Text, Self::TextPriority, Self::Image, Self::ImagePriority, Self::Default];

    /// Its name in the store, in URLs and in labels.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Outbound => "outbound",
            Self::Text => "text",
            Self::TextPriority => "text_priority",
            Self::Image => "image",
            Self::ImagePriority => "image_priority",
            Self::Default => "default",
        }
    }

    /// The lane of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|lane| lane.name() == name)
    }
}

impl fmt::Display for Lane {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A job to be queued by a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NewJob {
    /// Show what is desired, in `outbound`. There is at most one a chat: see the `jobs` table for how one replaces another.
    Screen(Place),
    /// Work with a payload of its own; never replaced.
    Task {
        /// Where it waits.
        lane: Lane,
        /// What it is, JSON.
        payload: String,
    },
}

/// A job's id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JobId(pub i64);

/// Proof of a lease. Who leases makes it; whoever holds another one can change nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LeaseToken(pub i64);

/// A job in the hands of a sender or worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeasedJob {
    /// Its id.
    pub id: JobId,
    /// Its chat.
    pub key: Key,
    /// What it is.
    pub work: Work,
    /// The version of the commit that wrote it last. A settle removes the job only under the serial it leased.
    pub serial: Version,
    /// How often it was leased, this time included.
    pub attempts: u32,
    /// Proof of this lease.
    pub token: LeaseToken,
}

/// What a leased job asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Work {
    /// Show what is desired, there.
    Screen(Place),
    /// The payload of a task.
    Task(String),
}

/// How a sender ends its lease of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settlement {
    /// The job.
    pub id: JobId,
    /// Its chat.
    pub key: Key,
    /// Proof of the lease.
    pub token: LeaseToken,
    /// The serial it was leased under.
    pub serial: Version,
    /// What became of it.
    pub end: End,
}

/// What became of a leased outbound job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// Telegram confirmed it. The job goes, and `shown` is written where it was a screen.
    Done {
        /// What the chat shows now.
        shown: Option<Shown>,
    },
    /// To be tried again after this long, by the store's clock.
    Again {
        /// How long.
        after: Duration,
        /// Whether the whole chat waits (429), even for a screen that replaces this one.
        hold: bool,
    },
    /// Telegram refuses it: it waits for the chat's next screen, which replaces it.
    Parked,
}

/// Every way a settle can end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settled {
    /// The job ended as said.
    Ended,
    /// As said, and the job was overwritten meanwhile: it is there anew, unleased, to be sent at once.
    Renewed,
    /// The lease was gone: nothing was written.
    Lost,
}

/// How a lane stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneDepth {
    /// The lane.
    pub lane: Lane,
    /// Jobs in it, leased ones included.
    pub depth: u64,
    /// The age of the oldest.
    pub oldest: Duration,
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
