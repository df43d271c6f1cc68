//! Erasing: a user, or all that a bot has. Never leaves a chat's jobs without their chat.

use super::super::{Error, Forgotten, Holdings, Key};
use crate::telegram::id::BotId;
use sqlx::postgres::PgPool;

pub(super) const HOLDINGS: &str = "
SELECT (SELECT count(*) FROM chats WHERE bot_id = $1), (SELECT count(*) FROM jobs WHERE bot_id = $1),
       (SELECT count(*) FROM dead_updates WHERE bot_id = $1)";

pub(super) async fn holdings(pool: &PgPool, bot: BotId) -> Result<Holdings, Error> {
    let (chats, jobs, failures): (i64, i64, i64) = sqlx::query_as(HOLDINGS).bind(bot.0).fetch_one(pool).await?;
    let count = |count| u64::try_from(count).unwrap_or(0);
    Ok(Holdings { chats: count(chats), jobs: count(jobs), failures: count(failures) })
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

pub(super) async fn clear_bot(pool: &PgPool, bot: BotId, limit: usize) -> Result<u64, Error> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut transaction = pool.begin().await?;
    let mut rows = 0;
    for statement in [CLEAR_CHATS, CLEAR_JOBS, CLEAR_FAILURES] {
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

pub(super) const FORGET_FAILURES: &str = "DELETE FROM dead_updates WHERE bot_id = $1 AND key = ANY ($2)";

pub(super) async fn forget(pool: &PgPool, key: Key, failures: &[String]) -> Result<Forgotten, Error> {
    let Key { bot, chat } = key;
    let mut transaction = pool.begin().await?;
    let chats = sqlx::query(FORGET_CHAT).bind(bot.0).bind(chat.0).execute(&mut *transaction).await?;
    let jobs = sqlx::query(FORGET_JOBS).bind(bot.0).bind(chat.0).execute(&mut *transaction).await?;
    let failures = sqlx::query(FORGET_FAILURES).bind(bot.0).bind(failures).execute(&mut *transaction).await?;
    transaction.commit().await?;
    Ok(Forgotten { chats: chats.rows_affected(), jobs: jobs.rows_affected(), failures: failures.rows_affected() })
}
