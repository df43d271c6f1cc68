//! The two backends behind one closed enum, chosen by the URL alone.

use super::{
    Commit, Error, Failure, JobId, Key, Lane, LaneDepth, LeaseToken, LeasedJob, Outcome, Settled, Settlement, Stored,
};
use crate::bot::Bot;
use crate::clock::Timestamp;
use crate::secret::Secret;
use std::path::PathBuf;
use std::time::Duration;

/// Where the store is: `sqlite://PATH` or `postgres://…`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StorageUrl {
    /// A file of this machine; several processes may share it.
    Sqlite(PathBuf),
    /// A server. The URL may hold a password.
    Postgres(Secret),
}

/// What `migrate` did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Migrated {
    /// The schema's version before; 0: none.
    pub from: i64,
    /// The schema's version now.
    pub to: i64,
}

/// Every way adding a bot can end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Added {
    /// It is there.
    Added,
    /// Another bot has its name.
    NameTaken,
    /// The bot is there already.
    IdTaken,
}

/// An open store.
#[derive(Clone, Debug)]
pub enum Storage {}

impl Storage {
    /// Opens the store; creates the file in the embedded profile. Does not look at the schema.
    pub async fn open(url: &StorageUrl) -> Result<Self, Error> {
        todo!()
    }
    /// Brings the schema to this program's version.
    pub async fn migrate(&self) -> Result<Migrated, Error> {
        todo!()
    }
    /// Whether the schema fits and no setting breaks a promise (`synchronous_commit`, at least PostgreSQL 14).
    pub async fn check(&self) -> Result<(), Error> {
        todo!()
    }
    /// Whether the store answers.
    pub async fn ping(&self) -> Result<(), Error> {
        todo!()
    }
    /// All bots, by id.
    pub async fn bots(&self) -> Result<Vec<Bot>, Error> {
        todo!()
    }
    /// Adds a bot.
    pub async fn add_bot(&self, bot: &Bot, at: Timestamp) -> Result<Added, Error> {
        todo!()
    }
    /// Writes all columns of a bot; false if it is gone.
    pub async fn update_bot(&self, bot: &Bot, at: Timestamp) -> Result<bool, Error> {
        todo!()
    }
    /// One indexed read of each chat; absent is none.
    pub async fn load(&self, keys: &[Key]) -> Result<Vec<Option<Stored>>, Error> {
        todo!()
    }
    /// One commit by itself, for the command line and for tests; the server's go through [`super::Gathered`].
    pub async fn commit(&self, commit: &Commit) -> Result<Outcome, Error> {
        todo!()
    }
    /// Leases up to `limit` due jobs of `lane`, at most the first of each chat in `outbound`, each under a token of its own.
    pub async fn lease(&self, lane: Lane, limit: usize, lease: Duration) -> Result<Vec<LeasedJob>, Error> {
        todo!()
    }
    /// Renews leases; says of each whether it was still held.
    pub async fn renew(&self, leases: &[(JobId, LeaseToken)], lease: Duration) -> Result<Vec<bool>, Error> {
        todo!()
    }
    /// Ends a lease.
    pub async fn settle(&self, settlement: &Settlement) -> Result<Settled, Error> {
        todo!()
    }
    /// How each lane stands that has jobs.
    pub async fn depths(&self) -> Result<Vec<LaneDepth>, Error> {
        todo!()
    }
    /// Counts a failed attempt of an update and says how many there were, this one included.
    pub async fn count_failure(&self, failure: &Failure) -> Result<u32, Error> {
        todo!()
    }
    /// Puts an update to the dead letters; doing it again changes nothing.
    pub async fn bury(&self, failure: &Failure) -> Result<(), Error> {
        todo!()
    }
}
