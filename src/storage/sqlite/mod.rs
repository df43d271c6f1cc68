//! SQLite: the embedded profile. One file of this machine, which several processes may share.
//! Never asks for more than one writer: a process writes through one thread, processes take turns by the file's lock.

mod books;
mod bots;
mod chats;
mod column;
mod dead;
mod erasure;
mod file;
mod files;
mod group;
mod jobs;
mod lanes;
mod listing;
mod statement;
mod thread;
mod waiting;
mod wire;

#[cfg(test)]
mod tests;

pub(super) use wire::Wire;

use super::store::{Added, Migrated, Updated};
use super::{Allowed, Commit, Ends, Error, Failure, Forgotten, Holdings, JobId, Key, LaneDepth, LeaseToken};
use super::{LeasedJob, Letter, ListedFailure, ListedJob, Outcome, Retried, Settled, Settlement, ShownJob, Stored};
use crate::bot::Bot;
use crate::clock::Timestamp;
use crate::telegram::id::BotId;
use rusqlite::{Connection, ErrorCode};
use sqlx::migrate::{MigrateError, Migrator};
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{ConnectOptions, Connection as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use thread::{Reader, Writer};

static MIGRATIONS: Migrator = sqlx::migrate!("migrations/sqlite");

/// What `PRAGMA synchronous` says of FULL: every commit is on disk when it returns.
const SYNCHRONOUS_FULL: i64 = 2;

/// The store's clock in SQL: milliseconds since the Unix epoch, one reading a statement.
macro_rules! clock {
    () => {
        "CAST(round(unixepoch('subsec') * 1000) AS INTEGER)"
    };
}
use clock;

/// An open file. Cheap to clone; its threads end with the last clone.
#[derive(Clone, Debug)]
pub(super) struct Sqlite {
    path: Arc<Path>,
    writer: Writer,
    /// Loads chats, and nothing else: no slow count delays an update.
    loader: Reader,
    reader: Reader,
}

impl Sqlite {
    pub(super) async fn open(path: &Path) -> Result<Self, Error> {
        // Absolute, so that no name is one of SQLite's own (`:memory:`).
        let path: Arc<Path> = std::path::absolute(path).map_err(|error| Error::Setting(error.to_string()))?.into();
        let writer = Writer::start(path.clone()).await?;
        let loader = Reader::start(path.clone()).await?;
        let reader = Reader::start(path.clone()).await?;
        Ok(Self { path, writer, loader, reader })
    }

    pub(super) async fn migrate(&self) -> Result<Migrated, Error> {
        let from = self.reader.read(schema_version).await?;
        if from > needed_version() {
            self.check_schema().await?;
            return Ok(Migrated { from, to: from });
        }
        let mut before = from;
        loop {
            let migrated = run_migrations(&self.path).await;
            let to = self.reader.read(schema_version).await?;
            match migrated {
                Ok(()) => return Ok(Migrated { from, to }),
                // Another process did the same at the same moment and was faster: what it did is done.
                Err(_) if to > before => before = to,
                Err(error) => return Err(migrate_error(error)),
            }
        }
    }

    pub(super) async fn check(&self) -> Result<(), Error> {
        self.writer.write(check_settings).await?;
        self.check_schema().await?;
        self.reader.read(prepare).await
    }

    async fn check_schema(&self) -> Result<(), Error> {
        let needed = needed_version();
        let (found, readable) = self
            .reader
            .read(move |connection| {
                let found = schema_version(connection)?;
                let readable = match found {
                    _ if found == needed => true,
                    _ if found > needed => readable_since(connection)? <= needed,
                    _ => false,
                };
                Ok((found, readable))
            })
            .await?;
        if readable { Ok(()) } else { Err(Error::Schema { found, needed }) }
    }

    pub(super) async fn ping(&self) -> Result<(), Error> {
        self.reader.read(ping).await
    }

    pub(super) async fn bots(&self) -> Result<Vec<Bot>, Error> {
        self.reader.read(bots::all).await
    }

    pub(super) async fn add_bot(&self, bot: &Bot, at: Timestamp) -> Result<Added, Error> {
        let bot = bot.clone();
        self.writer.write(move |connection| bots::add(connection, &bot, at)).await
    }

    pub(super) async fn update_bot(&self, bot: &Bot, at: Timestamp) -> Result<Updated, Error> {
        let bot = bot.clone();
        self.writer.write(move |connection| bots::update(connection, &bot, at)).await
    }

    pub(super) async fn holdings(&self, bot: BotId) -> Result<Holdings, Error> {
        self.reader.read(move |connection| erasure::holdings(connection, bot)).await
    }

    pub(super) async fn clear_bot(&self, bot: BotId, limit: usize) -> Result<u64, Error> {
        self.writer.write(move |connection| erasure::clear_bot(connection, bot, limit)).await
    }

    pub(super) async fn remove_bot(&self, bot: BotId) -> Result<bool, Error> {
        self.writer.write(move |connection| erasure::remove_bot(connection, bot)).await
    }

    pub(super) async fn forget(&self, key: Key, failures: &[String]) -> Result<Forgotten, Error> {
        let failures = failures.to_vec();
        self.writer.write(move |connection| erasure::forget(connection, key, &failures)).await
    }

    pub(super) async fn load(&self, keys: &[Key]) -> Result<Vec<Result<Option<Stored>, Error>>, Error> {
        let keys = keys.to_vec();
        self.reader.read(move |connection| chats::load(connection, &keys)).await
    }

    pub(super) async fn commit(&self, commit: &Commit) -> Result<Outcome, Error> {
        let outcomes = Wire::of(self).commit(std::slice::from_ref(commit)).await?;
        outcomes.into_iter().next().ok_or_else(|| Error::unavailable("the file gave no outcome"))
    }

    pub(super) async fn commit_and_end(&self, commit: &Commit, ends: Ends) -> Result<Outcome, Error> {
        let members = chats::Members::of(std::slice::from_ref(commit))?;
        self.writer.write(move |connection| chats::commit_and_end(connection, &members, ends)).await
    }

    pub(super) async fn lease_outbound(
        &self,
        limit: usize,
        lease: Duration,
        allowed: &Allowed,
    ) -> Result<Vec<LeasedJob>, Error> {
        let allowed = allowed.clone();
        self.writer.write(move |connection| jobs::lease_outbound(connection, limit, lease, &allowed)).await
    }

    pub(super) async fn lease_one(&self, bot: BotId, id: JobId, lease: Duration) -> Result<Option<LeasedJob>, Error> {
        self.writer.write(move |connection| jobs::lease_one(connection, bot, id, lease)).await
    }

    pub(super) async fn renew(&self, leases: &[(JobId, LeaseToken)], lease: Duration) -> Result<Vec<bool>, Error> {
        let leases = leases.to_vec();
        self.writer.write(move |connection| jobs::renew(connection, &leases, lease)).await
    }

    pub(super) async fn settle(&self, settlement: &Settlement) -> Result<Settled, Error> {
        let settlement = settlement.clone();
        self.writer.write(move |connection| jobs::settle(connection, &settlement)).await
    }

    pub(super) async fn retry_job(&self, bot: BotId, job: JobId) -> Result<Retried, Error> {
        self.writer.write(move |connection| jobs::retry(connection, bot, job)).await
    }

    pub(super) async fn depths(&self) -> Result<Vec<LaneDepth>, Error> {
        self.reader.read(jobs::depths).await
    }

    pub(super) async fn count_failure(&self, failure: &Failure) -> Result<u32, Error> {
        let failure = failure.clone();
        self.writer.write(move |connection| dead::count_failure(connection, &failure)).await
    }

    pub(super) async fn bury(&self, failure: &Failure) -> Result<bool, Error> {
        let failure = failure.clone();
        self.writer.write(move |connection| dead::bury(connection, &failure)).await
    }

    pub(super) async fn drop_failure(&self, bot: BotId, key: &str) -> Result<bool, Error> {
        let key = key.to_owned();
        self.writer.write(move |connection| dead::discard(connection, bot, &key)).await
    }

    pub(super) async fn jobs(&self, bot: BotId, limit: usize) -> Result<Vec<ListedJob>, Error> {
        self.reader.read(move |connection| listing::jobs(connection, bot, limit)).await
    }

    pub(super) async fn failures(&self, bot: BotId, limit: usize) -> Result<Vec<ListedFailure>, Error> {
        self.reader.read(move |connection| listing::failures(connection, bot, limit)).await
    }

    pub(super) async fn job(&self, bot: BotId, job: JobId) -> Result<Option<ShownJob>, Error> {
        self.reader.read(move |connection| listing::job(connection, bot, job)).await
    }

    pub(super) async fn letter(&self, bot: BotId, key: &str) -> Result<Option<Letter>, Error> {
        let key = key.to_owned();
        self.reader.read(move |connection| listing::letter(connection, bot, &key)).await
    }

    pub(super) fn wire(&self) -> Wire {
        Wire::of(self)
    }
}

/// A constraint, a type or a size is of the data; all else, a schema that does not fit included, is waited out.
fn failed(error: rusqlite::Error) -> Error {
    match error.sqlite_error_code() {
        Some(ErrorCode::ConstraintViolation | ErrorCode::TypeMismatch | ErrorCode::TooBig) => {
            Error::Data(Box::new(error))
        }
        _ => Error::Unavailable(Box::new(error)),
    }
}

fn is_locked(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

fn needed_version() -> i64 {
    MIGRATIONS.iter().map(|migration| migration.version).max().unwrap_or(0)
}

/// On a connection of its own, which ends with it.
async fn run_migrations(path: &Path) -> Result<(), MigrateError> {
    let options = SqliteConnectOptions::new().filename(PathBuf::from(path)).busy_timeout(file::PATIENCE);
    let mut connection = SqliteConnection::connect_with(&options.disable_statement_logging()).await?;
    MIGRATIONS.run_direct(None, &mut connection, false).await?;
    connection.close().await?;
    Ok(())
}

fn migrate_error(error: MigrateError) -> Error {
    match error {
        MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _) => Error::Unavailable(Box::new(error)),
        other => Error::Setting(format!("the schema cannot be migrated: {other}")),
    }
}

const HAS_MIGRATIONS: &str = "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = '_sqlx_migrations')";
const SCHEMA_VERSION: &str = "SELECT coalesce(max(version), 0) FROM _sqlx_migrations WHERE success";

fn schema_version(connection: &Connection) -> Result<i64, Error> {
    let migrated: bool = connection.query_row(HAS_MIGRATIONS, [], |row| row.get(0)).map_err(failed)?;
    if !migrated {
        return Ok(0);
    }
    connection.query_row(SCHEMA_VERSION, [], |row| row.get(0)).map_err(failed)
}

const READABLE_SINCE: &str = "SELECT since FROM schema_readable";

fn readable_since(connection: &Connection) -> Result<i64, Error> {
    connection.query_row(READABLE_SINCE, [], |row| row.get(0)).map_err(failed)
}

fn rows_at_most(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}

/// What P2 rests on.
fn check_settings(connection: &Connection) -> Result<(), Error> {
    let mode: String = connection.pragma_query_value(None, "journal_mode", |row| row.get(0)).map_err(failed)?;
    let synchronous: i64 = connection.pragma_query_value(None, "synchronous", |row| row.get(0)).map_err(failed)?;
    if mode != "wal" || synchronous != SYNCHRONOUS_FULL {
        return Err(Error::Setting(format!(
            "the database file has journal_mode {mode} and synchronous {synchronous}, so an update that was answered \
             could be lost in a crash: wal and {SYNCHRONOUS_FULL} are needed"
        )));
    }
    Ok(())
}

const PING: &str = "SELECT count(*) FROM sqlite_schema";

fn ping(connection: &Connection) -> Result<(), Error> {
    connection.query_row(PING, [], |_| Ok(())).map_err(failed)
}

/// Every statement on the tables: what `check` prepares.
const STATEMENTS: [&str; 79] = [
    READABLE_SINCE,
    bots::ALL,
    bots::ADD,
    bots::KNOWS,
    bots::UPDATE,
    chats::LOAD,
    chats::INSERT,
    chats::UPDATE,
    chats::FENCE,
    jobs::QUEUE,
    jobs::LEASE_OUTBOUND,
    jobs::FREE,
    jobs::TAKE,
    jobs::RENEW,
    jobs::HELD,
    jobs::SHOW,
    jobs::HOLD,
    jobs::REDRAW,
    jobs::REMOVE,
    jobs::RELEASE,
    jobs::RELEASE_ANEW,
    jobs::MARK,
    jobs::PACE,
    jobs::RETRY,
    jobs::KNOWS,
    jobs::DEPTHS,
    lanes::NEXT_BOT,
    lanes::LEASE,
    lanes::LEFT_OVER,
    lanes::HELD,
    waiting::PROGRESS,
    waiting::REDRAW,
    waiting::JOB,
    waiting::OLDER,
    waiting::AT_MOST,
    waiting::TELL,
    waiting::FIRST,
    waiting::TAKEN,
    lanes::IS_DUE,
    books::IS_KNOWN,
    books::IS_OPEN,
    books::PAY,
    books::REFUND,
    books::ENTER,
    books::CANCEL,
    books::TRIM,
    books::SAY,
    books::SPEND,
    books::TURNS,
    books::LEDGER,
    books::LEDGER_SUM,
    books::PAYMENTS,
    books::PAYMENT,
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
    erasure::FORGET_FAILURE,
];

fn prepare(connection: &Connection) -> Result<(), Error> {
    for statement in STATEMENTS {
        connection.prepare(statement).map_err(|error| match error.sqlite_error_code() {
            Some(ErrorCode::Unknown) => Error::Setting(format!("the schema does not fit this program: {error}")),
            _ => failed(error),
        })?;
    }
    Ok(())
}
