//! Jobs: what a commit queues, who holds it, and how that ends.

use super::contract::Key;
use super::json::encode;
use crate::clock::Timestamp;
use crate::flow::chat::{Shown, Version};
use crate::flow::decision::{self, Place, Urgency};
use crate::flow::definition;
use crate::secret;
use crate::telegram::id::BotId;
use std::fmt;
use std::time::Duration;

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

    /// Those that workers empty.
    pub const OF_WORKERS: [Self; 5] = [Self::Text, Self::TextPriority, Self::Image, Self::ImagePriority, Self::Default];

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

impl From<(definition::Lane, Urgency)> for Lane {
    fn from(of: (definition::Lane, Urgency)) -> Self {
        match of {
            (definition::Lane::Text, Urgency::Usual) => Self::Text,
            (definition::Lane::Text, Urgency::Priority) => Self::TextPriority,
            (definition::Lane::Image, Urgency::Usual) => Self::Image,
            (definition::Lane::Image, Urgency::Priority) => Self::ImagePriority,
            (definition::Lane::Default, _) => Self::Default,
        }
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
    /// Show what is desired, in `outbound`. There is at most one a chat. A commit that finds one that
    /// is not leased queues it anew, at the end, attempts reset; one that is leased gets place and serial, and its settle
    /// queues it anew. [`Place::Shown`] replaces no other place.
    Screen(Place),
    /// Work with a payload of its own; never replaced.
    Task {
        /// Where it waits.
        lane: Lane,
        /// What it is, JSON.
        payload: String,
    },
}

impl NewJob {
    /// Where it waits.
    pub const fn lane(&self) -> Lane {
        match self {
            Self::Screen(_) => Lane::Outbound,
            Self::Task { lane, .. } => *lane,
        }
    }
}

impl From<decision::Job> for NewJob {
    fn from(job: decision::Job) -> Self {
        match job {
            decision::Job::Screen(place) => Self::Screen(place),
            decision::Job::Content(content) => Self::Task { lane: Lane::Outbound, payload: encode(&content) },
            decision::Job::Order { lane, urgency, order } => {
                Self::Task { lane: Lane::from((lane, urgency)), payload: encode(&order) }
            }
        }
    }
}

/// A job's id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JobId(pub i64);

/// Proof of a lease. Who leases makes it; whoever holds another one can change nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LeaseToken(pub i64);

impl LeaseToken {
    /// The token that was written as `text`.
    pub fn parse(text: &str) -> Option<Self> {
        u64::from_str_radix(text, 16)
            .ok()
            .map(|bits| Self(bits.cast_signed()))
            .filter(|token| token.to_string() == text)
    }

    /// So many tokens that nobody has: a random one and those that follow it.
    pub(super) fn fresh(count: usize) -> impl Iterator<Item = Self> {
        let first = i64::from_ne_bytes(secret::random());
        (0_i64..).take(count).map(move |offset| Self(first.wrapping_add(offset)))
    }
}

/// As workers know it: in text, since not every language has whole numbers of 64 bits.
impl fmt::Display for LeaseToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// A job in the hands of a sender or worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeasedJob {
    /// Its id.
    pub id: JobId,
    /// Its lane.
    pub lane: Lane,
    /// Its chat.
    pub key: Key,
    /// What names it in its chat: `screen`, or a task's [`task_key`](crate::flow::decision::task_key).
    pub name: String,
    /// What it is.
    pub work: Work,
    /// The version of the commit that wrote it last. A settle removes the job only under the serial it leased.
    pub serial: Version,
    /// How often it was leased, this time included.
    pub attempts: u32,
    /// Proof of this lease.
    pub token: LeaseToken,
    /// When it was queued, by the clock of the process that did.
    pub queued_at: Timestamp,
}

/// What a leased job asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Work {
    /// Show what is desired, there.
    Screen(Place),
    /// The payload of a task.
    Task(String),
}

impl LeasedJob {
    /// Its end by the commit that says what that changes.
    pub fn ends(&self, reach: Reach) -> Ends {
        Ends { id: self.id, token: self.token, serial: self.serial, reach }
    }
}

/// Which leased job a commit ends: it goes with it, or the commit does not apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ends {
    /// The job.
    pub id: JobId,
    /// Proof of the lease.
    pub token: LeaseToken,
    /// The serial it was leased under; one that was replaced meanwhile does not end.
    pub serial: Version,
    /// What its end says of the chat.
    pub reach: Reach,
}

/// Whether a chat can be sent anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// As far as is known.
    Reachable,
    /// Telegram says not (403), of what was queued up to this job's commit.
    Unreachable,
}

/// Which outbound jobs a sender may take at this moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allowed {
    /// Not those of chats that are further ahead of their pace than this.
    pub ahead: Duration,
    /// Not those of these bots.
    pub except: Vec<BotId>,
}

impl Default for Allowed {
    /// All of them.
    fn default() -> Self {
        Self { ahead: Duration::from_secs(u32::MAX.into()), except: Vec::new() }
    }
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
    /// By how much the messages that were sent or edited move the chat's pace on.
    pub pace: Duration,
    /// The generation whose reservation is spent with it, if it is [`End::Done`]. Nothing is where the job is no longer
    /// held.
    pub spent: Option<String>,
}

impl Settlement {
    /// The end of `job`, which moves no pace and spends nothing.
    pub fn of(job: &LeasedJob, end: End) -> Self {
        let LeasedJob { id, key, token, serial, .. } = *job;
        Self { id, key, token, serial, end, pace: Duration::ZERO, spent: None }
    }

    /// The generation that is spent if the job was held: only what was confirmed is.
    pub(super) fn spends(&self) -> Option<&str> {
        self.spent.as_deref().filter(|_| matches!(self.end, End::Done { .. }))
    }

    /// The place of the message that shows the screen that was sent, if it was a screen and was sent.
    pub(super) fn touched(&self) -> Option<Place> {
        match &self.end {
            End::Done { shown: Some(shown) } => Some(Place::Message(shown.message_id)),
            End::Done { shown: None } | End::Again { .. } | End::Refused { .. } => None,
        }
    }
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
    /// Telegram refuses it for good, and that changes nothing else: the job goes.
    Refused {
        /// What that says of the chat.
        reach: Reach,
    },
}

/// Every way a settle can end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settled {
    /// The job ended as said.
    Ended,
    /// As said, and the job was overwritten meanwhile, or what its screen shows has changed: it is there anew, unleased, to
    /// be sent at once, or as soon as the chat's pace allows.
    Renewed,
    /// The lease was gone: nothing was written. What was sent late may have landed last, so where it was a screen, and no
    /// screen job is pending, one is queued that shows what is desired in the message it touched. One that is leased is
    /// drawn once more after it was sent.
    Lost,
    /// Somebody held the chat's row, or its job's. Nothing was written.
    Busy,
}

/// Every way of making a job due can end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retried {
    /// It is due now.
    Due,
    /// Somebody does it at this moment; nothing was changed.
    Leased,
    /// There is no such job.
    Gone,
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

/// Most jobs of one commit, its screen job not counted.
pub const TASKS_MAX: usize = 255;

/// A chat's jobs are done in the order of their positions: the version of the commit, times 256, plus the place in it.
pub(super) const POSITIONS_PER_VERSION: i64 = 256;

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
