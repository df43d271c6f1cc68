//! PostgreSQL 14 or newer: the cluster profile.
//! Never waits for a chat's row in a batch, and never keeps a transaction open while something else is waited for.

mod batch;
mod books;
mod bots;
mod chats;
mod dead;
mod erasure;
mod files;
mod jobs;
mod lanes;
mod listing;
mod waiting;
mod whole;
mod wire;

pub(super) use wire::Wire;

use super::store::{Added, Migrated, Plans, Updated};
use super::{Allowed, Commit, Ends, Error, Failure, Forgotten, Holdings, JobId, Key, LaneDepth, LeaseToken};
use super::{LeasedJob, Letter, ListedFailure, ListedJob, Outcome, Retried, Settled, Settlement, ShownJob, Stored};
use crate::bot::Bot;
use crate::clock::Timestamp;
use crate::secret::Secret;
use crate::telegram::id::BotId;
use sqlx::migrate::{MigrateError, Migrator};
use sqlx::postgres::{PgConnectOptions, PgPool, PgPoolOptions};
use sqlx::{ConnectOptions, Connection, Executor, SqlSafeStr};
use std::future::Future;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

static MIGRATIONS: Migrator = sqlx::migrate!("migrations/postgres");

/// Connections for everything that is not gathered.
const POOL_SIZE: u32 = 6;
/// How long to wait for one of them.
const ACQUIRE_TIME_MAX: Duration = Duration::from_secs(2);
/// How long a call through the pool may take in all, whatever the server or the network does.
const CALL_TIME_MAX: Duration = Duration::from_secs(10);
/// - As in [`wire`]: nothing here reads a table whole but the counts of an operator. Jobs are read as their index has
///   them: a plan that knows too little of them would else read and sort all that are due.
/// - Jobs come and go. To a plan that was made while there were none, all three indexes are the same, and kept, it could
///   read the whole of one for each job of a backlog. Planning a lease anew takes half a millisecond.
const SETTINGS: [(&str, &str); 5] = [
    ("enable_seqscan", "off"),
    ("enable_bitmapscan", "off"),
    ("plan_cache_mode", "force_custom_plan"),
    ("lock_timeout", "2s"),
    ("statement_timeout", "8s"),
];
/// The oldest server whose features are used, as `server_version_num` writes it.
const SERVER_VERSION_MIN: i64 = 140_000;

/// An open server.
#[derive(Clone, Debug)]
pub(super) struct Postgres {
    options: Arc<PgConnectOptions>,
    pool: PgPool,
}

impl Postgres {
    pub(super) async fn open(url: &Secret) -> Result<Self, Error> {
        let options = PgConnectOptions::from_str(url.expose())
            .map_err(|_| Error::Setting("DATABASE_URL is not a PostgreSQL URL: postgres://USER@HOST/DATABASE".into()))?
            .application_name("tapgate")
            .disable_statement_logging();
        // Directly first: a pool tries again and again, and then says only that it found no connection in time.
        tokio::time::timeout(ACQUIRE_TIME_MAX, options.connect())
            .await
            .map_err(|_| Error::unavailable("the server did not answer in time"))??
            .close()
            .await?;
        let pool = PgPoolOptions::new()
            .max_connections(POOL_SIZE)
            .acquire_timeout(ACQUIRE_TIME_MAX)
            // A round trip before every call; a dead connection shows itself all the same.
            .test_before_acquire(false)
            .connect_lazy_with(options.clone().options(SETTINGS));
        Ok(Self { options: Arc::new(options), pool })
    }

    pub(super) async fn migrate(&self) -> Result<Migrated, Error> {
        // A connection of its own: building an index may outlast the pool's time limits.
        let mut connection = self.options.connect().await?;
        let from = schema_version(&mut connection).await?;
        if from > needed_version() {
            self.check_schema().await?;
            return Ok(Migrated { from, to: from });
        }
        MIGRATIONS.run(&mut connection).await.map_err(migrate_error)?;
        let to = schema_version(&mut connection).await?;
        connection.close().await?;
        Ok(Migrated { from, to })
    }

    pub(super) async fn check(&self) -> Result<(), Error> {
        bounded(check_settings(&self.pool)).await?;
        self.check_schema().await?;
        bounded(prepare(&self.pool)).await
    }

    async fn check_schema(&self) -> Result<(), Error> {
        bounded(async {
            let needed = needed_version();
            let found = schema_version(&mut *self.pool.acquire().await?).await?;
            let readable = match found {
                _ if found == needed => true,
                _ if found > needed => readable_since(&self.pool).await? <= needed,
                _ => false,
            };
            if readable { Ok(()) } else { Err(Error::Schema { found, needed }) }
        })
        .await
    }

    pub(super) async fn ping(&self) -> Result<(), Error> {
        bounded(ping(&self.pool)).await
    }

    pub(super) async fn bots(&self) -> Result<Vec<Bot>, Error> {
        bounded(bots::all(&self.pool)).await
    }

    pub(super) async fn add_bot(&self, bot: &Bot, at: Timestamp) -> Result<Added, Error> {
        bounded(bots::add(&self.pool, bot, at)).await
    }

