//! Updates that failed: counted, and given up in the end.

use super::super::{Error, Failure};
use super::seconds;
use crate::telegram::id::BotId;
use sqlx::postgres::PgPool;

pub(super) const COUNT_FAILURE: &str = "
INSERT INTO dead_updates AS d (bot_id, key, update_id, failures, reason, body, first_at, last_at)
VALUES ($1, $2, $3, 1, $4, $5, to_timestamp($6::float8), to_timestamp($6::float8))
ON CONFLICT (bot_id, key) DO UPDATE
SET failures = d.failures + 1, reason = excluded.reason, last_at = excluded.last_at
RETURNING failures";

pub(super) async fn count_failure(pool: &PgPool, failure: &Failure) -> Result<u32, Error> {
    let failures: i32 = sqlx::query_scalar(COUNT_FAILURE)
        .bind(failure.bot.0)
        .bind(failure.key())
        .bind(failure.update.map(|update| update.0))
        .bind(failure.reason)
        .bind(failure.body.as_slice())
        .bind(seconds(failure.at))
        .fetch_one(pool)
        .await?;
    Ok(u32::try_from(failures).unwrap_or(0))
}

pub(super) const BURY: &str = "
INSERT INTO dead_updates AS d (bot_id, key, update_id, failures, dead_at, reason, body, first_at, last_at)
VALUES ($1, $2, $3, 1, to_timestamp($6::float8), $4, $5, to_timestamp($6::float8), to_timestamp($6::float8))
ON CONFLICT (bot_id, key) DO UPDATE SET dead_at = excluded.dead_at
WHERE d.dead_at IS NULL";

pub(super) async fn bury(pool: &PgPool, failure: &Failure) -> Result<bool, Error> {
    let written = sqlx::query(BURY)
        .bind(failure.bot.0)
        .bind(failure.key())
        .bind(failure.update.map(|update| update.0))
        .bind(failure.reason)
        .bind(failure.body.as_slice())
        .bind(seconds(failure.at))
        .execute(pool)
        .await?;
    Ok(written.rows_affected() > 0)
}

pub(super) const DISCARD: &str = "DELETE FROM dead_updates WHERE bot_id = $1 AND key = $2";

pub(super) async fn discard(pool: &PgPool, bot: BotId, key: &str) -> Result<bool, Error> {
    Ok(sqlx::query(DISCARD).bind(bot.0).bind(key).execute(pool).await?.rows_affected() > 0)
}
