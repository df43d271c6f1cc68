//! One connection on a thread of its own, and the two ways to use it: a read and a write.
//! Never decides what is read or written.
//!
//! SQLite blocks; sqlx's driver hands every statement to its thread, which costs five to eight times the CPU of
//! handing over the whole transaction.

use super::super::Error;
use super::failed;
use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};
use std::fs::OpenOptions;
use std::io::ErrorKind;
use std::os::unix::fs::OpenOptionsExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::{Arc, mpsc};
use std::time::Duration;
use tokio::sync::oneshot;

/// How long anything but a commit waits for the lock of another process; below the deadline of an update.
pub(super) const PATIENCE: Duration = Duration::from_secs(2);

/// Statements kept prepared; more than this program has.
const STATEMENTS_MAX: usize = 64;

/// How long to wait before another try to switch a new file to the write-ahead log.
const SWITCH_INTERVAL: Duration = Duration::from_millis(10);

/// What a thread's connection is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    /// The one writer of this process. Creates the file, for its owner alone: it holds tokens.
    Write,
    /// A reader; it sees every write that was answered before it was asked.
    Read,
}

type Work = Box<dyn FnOnce(&mut Connection) + Send>;

/// A thread with its connection. It ends when its last handle is dropped and nothing waits any more.
#[derive(Clone, Debug)]
pub(super) struct Thread {
    queue: mpsc::Sender<Work>,
}

impl Thread {
    /// Starts the thread and opens its connection.
    pub(super) async fn start(path: Arc<Path>, access: Access) -> Result<Self, Error> {
        let (queue, works) = mpsc::channel::<Work>();
        let (opened, opening) = oneshot::channel();
        let serve = move || match open(&path, access) {
            Ok(mut connection) => {
                let _ = opened.send(Ok(()));
                for work in works {
                    // A panic of one request ends that request: its transaction is rolled back as it unwinds.
                    let _ = catch_unwind(AssertUnwindSafe(|| work(&mut connection)));
                }
            }
            Err(error) => drop(opened.send(Err(error))),
        };
        let builder = std::thread::Builder::new().name(String::from(match access {
            Access::Write => "sqlite-write",
            Access::Read => "sqlite-read",
        }));
        builder.spawn(serve).map_err(|error| Error::Unavailable(error.into()))?;
        opening.await.map_err(|_| gone())??;
        Ok(Self { queue })
    }

    /// Runs `work` in one read transaction: all it reads is of one moment.
    pub(super) async fn read<T, F>(&self, work: F) -> Result<T, Error>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T, Error> + Send + 'static,
    {
        self.run(move |connection| {
            let transaction = connection.transaction().map_err(failed)?;
            let read = work(&transaction)?;
            transaction.commit().map_err(failed)?;
            Ok(read)
        })
        .await
    }

    /// Runs `work` in one write transaction, on disk when this returns. An error of `work` leaves nothing written.
    pub(super) async fn write<T, F>(&self, work: F) -> Result<T, Error>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T, Error> + Send + 'static,
    {
        self.write_within(PATIENCE, work)
            .await?
            .ok_or_else(|| Error::unavailable("another process holds the file's lock"))
    }

    /// The same; none if another process holds the lock for all of `patience`.
    pub(super) async fn write_within<T, F>(&self, patience: Duration, work: F) -> Result<Option<T>, Error>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T, Error> + Send + 'static,
    {
        self.run(move |connection| {
            connection.busy_timeout(patience).map_err(failed)?;
            let transaction = match connection.transaction_with_behavior(TransactionBehavior::Immediate) {
                Ok(transaction) => transaction,
                Err(error) if is_locked(&error) => return Ok(None),
                Err(error) => return Err(failed(error)),
            };
            let written = work(&transaction)?;
            transaction.commit().map_err(failed)?;
            Ok(Some(written))
        })
        .await
    }

    /// Runs `work` with the bare connection. It runs to its end even if the caller goes away.
    pub(super) async fn run<T, F>(&self, work: F) -> Result<T, Error>
    where
        T: Send + 'static,
        F: FnOnce(&mut Connection) -> Result<T, Error> + Send + 'static,
    {
        let (reply, answer) = oneshot::channel();
        let work: Work = Box::new(move |connection| drop(reply.send(work(connection))));
        self.queue.send(work).map_err(|_| gone())?;
        answer.await.map_err(|_| gone())?
    }
}

/// The thread ended, or the request panicked.
fn gone() -> Error {
    Error::unavailable("the connection's thread did not answer")
}

fn is_locked(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

fn open(path: &Path, access: Access) -> Result<Connection, Error> {
    if access == Access::Write {
        create(path)?;
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(failed)?;
    connection.busy_timeout(PATIENCE).map_err(failed)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS_MAX);
    match access {
        Access::Write => {
            use_write_ahead_log(&connection, path)?;
            connection.pragma_update(None, "synchronous", "FULL").map_err(failed)?;
        }
        Access::Read => connection.pragma_update(None, "query_only", true).map_err(failed)?,
    }
    Ok(connection)
}

/// SQLite gives the files beside it (`-wal`, `-shm`) the same mode.
fn create(path: &Path) -> Result<(), Error> {
    // `create_new`: to open and close a file that this process has open would drop SQLite's locks on it (POSIX).
    match OpenOptions::new().write(true).create_new(true).mode(0o600).open(path) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(Error::Setting(match path.parent() {
            Some(folder) if error.kind() == ErrorKind::NotFound => {
                format!("the folder {} of the database file does not exist: create it", folder.display())
            }
            _ => format!("the database file {} cannot be created: {error}", path.display()),
        })),
    }
}

/// The switch is kept in the file. It needs the file alone and does not wait for it, so it is tried again where
/// several processes open a new file at once.
fn use_write_ahead_log(connection: &Connection, path: &Path) -> Result<(), Error> {
    let mut waited = Duration::ZERO;
    loop {
        match connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get::<_, String>(0)) {
            Ok(mode) if mode == "wal" => return Ok(()),
            Ok(mode) => {
                let path = path.display();
                return Err(Error::Setting(format!(
                    "the database file {path} has journal mode {mode}, not wal: put it on a local disk"
                )));
            }
            Err(error) if is_locked(&error) && waited < PATIENCE => {
                std::thread::sleep(SWITCH_INTERVAL);
                waited += SWITCH_INTERVAL;
            }
            Err(error) => return Err(failed(error)),
        }
    }
}
