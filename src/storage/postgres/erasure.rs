//! Erasing: a user, or all that a bot has. Never leaves a chat's jobs without their chat.

use super::super::{Error, Forgotten, Holdings, Key};
use crate::telegram::id::BotId;
use sqlx::Row;
use sqlx::postgres::PgPool;

pub(super) const HOLDINGS: &str = "
SELECT (SELECT count(*) FROM chats WHERE bot_id = $1), (SELECT count(*) FROM jobs WHERE bot_id = $1),
       (SELECT count(*) FROM dead_updates WHERE bot_id = $1), (SELECT count(*) FROM ledger WHERE bot_id = $1),
       (SELECT count(*) FROM turns WHERE bot_id = $1), (SELECT count(*) FROM payments WHERE bot_id = $1),
       (SELECT count(*) FROM files WHERE bot_id = $1)";

pub(super) async fn holdings(pool: &PgPool, bot: BotId) -> Result<Holdings, Error> {
    let row = sqlx::query(HOLDINGS).bind(bot.0).fetch_one(pool).await?;
    let count = |column: usize| Ok::<_, Error>(u64::try_from(row.try_get::<i64, _>(column)?).unwrap_or(0));
    Ok(Holdings {
        chats: count(0)?,
        jobs: count(1)?,
        failures: count(2)?,
        ledger: count(3)?,
        turns: count(4)?,
        payments: count(5)?,
        files: count(6)?,
    })
}

/// Materialized here and below, or the planner may ask for the first rows more than once, and delete more than `limit`.
pub(super) const CLEAR_CHATS: &str = "
WITH portion AS MATERIALIZED (
    SELECT bot_id, chat_id FROM chats WHERE bot_id = $1 ORDER BY chat_id LIMIT $2 FOR UPDATE
)
DELETE FROM chats AS c USING portion AS p WHERE c.bot_id = p.bot_id AND c.chat_id = p.chat_id";

pub(super) const CLEAR_JOBS: &str = "
WITH portion AS MATERIALIZED (
    SELECT bot_id, id FROM jobs WHERE bot_id = $1 ORDER BY chat_id, position LIMIT $2 FOR UPDATE
)
DELETE FROM jobs AS j USING portion AS p WHERE j.bot_id = p.bot_id AND j.id = p.id";

pub(super) const CLEAR_FAILURES: &str = "
WITH portion AS MATERIALIZED (
    SELECT bot_id, key FROM dead_updates WHERE bot_id = $1 ORDER BY key LIMIT $2 FOR UPDATE
)
DELETE FROM dead_updates AS d USING portion AS p WHERE d.bot_id = p.bot_id AND d.key = p.key";

pub(super) const CLEAR_LEDGER: &str = "
WITH portion AS MATERIALIZED (
    SELECT bot_id, chat_id, id FROM ledger WHERE bot_id = $1 ORDER BY chat_id, id LIMIT $2 FOR UPDATE
)
DELETE FROM ledger AS l USING portion AS p WHERE l.bot_id = p.bot_id AND l.chat_id = p.chat_id AND l.id = p.id";

pub(super) const CLEAR_TURNS: &str = "
WITH portion AS MATERIALIZED (
    SELECT bot_id, chat_id, position FROM turns WHERE bot_id = $1 ORDER BY chat_id, position LIMIT $2 FOR UPDATE
)
DELETE FROM turns AS t USING portion AS p
WHERE t.bot_id = p.bot_id AND t.chat_id = p.chat_id AND t.position = p.position";

pub(super) const CLEAR_PAYMENTS: &str = "
WITH portion AS MATERIALIZED (
    SELECT bot_id, charge FROM payments WHERE bot_id = $1 ORDER BY charge LIMIT $2 FOR UPDATE
)
DELETE FROM payments AS m USING portion AS p WHERE m.bot_id = p.bot_id AND m.charge = p.charge";

pub(super) const CLEAR_FILES: &str = "
WITH portion AS MATERIALIZED (
    SELECT bot_id, id FROM files WHERE bot_id = $1 ORDER BY id LIMIT $2 FOR UPDATE
)
DELETE FROM files AS f USING portion AS p WHERE f.bot_id = p.bot_id AND f.id = p.id";

/// Chats first: no commit writes any more what the next statements do not see.
const CLEAR: [&str; 7] =
    [CLEAR_CHATS, CLEAR_JOBS, CLEAR_FAILURES, CLEAR_LEDGER, CLEAR_TURNS, CLEAR_PAYMENTS, CLEAR_FILES];

pub(super) async fn clear_bot(pool: &PgPool, bot: BotId, limit: usize) -> Result<u64, Error> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut transaction = pool.begin().await?;
    let mut rows = 0;
    for statement in CLEAR {
        rows += sqlx::query(statement).bind(bot.0).bind(limit).execute(&mut *transaction).await?.rows_affected();
    }
    transaction.commit().await?;
    Ok(rows)
}

pub(super) const REMOVE_BOT: &str = "DELETE FROM bots WHERE bot_id = $1";

pub(super) async fn remove_bot(pool: &PgPool, bot: BotId) -> Result<bool, Error> {
    Ok(sqlx::query(REMOVE_BOT).bind(bot.0).execute(pool).await?.rows_affected() > 0)
}

pub(super) const FORGET_CHAT: &str = "DELETE FROM chats WHERE bot_id = $1 AND chat_id = $2";

/// A statement of its own, after the chat is locked: it sees what a commit queued on which that lock waited.
pub(super) const FORGET_JOBS: &str = "DELETE FROM jobs WHERE bot_id = $1 AND chat_id = $2";

pub(super) const FORGET_LEDGER: &str = "DELETE FROM ledger WHERE bot_id = $1 AND chat_id = $2";

pub(super) const FORGET_TURNS: &str = "DELETE FROM turns WHERE bot_id = $1 AND chat_id = $2";

pub(super) const FORGET_FAILURES: &str = "DELETE FROM dead_updates WHERE bot_id = $1 AND key = ANY ($2)";

pub(super) async fn forget(pool: &PgPool, key: Key, failures: &[String]) -> Result<Forgotten, Error> {
    let mut transaction = pool.begin().await?;
    let mut rows = [0; 4];
    for (rows, statement) in rows.iter_mut().zip([FORGET_CHAT, FORGET_JOBS, FORGET_LEDGER, FORGET_TURNS]) {
        let forget = sqlx::query(statement).bind(key.bot.0).bind(key.chat.0);
        *rows = forget.execute(&mut *transaction).await?.rows_affected();
    }
    let failures = sqlx::query(FORGET_FAILURES).bind(key.bot.0).bind(failures).execute(&mut *transaction).await?;
    transaction.commit().await?;
    let [chats, jobs, ledger, turns] = rows;
    Ok(Forgotten { chats, jobs, failures: failures.rows_affected(), ledger, turns })
}
