//! Lists for people. Never for a decision: what they show is over when it is read.

use super::super::{Error, JobId, Lane, Letter, ListedFailure, ListedJob, ShownJob, Standing};
use super::rows_at_most;
use crate::clock::Timestamp;
use crate::telegram::id::{BotId, ChatId, UpdateId};
use sqlx::Row;
use sqlx::postgres::{PgPool, PgRow};

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
    rows.iter().filter_map(|row| listed_job(row).transpose()).collect()
}

/// None: its lane is one of a newer program.
fn listed_job(row: &PgRow) -> Result<Option<ListedJob>, Error> {
    let Some(lane) = Lane::from_name(row.try_get("lane")?) else { return Ok(None) };
    Ok(Some(ListedJob {
        id: JobId(row.try_get("id")?),
        chat: ChatId(row.try_get("chat_id")?),
        lane,
        place: row.try_get("place")?,
        attempts: u32::try_from(row.try_get::<i32, _>("attempts")?).unwrap_or(0),
        standing: Standing::of(row.try_get("lease_left")?, row.try_get("due_in")?),
    }))
}

pub(super) const FAILURES: &str = "
SELECT key, update_id, failures, (extract(epoch FROM dead_at) * 1000)::bigint AS dead_at, reason,
       (extract(epoch FROM first_at) * 1000)::bigint AS first_at,
       (extract(epoch FROM last_at) * 1000)::bigint AS last_at
FROM dead_updates
WHERE bot_id = $1
ORDER BY dead_updates.last_at DESC, key
LIMIT $2";

pub(super) async fn failures(pool: &PgPool, bot: BotId, limit: usize) -> Result<Vec<ListedFailure>, Error> {
    let rows = sqlx::query(FAILURES).bind(bot.0).bind(rows_at_most(limit)).fetch_all(pool).await?;
    rows.iter().map(listed_failure).collect()
}

fn listed_failure(row: &PgRow) -> Result<ListedFailure, Error> {
    Ok(ListedFailure {
        key: row.try_get("key")?,
        update: row.try_get::<Option<i64>, _>("update_id")?.map(UpdateId),
        failures: u32::try_from(row.try_get::<i32, _>("failures")?).unwrap_or(0),
        dead_at: row.try_get::<Option<i64>, _>("dead_at")?.map(Timestamp::from_unix_millis),
        reason: row.try_get("reason")?,
        first_at: Timestamp::from_unix_millis(row.try_get("first_at")?),
        last_at: Timestamp::from_unix_millis(row.try_get("last_at")?),
    })
}

/// The columns of [`JOBS`], and the payload.
pub(super) const JOB: &str = "
SELECT id, chat_id, lane, place, attempts,
       (extract(epoch FROM lease_until - now()) * 1000)::bigint AS lease_left,
       (CASE WHEN run_at < 'infinity' THEN extract(epoch FROM run_at - now()) * 1000 END)::bigint AS due_in,
       payload
FROM jobs
WHERE bot_id = $1 AND id = $2";

pub(super) async fn job(pool: &PgPool, bot: BotId, job: JobId) -> Result<Option<ShownJob>, Error> {
    let Some(row) = sqlx::query(JOB).bind(bot.0).bind(job.0).fetch_optional(pool).await? else { return Ok(None) };
    let payload = row.try_get("payload")?;
    Ok(listed_job(&row)?.map(|listed| ShownJob { listed, payload }))
}

/// The columns of [`FAILURES`], and the body.
pub(super) const LETTER: &str = "
SELECT key, update_id, failures, (extract(epoch FROM dead_at) * 1000)::bigint AS dead_at, reason,
       (extract(epoch FROM first_at) * 1000)::bigint AS first_at,
       (extract(epoch FROM last_at) * 1000)::bigint AS last_at, body
FROM dead_updates
WHERE bot_id = $1 AND key = $2";

pub(super) async fn letter(pool: &PgPool, bot: BotId, key: &str) -> Result<Option<Letter>, Error> {
    let row = sqlx::query(LETTER).bind(bot.0).bind(key).fetch_optional(pool).await?;
    row.map(|row| Ok(Letter { listed: listed_failure(&row)?, body: row.try_get("body")? })).transpose()
}
