//! The two backends behind one closed enum, chosen by the URL alone.

use super::{
    Allowed, Commit, Ends, Error, Failure, Forgotten, Holdings, JobId, Key, LaneDepth, LeaseToken, LeasedJob, Letter,
    ListedFailure, ListedJob, Outcome, Retried, Settled, Settlement, ShownJob, Stored, postgres, sqlite,
};
use crate::bot::Bot;
use crate::clock::Timestamp;
use crate::secret::Secret;
use crate::telegram::id::BotId;
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

/// Every way changing a bot can end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Updated {
    /// It is as said.
    Updated,
    /// Another bot has its name; nothing was changed.
    NameTaken,
    /// It is gone.
    Gone,
}

/// An open store.
#[derive(Clone, Debug)]
pub struct Storage(Backend);

#[derive(Clone, Debug)]
enum Backend {
    Postgres(postgres::Postgres),
    Sqlite(sqlite::Sqlite),
}

/// Runs a method on whichever backend it is.
macro_rules! on {
    ($of:expr, $backend:ident => $call:expr) => {
        match $of {
            Backend::Postgres($backend) => $call,
            Backend::Sqlite($backend) => $call,
        }
    };
}

mod books;
mod lanes;

impl Storage {
    /// Opens the store; creates the file in the embedded profile. Does not look at the schema.
    pub async fn open(url: &StorageUrl) -> Result<Self, Error> {
        Ok(Self(match url {
            StorageUrl::Postgres(url) => Backend::Postgres(postgres::Postgres::open(url).await?),
            StorageUrl::Sqlite(path) => Backend::Sqlite(sqlite::Sqlite::open(path).await?),
        }))
    }

    /// Brings the schema to this program's version.
    pub async fn migrate(&self) -> Result<Migrated, Error> {
        on!(&self.0, backend => backend.migrate().await)
    }

    /// Whether the schema fits and no setting breaks a promise (`synchronous_commit`, at least PostgreSQL 14).
    pub async fn check(&self) -> Result<(), Error> {
        on!(&self.0, backend => backend.check().await)
    }

    /// Whether the store answers.
    pub async fn ping(&self) -> Result<(), Error> {
        on!(&self.0, backend => backend.ping().await)
    }

    /// All bots, by id.
    pub async fn bots(&self) -> Result<Vec<Bot>, Error> {
        on!(&self.0, backend => backend.bots().await)
    }

    /// Adds a bot.
    pub async fn add_bot(&self, bot: &Bot, at: Timestamp) -> Result<Added, Error> {
        on!(&self.0, backend => backend.add_bot(bot, at).await)
    }

    /// Writes all columns of a bot.
    pub async fn update_bot(&self, bot: &Bot, at: Timestamp) -> Result<Updated, Error> {
        on!(&self.0, backend => backend.update_bot(bot, at).await)
    }

    /// What is kept for a bot.
    pub async fn holdings(&self, bot: BotId) -> Result<Holdings, Error> {
        on!(&self.0, backend => backend.holdings(bot).await)
    }

    /// Removes at most `limit` each of all that [`Holdings`] counts of a bot, and says how many rows that were: a bot is
    /// cleared in portions, so that no other bot waits for the whole of it.
    pub async fn clear_bot(&self, bot: BotId, limit: usize) -> Result<u64, Error> {
        on!(&self.0, backend => backend.clear_bot(bot, limit).await)
    }

    /// Removes a bot's own row; false if it is gone.
    pub async fn remove_bot(&self, bot: BotId) -> Result<bool, Error> {
        on!(&self.0, backend => backend.remove_bot(bot).await)
    }

    /// Removes a chat, its jobs, its ledger, what was said, and the failures of these keys, together or not at all; its
    /// payments stay, see [`Forgotten`]. What is in flight of the chat finds no row: a commit is [`Outcome::Stale`], a
    /// settle writes nothing.
    pub async fn forget(&self, key: Key, failures: &[String]) -> Result<Forgotten, Error> {
        on!(&self.0, backend => backend.forget(key, failures).await)
    }

    /// One indexed read of each chat; absent is none. One that does not decode fails alone.
    pub async fn load(&self, keys: &[Key]) -> Result<Vec<Result<Option<Stored>, Error>>, Error> {
        on!(&self.0, backend => backend.load(keys).await)
    }

    /// One commit by itself, for the command line and for tests; the server's go through [`super::Gathered`].
    pub async fn commit(&self, commit: &Commit) -> Result<Outcome, Error> {
        on!(&self.0, backend => backend.commit(commit).await)
    }

    /// A commit that ends a leased job: both or neither. Where the job is not held any more under its token and serial,
    /// it is [`Outcome::Duplicate`], with an empty answer. (A lease that ran out is still held until somebody else takes the
    /// job.)
    pub async fn commit_and_end(&self, commit: &Commit, ends: Ends) -> Result<Outcome, Error> {
        on!(&self.0, backend => backend.commit_and_end(commit, ends).await)
    }

    /// Leases up to `limit` due jobs of `outbound`, each under a token of its own: at most the first of each chat, of those
    /// that are `allowed`.
    pub async fn lease_outbound(
        &self,
        limit: usize,
        lease: Duration,
        allowed: &Allowed,
    ) -> Result<Vec<LeasedJob>, Error> {
        on!(&self.0, backend => backend.lease_outbound(limit, lease, allowed).await)
    }

