//! Loads and commits, gathered: while one batch is on the wire the next one forms. Callers do not know.

use super::{Commit, Error, Key, Outcome, Storage, Stored};
use crate::shutdown::Tasks;
use tokio::time::Instant;

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

/// The gatherers of a process. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Gathered {}

impl Gathered {
    /// Opens the gatherers' own connections and starts them in `tasks`. They end when `tasks` is stopped and
    /// nothing waits any more.
    pub async fn start(storage: &Storage, gathering: Gathering, tasks: &Tasks) -> Result<Self, Error> {
        todo!()
    }
    /// Reads a chat.
    pub async fn load(&self, key: Key, deadline: Instant) -> Result<Option<Stored>, Error> {
        todo!()
    }
    /// Writes a commit.
    pub async fn commit(&self, commit: Commit, deadline: Instant) -> Result<Outcome, Error> {
        todo!()
    }
}
