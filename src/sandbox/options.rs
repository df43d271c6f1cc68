//! What a sandbox is started with.

use super::clock::Speed;
use super::seed::Seed;
use crate::clock::Timestamp;
use crate::config;
use crate::library::Dialogues;
use crate::storage::StorageUrl;
use crate::telegram::webhook::MAX_CONNECTIONS_DEFAULT;
use std::net::SocketAddr;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

/// What a sandbox is started with; the default is what `botctl sandbox` without flags is, but for page and demo worker.
#[derive(Clone, Debug)]
pub struct Options {
    /// Whether there is a page, and where.
    pub page: PageAt,
    /// The store; none: a temporary file.
    pub database_url: Option<StorageUrl>,
    /// What becomes of the chats of an earlier sandbox in that store.
    pub earlier: Earlier,
    /// A folder of flows, or of one flow, that is watched.
    pub flows: Option<PathBuf>,
    /// Dialogues that are written in Rust.
    pub dialogues: Dialogues,
    /// The name of the bot's flow; none: the one of `flows` if it has one alone, else the first of `dialogues`, else the
    /// shipped example.
    pub flow: Option<String>,
    /// From which all chance follows.
    pub seed: Seed,
    /// What the simulated clock says at the start; none: what the real one does.
    pub from: Option<Timestamp>,
    /// How fast it goes.
    pub speed: Speed,
    /// How many updates Telegram may post at once.
    pub max_connections: u16,
    /// Who does the jobs of the lanes, if nobody else does.
    pub demo: DemoWorker,
    /// Who else may take work from the lanes.
    pub workers: Vec<config::Worker>,
    /// Who is there: first names and the languages of their clients.
    pub users: Vec<(String, Option<String>)>,
}

/// The worker that gives canned answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DemoWorker {
    /// It is there, and takes so long for each job.
    Takes(RangeInclusive<Duration>),
    /// It is not there.
    Absent,
}

impl DemoWorker {
    /// So slow that one sees a text grow.
    pub const SLOW: Self = Self::Takes(RangeInclusive::new(Duration::from_secs(3), Duration::from_secs(10)));
    /// So fast that nobody waits.
    pub const FAST: Self = Self::Takes(RangeInclusive::new(Duration::ZERO, Duration::ZERO));
}

/// What becomes of the chats of an earlier sandbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Earlier {
    /// They go: the world around the store is new, and they would belong to nobody.
    Removed,
    /// They stay: a test has prepared them.
    Kept,
}

/// Where the page is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageAt {
    /// Nowhere.
    Nowhere,
    /// At this address and no other.
    Exactly(SocketAddr),
    /// At this address or the next port that is free.
    From(SocketAddr),
}

impl Default for Options {
    fn default() -> Self {
        Self {
            page: PageAt::Nowhere,
            database_url: None,
            earlier: Earlier::Removed,
            flows: None,
            dialogues: Dialogues::default(),
            flow: None,
            seed: Seed::new(1),
            from: None,
            speed: Speed::REAL,
            max_connections: MAX_CONNECTIONS_DEFAULT,
            demo: DemoWorker::Absent,
            workers: Vec::new(),
            users: Vec::new(),
        }
    }
}
