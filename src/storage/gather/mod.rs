//! Loads, commits and settles, gathered: while one batch is on the wire the next one forms. Callers do not know.
//! Never waits to make a batch larger, and never lets one chat's locked row hold up another chat.

mod line;
mod member;
mod queue;
mod work;

use super::{Commit, Error, Key, Outcome, Settled, Settlement, Storage, Stored};
use crate::shutdown::Tasks;
use line::Line;
use member::Left;
use queue::Queue;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use tokio::time::Instant;
use work::{Commits, Loads, Settles, Work};

/// How gathering is set up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gathering {
    /// Connections that load.
    pub loaders: usize,
    /// Connections that commit; a chat always goes through the same one.
    pub committers: usize,
    /// Most members of a batch; 1 means not gathered.
    pub batch_max: usize,
    /// Most members that wait for a place in a batch of one connection.
    pub waiting_max: usize,
}

/// The gatherers of a server. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Gathered {
    /// Loads wait in one line, whichever connection is free first takes them.
    loads: Arc<Queue<Loads>>,
    /// Commits wait in a line for each connection, so that those of one chat keep their order.
    commits: Arc<[Arc<Queue<Commits>>]>,
}

impl Gathered {
    /// Opens the gatherers' own connections and starts them in `tasks`. They end when `tasks` is stopped and
    /// nothing waits any more.
    ///
    /// # Errors
    /// If a connection cannot be opened. Later on they are opened again whenever they break.
    pub async fn start(storage: &Storage, gathering: Gathering, tasks: &Tasks) -> Result<Self, Error> {
        let (loaders, committers) = (gathering.loaders.max(1), gathering.committers.max(1));
        let loads = Arc::new(Queue::new(gathering.batch_max, gathering.waiting_max * loaders));
        let commits: Arc<[_]> =
            (0..committers).map(|_| Arc::new(Queue::new(gathering.batch_max, gathering.waiting_max))).collect();
        for _ in 0..loaders {
            start(storage, &loads, tasks).await?;
        }
        for queue in commits.iter() {
            start(storage, queue, tasks).await?;
        }
        Ok(Self { loads, commits })
    }

    /// Reads a chat.
    ///
    /// # Errors
    /// [`Error::Late`] at the deadline, [`Error::Full`] at once; else what the store said of this chat.
    pub async fn load(&self, key: Key, deadline: Instant) -> Result<Option<Stored>, Error> {
        self.loads.push(key, deadline)?.answer().await.unwrap_or_else(|left| {
            Err(match left {
                Left::Waiting | Left::Busy => Error::Late,
                Left::Sent => Error::unavailable("no answer to a load came in time"),
            })
        })
    }

    /// Writes a commit.
    ///
    /// # Errors
    /// [`Error::Late`] at the deadline and [`Error::Full`] at once, nothing written; [`Error::Unavailable`] where it
    /// is not known; else what the store said of this commit.
    pub async fn commit(&self, commit: Commit, deadline: Instant) -> Result<Outcome, Error> {
        let queue = &self.commits[self.committer(commit.key)];
        queue.push(commit, deadline)?.answer().await.unwrap_or_else(|left| match left {
            Left::Waiting => Err(Error::Late),
            Left::Busy => Ok(Outcome::Busy),
            Left::Sent => Err(Error::unavailable("no answer to a commit came in time")),
        })
    }

    /// Which connection a chat's commits go through.
    fn committer(&self, key: Key) -> usize {
        let mut hasher = DefaultHasher::new();
        key.hash(&mut hasher);
        (hasher.finish() % self.commits.len() as u64) as usize
    }
}

/// The gatherer of a sender. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Settler(Arc<Queue<Settles>>);

impl Settler {
    /// Opens a connection of its own and starts it in `tasks`, with at most `batch_max` members of a batch. It ends when
    /// `tasks` is stopped and nothing waits any more.
    ///
    /// # Errors
    /// If the connection cannot be opened. Later on it is opened again whenever it breaks.
    pub async fn start(storage: &Storage, batch_max: usize, tasks: &Tasks) -> Result<Self, Error> {
        // As many wait as calls are made at once, and the sender bounds those.
        let queue = Arc::new(Queue::new(batch_max, usize::MAX));
        start(storage, &queue, tasks).await?;
        Ok(Self(queue))
    }

    /// Ends a lease.
    ///
    /// # Errors
    /// [`Error::Late`] at the deadline, nothing written; [`Error::Unavailable`] where it is not known; else what the
    /// store said of this settlement.
    pub async fn settle(&self, settlement: Settlement, deadline: Instant) -> Result<Settled, Error> {
        self.0.push(settlement, deadline)?.answer().await.unwrap_or_else(|left| match left {
            Left::Waiting => Err(Error::Late),
            Left::Busy => Ok(Settled::Busy),
            Left::Sent => Err(Error::unavailable("no answer to a settle came in time")),
        })
    }
}

async fn start<W: Work>(storage: &Storage, queue: &Arc<Queue<W>>, tasks: &Tasks) -> Result<(), Error> {
    let line = Line::open(storage.clone(), W::PLANS).await?;
    tasks.spawn(line.run(queue.clone(), tasks.clone()));
    Ok(())
}
