//! Updates that cannot be handled: how often they failed, and those that are given up. Never tries one again.

use super::Sqlite;
use super::failure::failed;
use crate::storage::{Error, Failure};
use rusqlite::params;
use sha2::{Digest, Sha256};
use std::fmt::Write as _;

const COUNT: &str = "
INSERT INTO dead_updates (bot_id, key, update_id, failures, reason, body, first_at, last_at)
VALUES (?1, ?2, ?3, 1, ?4, ?5, ?6, ?6)
ON CONFLICT (bot_id, key) DO UPDATE SET
    failures = failures + 1, reason = excluded.reason, last_at = excluded.last_at
RETURNING failures";

const BURY: &str = "
INSERT INTO dead_updates (bot_id, key, update_id, failures, dead_at, reason, body, first_at, last_at)
VALUES (?1, ?2, ?3, 1, ?6, ?4, ?5, ?6, ?6)
ON CONFLICT (bot_id, key) DO UPDATE SET dead_at = excluded.dead_at WHERE dead_at IS NULL";

impl Sqlite {
    /// Counts a failed attempt of an update and says how many there were, this one included.
    pub(in crate::storage) async fn count_failure(&self, failure: &Failure) -> Result<u32, Error> {
        let Failure { bot, update, reason, body, at } = failure.clone();
        let key = key(failure);
        self.writer
            .write(move |connection| {
                let mut statement = connection.prepare_cached(COUNT).map_err(failed)?;
                let row = params![bot.0, key, update.map(|id| id.0), reason, body, at.unix_millis()];
                statement.query_row(row, |row| row.get(0)).map_err(failed)
            })
            .await
    }

    /// Puts an update to the dead letters; doing it again changes nothing.
    pub(in crate::storage) async fn bury(&self, failure: &Failure) -> Result<(), Error> {
        let Failure { bot, update, reason, body, at } = failure.clone();
        let key = key(failure);
        self.writer
            .write(move |connection| {
                let mut statement = connection.prepare_cached(BURY).map_err(failed)?;
                let row = params![bot.0, key, update.map(|id| id.0), reason, body, at.unix_millis()];
                statement.execute(row).map_err(failed)?;
                Ok(())
            })
            .await
    }
}

/// The update's id, or the digest of a body that has none.
fn key(failure: &Failure) -> String {
    if let Some(update) = failure.update {
        return update.to_string();
    }
    Sha256::digest(&failure.body).iter().fold(String::from("sha256:"), |mut key, byte| {
        let _ = write!(key, "{byte:02x}");
        key
    })
}