    /// Leases this job, due or not; none if it is gone or in other hands.
    pub async fn lease_one(&self, bot: BotId, id: JobId, lease: Duration) -> Result<Option<LeasedJob>, Error> {
        on!(&self.0, backend => backend.lease_one(bot, id, lease).await)
    }

    /// Renews leases; says of each whether it was still held.
    pub async fn renew(&self, leases: &[(JobId, LeaseToken)], lease: Duration) -> Result<Vec<bool>, Error> {
        on!(&self.0, backend => backend.renew(leases, lease).await)
    }

    /// Ends a lease by itself, for the command line and for tests; a sender's settles go through [`super::Settler`].
    pub async fn settle(&self, settlement: &Settlement) -> Result<Settled, Error> {
        on!(&self.0, backend => backend.settle(settlement).await)
    }

    /// Makes a job due that waits or was refused for good; what holds its whole chat (429) still does.
    pub async fn retry_job(&self, bot: BotId, job: JobId) -> Result<Retried, Error> {
        on!(&self.0, backend => backend.retry_job(bot, job).await)
    }

    /// How each lane stands that has jobs.
    pub async fn depths(&self) -> Result<Vec<LaneDepth>, Error> {
        on!(&self.0, backend => backend.depths().await)
    }

    /// Counts a failed attempt of an update and says how many there were, this one included.
    pub async fn count_failure(&self, failure: &Failure) -> Result<u32, Error> {
        on!(&self.0, backend => backend.count_failure(failure).await)
    }

    /// Puts an update to the dead letters; false if it is there already, which changes nothing.
    pub async fn bury(&self, failure: &Failure) -> Result<bool, Error> {
        on!(&self.0, backend => backend.bury(failure).await)
    }

    /// Removes an update that failed; false if it is gone.
    pub async fn drop_failure(&self, bot: BotId, key: &str) -> Result<bool, Error> {
        on!(&self.0, backend => backend.drop_failure(bot, key).await)
    }

    /// At most `limit` jobs of a bot, by lane, chat and order, for a person to look at.
    pub async fn jobs(&self, bot: BotId, limit: usize) -> Result<Vec<ListedJob>, Error> {
        on!(&self.0, backend => backend.jobs(bot, limit).await)
    }

    /// At most `limit` updates of a bot that failed, the last first, for a person to look at.
    pub async fn failures(&self, bot: BotId, limit: usize) -> Result<Vec<ListedFailure>, Error> {
        on!(&self.0, backend => backend.failures(bot, limit).await)
    }

    /// One job of a bot, for a person to look at.
    pub async fn job(&self, bot: BotId, job: JobId) -> Result<Option<ShownJob>, Error> {
        on!(&self.0, backend => backend.job(bot, job).await)
    }

    /// One update of a bot that failed, for a person to look at and to try again.
    pub async fn letter(&self, bot: BotId, key: &str) -> Result<Option<Letter>, Error> {
        on!(&self.0, backend => backend.letter(bot, key).await)
    }

    /// A connection of a gatherer's own.
    pub(super) async fn wire(&self, plans: Plans) -> Result<Wire, Error> {
        Ok(Wire(match &self.0 {
            Backend::Postgres(backend) => Link::Postgres(backend.wire(plans).await?),
            Backend::Sqlite(backend) => Link::Sqlite(backend.wire()),
        }))
    }
}

/// How PostgreSQL plans the statements of a gatherer's connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Plans {
    /// Once: of chats there is one index to choose.
    Kept,
    /// Each time anew: which index is the right one shows only where there are jobs.
    Fresh,
}

/// A gatherer's connection. After an error that does not say of itself that it was rolled back, nobody knows what
/// became of the batch and the connection is no good: drop it.
#[derive(Debug)]
pub(super) struct Wire(Link);

#[derive(Debug)]
enum Link {
    Postgres(postgres::Wire),
    Sqlite(sqlite::Wire),
}

impl Wire {
    /// Reads a batch of chats.
    pub(super) async fn load(&mut self, keys: &[Key]) -> Result<Vec<Result<Option<Stored>, Error>>, Error> {
        match &mut self.0 {
            Link::Postgres(link) => link.load(keys).await,
            Link::Sqlite(link) => link.load(keys).await,
        }
    }

    /// Writes a batch of commits, at most one of each chat. An error is of the whole batch.
    pub(super) async fn commit(&mut self, commits: &[Commit]) -> Result<Vec<Outcome>, Error> {
        match &mut self.0 {
            Link::Postgres(link) => link.commit(commits).await,
            Link::Sqlite(link) => link.commit(commits).await,
        }
    }

    /// Ends a batch of leases, at most one of each chat. An error is of the whole batch.
    pub(super) async fn settle(&mut self, settlements: &[Settlement]) -> Result<Vec<Settled>, Error> {
        match &mut self.0 {
            Link::Postgres(link) => link.settle(settlements).await,
            Link::Sqlite(link) => link.settle(settlements).await,
        }
    }
}
