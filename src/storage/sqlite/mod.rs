//! SQLite: the embedded profile. One file of this machine, which several processes may share.
//! Never asks for more than one writer: a process writes through one thread, processes take turns by the file's lock.

mod bots;
mod chats;
mod dead;
mod failure;
mod jobs;
mod thread;

#[cfg(test)]
mod tests;

pub(super) use chats::Wire;

use super::{Error, Migrated};
use failure::{failed, is_missing};
use rusqlite::Connection;
use sqlx::migrate::{MigrateError, Migrator};
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{ConnectOptions, Connection as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use thread::{Access, PATIENCE, Thread};

static MIGRATOR: Migrator = sqlx::migrate!("migrations/sqlite");

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
    writer: Thread,
    /// Loads chats, and nothing else: no slow count delays an update.
    loader: Thread,
    reader: Thread,
}

impl Sqlite {
    /// Opens the file; creates it where it is missing.
    pub(super) async fn open(path: &Path) -> Result<Self, Error> {
        // Absolute, so that no name is one of SQLite's own (`:memory:`).
        let path: Arc<Path> = std::path::absolute(path).map_err(|error| Error::Setting(error.to_string()))?.into();
        let writer = Thread::start(path.clone(), Access::Write).await?;
        let loader = Thread::start(path.clone(), Access::Read).await?;
        let reader = Thread::start(path.clone(), Access::Read).await?;
        Ok(Self { path, writer, loader, reader })
    }

    /// Brings the schema to this program's version. Processes that do it at once all succeed.
    pub(super) async fn migrate(&self) -> Result<Migrated, Error> {
        let from = self.reader.read(version).await?;
        let mut before = from;
        loop {
            let migrated = run(&self.path).await;
            let to = self.reader.read(version).await?;
            match migrated {
                Ok(()) => return Ok(Migrated { from, to }),
                // Another process was faster: what it did is done.
                Err(_) if to > before => before = to,
                Err(error) => return Err(Error::Unavailable(error.into())),
            }
        }
    }

    /// Whether the schema fits and what P2 rests on is on.
    pub(super) async fn check(&self) -> Result<(), Error> {
        let needed = needed();
        let (found, readable) =
            self.reader.read(|connection| Ok((version(connection)?, readable(connection)?))).await?;
        if found < needed || readable.is_none_or(|since| since > needed) {
            return Err(Error::Schema { found, needed });
        }
        self.writer
            .run(|connection| {
                let setting = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
                let mode: String =
                    connection.pragma_query_value(None, "journal_mode", |row| row.get(0)).map_err(failed)?;
                let synchronous = setting("synchronous").map_err(failed)?;
                if mode == "wal" && synchronous == SYNCHRONOUS_FULL {
                    return Ok(());
                }
                Err(Error::Setting(format!(
                    "the database file has journal mode {mode} and synchronous {synchronous}, not wal and {SYNCHRONOUS_FULL}"
                )))
            })
            .await
    }

    /// Whether the file can be read.
    pub(super) async fn ping(&self) -> Result<(), Error> {
        const PING: &str = "SELECT count(*) FROM sqlite_schema";
        self.reader.read(|connection| connection.query_row(PING, [], |_| Ok(())).map_err(failed)).await
    }
}

/// The version this program was made for.
fn needed() -> i64 {
    MIGRATOR.iter().map(|migration| migration.version).max().unwrap_or(0)
}

/// The version of the schema; 0: none.
fn version(connection: &Connection) -> Result<i64, Error> {
    const VERSION: &str = "SELECT coalesce(max(version), 0) FROM _sqlx_migrations WHERE success";
    match connection.query_row(VERSION, [], |row| row.get(0)) {
        Err(error) if is_missing(&error) => Ok(0),
        read => read.map_err(failed),
    }
}

/// The oldest program that can work with the schema; none where there is no schema.
fn readable(connection: &Connection) -> Result<Option<i64>, Error> {
    const READABLE: &str = "SELECT max(since) FROM schema_readable";
    match connection.query_row(READABLE, [], |row| row.get(0)) {
        Err(error) if is_missing(&error) => Ok(None),
        read => read.map_err(failed),
    }
}

/// Runs what is missing on a connection of its own. A newer program's schema is left alone.
async fn run(path: &Path) -> Result<(), MigrateError> {
    let options =
        SqliteConnectOptions::new().filename(PathBuf::from(path)).busy_timeout(PATIENCE).disable_statement_logging();
    let mut connection = SqliteConnection::connect_with(&options).await?;
    let mut migrator = Migrator::with_migrations(MIGRATOR.iter().cloned().collect());
    migrator.set_ignore_missing(true);
    migrator.run(&mut connection).await?;
    connection.close().await?;
    Ok(())
}
