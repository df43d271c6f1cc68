//! Updates that failed: counted, and given up in the end.

use super::super::{Error, Failure};
use super::statement::{execute, one};
use crate::telegram::id::BotId;
use rusqlite::{Connection, params};

pub(super) const COUNT_FAILURE: &str = "
INSERT INTO dead_updates (bot_id, key, update_id, failures, reason, body, first_at, last_at)
VALUES (?1, ?2, ?3, 1, ?4, ?5, ?6, ?6)
ON CONFLICT (bot_id, key) DO UPDATE
SET failures = failures + 1, reason = excluded.reason, last_at = excluded.last_at
RETURNING failures";

pub(super) fn count_failure(connection: &Connection, failure: &Failure) -> Result<u32, Error> {
    let Failure { bot, update, reason, body, at } = failure;
    let row = params![bot.0, failure.key(), update.map(|update| update.0), reason, body, at.unix_millis()];
    one(connection, COUNT_FAILURE, row)
}

pub(super) const BURY: &str = "
INSERT INTO dead_updates (bot_id, key, update_id, failures, dead_at, reason, body, first_at, last_at)
VALUES (?1, ?2, ?3, 1, ?6, ?4, ?5, ?6, ?6)
ON CONFLICT (bot_id, key) DO UPDATE SET dead_at = excluded.dead_at
WHERE dead_at IS NULL";

pub(super) fn bury(connection: &Connection, failure: &Failure) -> Result<bool, Error> {
    let Failure { bot, update, reason, body, at } = failure;
    let row = params![bot.0, failure.key(), update.map(|update| update.0), reason, body, at.unix_millis()];
    Ok(execute(connection, BURY, row)? > 0)
}

pub(super) const DISCARD: &str = "DELETE FROM dead_updates WHERE bot_id = ?1 AND key = ?2";

pub(super) fn discard(connection: &Connection, bot: BotId, key: &str) -> Result<bool, Error> {
    Ok(execute(connection, DISCARD, params![bot.0, key])? > 0)
}