    pub(super) async fn update_bot(&self, bot: &Bot, at: Timestamp) -> Result<Updated, Error> {
        bounded(bots::update(&self.pool, bot, at)).await
    }

    pub(super) async fn holdings(&self, bot: BotId) -> Result<Holdings, Error> {
        bounded(erasure::holdings(&self.pool, bot)).await
    }

    pub(super) async fn clear_bot(&self, bot: BotId, limit: usize) -> Result<u64, Error> {
        bounded(erasure::clear_bot(&self.pool, bot, limit)).await
    }

    pub(super) async fn remove_bot(&self, bot: BotId) -> Result<bool, Error> {
        bounded(erasure::remove_bot(&self.pool, bot)).await
    }

    pub(super) async fn forget(&self, key: Key, failures: &[String]) -> Result<Forgotten, Error> {
        bounded(erasure::forget(&self.pool, key, failures)).await
    }

    pub(super) async fn load(&self, keys: &[Key]) -> Result<Vec<Result<Option<Stored>, Error>>, Error> {
        bounded(async { chats::load(&mut *self.pool.acquire().await?, keys).await }).await
    }

    pub(super) async fn commit(&self, commit: &Commit) -> Result<Outcome, Error> {
        bounded(async {
            let outcomes = chats::commit(&mut *self.pool.acquire().await?, std::slice::from_ref(commit)).await?;
            outcomes.into_iter().next().ok_or_else(|| Error::unavailable("the server gave no outcome"))
        })
        .await
    }

    pub(super) async fn commit_and_end(&self, commit: &Commit, ends: Ends) -> Result<Outcome, Error> {
        bounded(async { whole::commit(&mut *self.pool.acquire().await?, commit, Some(ends)).await }).await
    }

    pub(super) async fn lease_outbound(
        &self,
        limit: usize,
        lease: Duration,
        allowed: &Allowed,
    ) -> Result<Vec<LeasedJob>, Error> {
        bounded(jobs::lease_outbound(&self.pool, limit, lease, allowed)).await
    }

    pub(super) async fn lease_one(&self, bot: BotId, id: JobId, lease: Duration) -> Result<Option<LeasedJob>, Error> {
        bounded(jobs::lease_one(&self.pool, bot, id, lease)).await
    }

    pub(super) async fn renew(&self, leases: &[(JobId, LeaseToken)], lease: Duration) -> Result<Vec<bool>, Error> {
        bounded(jobs::renew(&self.pool, leases, lease)).await
    }

    pub(super) async fn settle(&self, settlement: &Settlement) -> Result<Settled, Error> {
        bounded(async {
            let settled = jobs::settle(&mut *self.pool.acquire().await?, std::slice::from_ref(settlement)).await?;
            settled.into_iter().next().ok_or_else(|| Error::unavailable("the server gave no outcome"))
        })
        .await
    }

    pub(super) async fn retry_job(&self, bot: BotId, job: JobId) -> Result<Retried, Error> {
        bounded(jobs::retry(&self.pool, bot, job)).await
    }

    pub(super) async fn depths(&self) -> Result<Vec<LaneDepth>, Error> {
        bounded(jobs::depths(&self.pool)).await
    }

    pub(super) async fn count_failure(&self, failure: &Failure) -> Result<u32, Error> {
        bounded(dead::count_failure(&self.pool, failure)).await
    }

    pub(super) async fn bury(&self, failure: &Failure) -> Result<bool, Error> {
        bounded(dead::bury(&self.pool, failure)).await
    }

    pub(super) async fn drop_failure(&self, bot: BotId, key: &str) -> Result<bool, Error> {
        bounded(dead::discard(&self.pool, bot, key)).await
    }

    pub(super) async fn jobs(&self, bot: BotId, limit: usize) -> Result<Vec<ListedJob>, Error> {
        bounded(listing::jobs(&self.pool, bot, limit)).await
    }

    pub(super) async fn failures(&self, bot: BotId, limit: usize) -> Result<Vec<ListedFailure>, Error> {
        bounded(listing::failures(&self.pool, bot, limit)).await
    }

    pub(super) async fn job(&self, bot: BotId, job: JobId) -> Result<Option<ShownJob>, Error> {
        bounded(listing::job(&self.pool, bot, job)).await
    }

    pub(super) async fn letter(&self, bot: BotId, key: &str) -> Result<Option<Letter>, Error> {
        bounded(listing::letter(&self.pool, bot, key)).await
    }

    pub(super) async fn wire(&self, plans: Plans) -> Result<Wire, Error> {
        Wire::open(&self.options, plans).await
    }
}

async fn bounded<T>(call: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
    tokio::time::timeout(CALL_TIME_MAX, call)
        .await
        .unwrap_or_else(|_| Err(Error::unavailable("the server did not answer in time")))
}

fn needed_version() -> i64 {
    MIGRATIONS.iter().map(|migration| migration.version).max().unwrap_or(0)
}

fn migrate_error(error: MigrateError) -> Error {
    match error {
        MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _) => error.into(),
        other => Error::Setting(format!("the schema cannot be migrated: {other}")),
    }
}

