//! Lists for people. Never for a decision: what they show is over when it is read.

use super::super::{Error, JobId, Lane, ListedFailure, ListedJob, Standing};
use crate::clock::Timestamp;
use crate::telegram::id::{BotId, ChatId, UpdateId};
use sqlx::Row;
use sqlx::postgres::PgPool;

pub(super) const JOBS: &str = "
SELECT id, chat_id, lane, place, attempts,
       (extract(epoch FROM lease_until - now()) * 1000)::bigint AS lease_left,
       (extract(epoch FROM run_at - now()) * 1000)::bigint AS due_in
FROM jobs
WHERE bot_id = $1
ORDER BY lane, chat_id, position
LIMIT $2";

pub(super) async fn jobs(pool: &PgPool, bot: BotId, limit: usize) -> Result<Vec<ListedJob>, Error> {
    let rows = sqlx::query(JOBS).bind(bot.0).bind(rows_at_most(limit)).fetch_all(pool).await?;
    let mut listed = Vec::with_capacity(rows.len());
    for row in rows {
        let Some(lane) = Lane::from_name(row.try_get("lane")?) else { continue };
        listed.push(ListedJob {
            id: JobId(row.try_get("id")?),
            chat: ChatId(row.try_get("chat_id")?),
            lane,
            place: row.try_get("place")?,
            attempts: u32::try_from(row.try_get::<i32, _>("attempts")?).unwrap_or(0),
            standing: Standing::of(row.try_get("lease_left")?, row.try_get("due_in")?),
        });
    }
    Ok(listed)
}

pub(super) const FAILURES: &str = "
SELECT update_id, failures, (extract(epoch FROM dead_at) * 1000)::bigint AS dead_at, reason,
       (extract(epoch FROM last_at) * 1000)::bigint AS last_at
FROM dead_updates
WHERE bot_id = $1
ORDER BY dead_updates.last_at DESC, key
LIMIT $2";

pub(super) async fn failures(pool: &PgPool, bot: BotId, limit: usize) -> Result<Vec<ListedFailure>, Error> {
    let rows = sqlx::query(FAILURES).bind(bot.0).bind(rows_at_most(limit)).fetch_all(pool).await?;
    rows.iter()
        .map(|row| {
            Ok(ListedFailure {
                update: row.try_get::<Option<i64>, _>("update_id")?.map(UpdateId),
                failures: u32::try_from(row.try_get::<i32, _>("failures")?).unwrap_or(0),
                dead_at: row.try_get::<Option<i64>, _>("dead_at")?.map(Timestamp::from_unix_millis),
                reason: row.try_get("reason")?,
                last_at: Timestamp::from_unix_millis(row.try_get("last_at")?),
            })
        })
        .collect()
}

fn rows_at_most(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}
