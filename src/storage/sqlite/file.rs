//! Opening the file: who may read it, and the settings that P2 rests on. Never looks at what is in it.

use super::super::Error;
use super::{failed, is_locked};
use rusqlite::{Connection, OpenFlags};
use std::fs::OpenOptions;
use std::io::ErrorKind;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::Duration;

/// How long anything but a commit waits for the lock of another process; below the deadline of an update.
pub(super) const PATIENCE: Duration = Duration::from_secs(2);

/// Statements kept prepared by a connection; more than this program has.
const STATEMENTS_KEPT: usize = 128;

/// How long to wait before another try to switch a new file to the write-ahead log.
const SWITCH_INTERVAL: Duration = Duration::from_millis(10);

/// The connection of the one writer of this process. Creates the file, for its owner alone: it holds tokens.
pub(super) fn writer(path: &Path) -> Result<Connection, Error> {
    create(path)?;
    let connection = connect(path)?;
    use_write_ahead_log(&connection, path)?;
    connection.pragma_update(None, "synchronous", "FULL").map_err(failed)?;
    erase_deleted(&connection, Erasing::WhereItCostsNothing)?;
    // The loop of the writer waits by itself.
    connection.busy_timeout(Duration::ZERO).map_err(failed)?;
    Ok(connection)
}

/// How thoroughly what is deleted or replaced is overwritten in the file (`PRAGMA secure_delete`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Erasing {
    /// In pages that are written anyway: no older version of a row is left in the page of the newer one.
    WhereItCostsNothing,
    /// In every page.
    Everywhere,
}

pub(super) fn erase_deleted(connection: &Connection, erasing: Erasing) -> Result<(), Error> {
    let value = match erasing {
        Erasing::WhereItCostsNothing => "FAST",
        Erasing::Everywhere => "ON",
    };
    // The pragma answers with what holds now.
    connection.pragma_update_and_check(None, "secure_delete", value, |_| Ok(())).map_err(failed)
}

/// A connection that reads; it sees every write that was answered before it was asked.
pub(super) fn reader(path: &Path) -> Result<Connection, Error> {
    let connection = connect(path)?;
    connection.pragma_update(None, "query_only", true).map_err(failed)?;
    Ok(connection)
}

fn connect(path: &Path) -> Result<Connection, Error> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(failed)?;
    connection.busy_timeout(PATIENCE).map_err(failed)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS_KEPT);
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