const HAS_MIGRATIONS: &str = "SELECT to_regclass('_sqlx_migrations') IS NOT NULL";
const SCHEMA_VERSION: &str = "SELECT coalesce(max(version), 0) FROM _sqlx_migrations WHERE success";

async fn schema_version(connection: &mut sqlx::PgConnection) -> Result<i64, Error> {
    let migrated: bool = sqlx::query_scalar(HAS_MIGRATIONS).fetch_one(&mut *connection).await?;
    if !migrated {
        return Ok(0);
    }
    Ok(sqlx::query_scalar(SCHEMA_VERSION).fetch_one(connection).await?)
}

const READABLE_SINCE: &str = "SELECT since FROM schema_readable";

async fn readable_since(pool: &PgPool) -> Result<i64, Error> {
    Ok(sqlx::query_scalar(READABLE_SINCE).fetch_one(pool).await?)
}

const READ_SETTINGS: &str =
    "SELECT current_setting('server_version_num')::bigint, current_setting('synchronous_commit')";

async fn check_settings(pool: &PgPool) -> Result<(), Error> {
    let (version, synchronous_commit): (i64, String) = sqlx::query_as(READ_SETTINGS).fetch_one(pool).await?;
    if version < SERVER_VERSION_MIN {
        let major = version / 10_000;
        return Err(Error::Setting(format!("PostgreSQL {major} is too old: version 14 or newer is needed")));
    }
    if synchronous_commit == "off" {
        return Err(Error::Setting(
            "synchronous_commit is off, so an update that was answered could be lost in a crash: \
             ALTER DATABASE … SET synchronous_commit = on (or ALTER ROLE, or postgresql.conf)"
                .into(),
        ));
    }
    Ok(())
}

const PING: &str = "SELECT 1";

async fn ping(pool: &PgPool) -> Result<(), Error> {
    sqlx::query(PING).execute(pool).await?;
    Ok(())
}

/// Every statement on the tables: what `check` prepares.
const STATEMENTS: [&str; 58] = [
    READABLE_SINCE,
    bots::ALL,
    bots::ADD,
    bots::KNOWS,
    bots::UPDATE,
    chats::LOAD,
    chats::COMMIT,
    chats::COMMIT_WITH_BOOKS,
    jobs::LEASE_OUTBOUND,
    jobs::LEASE_ONE,
    jobs::RENEW,
    jobs::SETTLE,
    jobs::RETRY,
    jobs::KNOWS,
    jobs::DEPTHS,
    lanes::LEASE,
    lanes::LEASE_EXHAUSTED,
    lanes::HELD,
    waiting::PROGRESS,
    waiting::WAITING,
    waiting::TELL_PLACES,
    lanes::DUE,
    whole::LOCK,
    whole::END,
    whole::MARK,
    books::TURNS,
    books::LEDGER,
    books::LEDGER_SUM,
    books::PAYMENTS,
    books::PAYMENT,
    books::PAY,
    books::REFUND,
    files::KEEP,
    files::CONTENT,
    files::IS_KEPT,
    files::DROP,
    files::SWEEP,
    dead::COUNT_FAILURE,
    dead::BURY,
    dead::DISCARD,
    listing::JOBS,
    listing::FAILURES,
    listing::JOB,
    listing::LETTER,
    erasure::HOLDINGS,
    erasure::CLEAR_CHATS,
    erasure::CLEAR_JOBS,
    erasure::CLEAR_FAILURES,
    erasure::CLEAR_LEDGER,
    erasure::CLEAR_TURNS,
    erasure::CLEAR_PAYMENTS,
    erasure::CLEAR_FILES,
    erasure::REMOVE_BOT,
    erasure::FORGET_CHAT,
    erasure::FORGET_JOBS,
    erasure::FORGET_LEDGER,
    erasure::FORGET_TURNS,
    erasure::FORGET_FAILURES,
];

async fn prepare(pool: &PgPool) -> Result<(), Error> {
    let mut connection = pool.acquire().await?;
    for statement in STATEMENTS {
        (&mut *connection).prepare(statement.into_sql_str()).await.map_err(|error| match error {
            sqlx::Error::Database(error) => Error::Setting(format!("the schema does not fit this program: {error}")),
            other => other.into(),
        })?;
    }
    Ok(())
}

/// A moment as it is bound: seconds since the Unix epoch, for `to_timestamp`, which rounds to microseconds.
fn seconds(at: Timestamp) -> f64 {
    at.unix_millis() as f64 / 1000.0
}

fn rows_at_most(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_statement_is_checked() {
        let sources = [
            include_str!("bots.rs"),
            include_str!("chats.rs"),
            include_str!("jobs.rs"),
            include_str!("lanes.rs"),
            include_str!("waiting.rs"),
            include_str!("whole.rs"),
            include_str!("books.rs"),
            include_str!("files.rs"),
            include_str!("dead.rs"),
            include_str!("listing.rs"),
            include_str!("erasure.rs"),
        ];
        let written: usize = sources.iter().map(|source| source.matches(": &str =").count()).sum();
        assert_eq!(written + 1, STATEMENTS.len(), "a statement is missing in STATEMENTS");
    }
}
