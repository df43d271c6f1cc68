//! Erasing: a user, or all that a bot has. Never leaves a chat's jobs without their chat.

use super::super::{Error, Forgotten, Holdings, Key};
use super::file::{Erasing, erase_deleted};
use super::statement::execute;
use super::{failed, rows_at_most};
use crate::telegram::id::BotId;
use rusqlite::{Connection, params};

pub(super) const HOLDINGS: &str = "
SELECT (SELECT count(*) FROM chats WHERE bot_id = ?1), (SELECT count(*) FROM jobs WHERE bot_id = ?1),
       (SELECT count(*) FROM dead_updates WHERE bot_id = ?1), (SELECT count(*) FROM ledger WHERE bot_id = ?1),
       (SELECT count(*) FROM turns WHERE bot_id = ?1), (SELECT count(*) FROM payments WHERE bot_id = ?1),
       (SELECT count(*) FROM files WHERE bot_id = ?1)";

pub(super) fn holdings(connection: &Connection, bot: BotId) -> Result<Holdings, Error> {
    let mut statement = connection.prepare_cached(HOLDINGS).map_err(failed)?;
    let counted = statement.query_row([bot.0], |row| {
        let count = |column| row.get(column).map(|count: i64| u64::try_from(count).unwrap_or(0));
        Ok(Holdings {
            chats: count(0)?,
            jobs: count(1)?,
            failures: count(2)?,
            ledger: count(3)?,
            turns: count(4)?,
            payments: count(5)?,
            files: count(6)?,
        })
    });
    counted.map_err(failed)
}

pub(super) const CLEAR_CHATS: &str = "
DELETE FROM chats
WHERE bot_id = ?1 AND chat_id IN (SELECT chat_id FROM chats WHERE bot_id = ?1 ORDER BY chat_id LIMIT ?2)";

pub(super) const CLEAR_JOBS: &str =
    "DELETE FROM jobs WHERE id IN (SELECT id FROM jobs WHERE bot_id = ?1 ORDER BY chat_id LIMIT ?2)";

pub(super) const CLEAR_FAILURES: &str = "
DELETE FROM dead_updates
WHERE bot_id = ?1 AND key IN (SELECT key FROM dead_updates WHERE bot_id = ?1 ORDER BY key LIMIT ?2)";

pub(super) const CLEAR_LEDGER: &str =
    "DELETE FROM ledger WHERE id IN (SELECT id FROM ledger WHERE bot_id = ?1 ORDER BY chat_id LIMIT ?2)";

pub(super) const CLEAR_TURNS: &str =
    "DELETE FROM turns WHERE rowid IN (SELECT rowid FROM turns WHERE bot_id = ?1 ORDER BY chat_id LIMIT ?2)";

pub(super) const CLEAR_PAYMENTS: &str =
    "DELETE FROM payments WHERE rowid IN (SELECT rowid FROM payments WHERE bot_id = ?1 ORDER BY charge LIMIT ?2)";

pub(super) const CLEAR_FILES: &str =
    "DELETE FROM files WHERE rowid IN (SELECT rowid FROM files WHERE bot_id = ?1 ORDER BY id LIMIT ?2)";

const CLEAR: [&str; 7] =
    [CLEAR_CHATS, CLEAR_JOBS, CLEAR_FAILURES, CLEAR_LEDGER, CLEAR_TURNS, CLEAR_PAYMENTS, CLEAR_FILES];

pub(super) fn clear_bot(connection: &Connection, bot: BotId, limit: usize) -> Result<u64, Error> {
    CLEAR.iter().map(|statement| execute(connection, statement, params![bot.0, rows_at_most(limit)])).sum()
}

pub(super) const REMOVE_BOT: &str = "DELETE FROM bots WHERE bot_id = ?1";

pub(super) fn remove_bot(connection: &Connection, bot: BotId) -> Result<bool, Error> {
    Ok(execute(connection, REMOVE_BOT, [bot.0])? > 0)
}

pub(super) const FORGET_CHAT: &str = "DELETE FROM chats WHERE bot_id = ?1 AND chat_id = ?2";

pub(super) const FORGET_JOBS: &str = "DELETE FROM jobs WHERE bot_id = ?1 AND chat_id = ?2";

pub(super) const FORGET_LEDGER: &str = "DELETE FROM ledger WHERE bot_id = ?1 AND chat_id = ?2";

pub(super) const FORGET_TURNS: &str = "DELETE FROM turns WHERE bot_id = ?1 AND chat_id = ?2";

pub(super) const FORGET_FAILURE: &str = "DELETE FROM dead_updates WHERE bot_id = ?1 AND key = ?2";

/// What is deleted is overwritten in the file too, which costs more than a server should spend on every settled job.
pub(super) fn forget(connection: &Connection, key: Key, failures: &[String]) -> Result<Forgotten, Error> {
    erase_deleted(connection, Erasing::Everywhere)?;
    let forgotten = forget_rows(connection, key, failures);
    erase_deleted(connection, Erasing::WhereItCostsNothing)?;
    forgotten
}

fn forget_rows(connection: &Connection, key: Key, failures: &[String]) -> Result<Forgotten, Error> {
    let row = params![key.bot.0, key.chat.0];
    let mut forgotten = Forgotten {
        chats: execute(connection, FORGET_CHAT, row)?,
        jobs: execute(connection, FORGET_JOBS, row)?,
        failures: 0,
        ledger: execute(connection, FORGET_LEDGER, row)?,
        turns: execute(connection, FORGET_TURNS, row)?,
    };
    for failure in failures {
        forgotten.failures += execute(connection, FORGET_FAILURE, params![key.bot.0, failure])?;
    }
    Ok(forgotten)
}
