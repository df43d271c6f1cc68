//! Lists for people. Never for a decision: what they show is over when it is read.

use super::super::{Error, JobId, Lane, Letter, ListedFailure, ListedJob, ShownJob, Standing};
use super::column::Columns;
use super::statement::{all, first};
use super::{clock, rows_at_most};
use crate::clock::Timestamp;
use crate::telegram::id::{BotId, ChatId, UpdateId};
use rusqlite::{Connection, params};

pub(super) const JOBS: &str = concat!(
    "
SELECT id, chat_id, lane, place, attempts, lease_until - ",
    clock!(),
    ", run_at - ",
    clock!(),
    "
FROM jobs
WHERE bot_id = ?1
ORDER BY lane, chat_id, position
LIMIT ?2"
);

pub(super) fn jobs(connection: &Connection, bot: BotId, limit: usize) -> Result<Vec<ListedJob>, Error> {
    let row = params![bot.0, rows_at_most(limit)];
    let listed = all(connection, JOBS, row, |row| listed_job(&Columns::of("jobs", row)))?;
    Ok(listed.into_iter().flatten().collect())
}

/// None: its lane is one of a newer program.
fn listed_job(row: &Columns<'_>) -> Result<Option<ListedJob>, Error> {
    let lane: String = row.get(2, "lane")?;
    let Some(lane) = Lane::from_name(&lane) else { return Ok(None) };
    Ok(Some(ListedJob {
        id: JobId(row.get(0, "id")?),
        chat: ChatId(row.get(1, "chat_id")?),
        lane,
        place: row.get(3, "place")?,
        attempts: row.get(4, "attempts")?,
        standing: Standing::of(row.get(5, "lease_until")?, row.get(6, "run_at")?),
    }))
}

pub(super) const FAILURES: &str = "
SELECT key, update_id, failures, dead_at, reason, first_at, last_at
FROM dead_updates
WHERE bot_id = ?1
ORDER BY last_at DESC, key
LIMIT ?2";

pub(super) fn failures(connection: &Connection, bot: BotId, limit: usize) -> Result<Vec<ListedFailure>, Error> {
    let row = params![bot.0, rows_at_most(limit)];
    all(connection, FAILURES, row, |row| listed_failure(&Columns::of("dead_updates", row)))
}

fn listed_failure(row: &Columns<'_>) -> Result<ListedFailure, Error> {
    let update: Option<i64> = row.get(1, "update_id")?;
    let dead_at: Option<i64> = row.get(3, "dead_at")?;
    Ok(ListedFailure {
        key: row.get(0, "key")?,
        update: update.map(UpdateId),
        failures: row.get(2, "failures")?,
        dead_at: dead_at.map(Timestamp::from_unix_millis),
        reason: row.get(4, "reason")?,
        first_at: Timestamp::from_unix_millis(row.get(5, "first_at")?),
        last_at: Timestamp::from_unix_millis(row.get(6, "last_at")?),
    })
}

/// The columns of [`JOBS`], and the payload.
pub(super) const JOB: &str = concat!(
    "
SELECT id, chat_id, lane, place, attempts, lease_until - ",
    clock!(),
    ", CASE WHEN run_at < 9223372036854775807 THEN run_at - ",
    clock!(),
    " END, payload
FROM jobs
WHERE bot_id = ?1 AND id = ?2"
);

pub(super) fn job(connection: &Connection, bot: BotId, job: JobId) -> Result<Option<ShownJob>, Error> {
    let shown = first(connection, JOB, params![bot.0, job.0], |row| {
        let row = Columns::of("jobs", row);
        let payload = row.get(7, "payload")?;
        Ok(listed_job(&row)?.map(|listed| ShownJob { listed, payload }))
    })?;
    Ok(shown.flatten())
}

/// The columns of [`FAILURES`], and the body.
pub(super) const LETTER: &str = "
SELECT key, update_id, failures, dead_at, reason, first_at, last_at, body
FROM dead_updates
WHERE bot_id = ?1 AND key = ?2";

pub(super) fn letter(connection: &Connection, bot: BotId, key: &str) -> Result<Option<Letter>, Error> {
    first(connection, LETTER, params![bot.0, key], |row| {
        let row = Columns::of("dead_updates", row);
        Ok(Letter { listed: listed_failure(&row)?, body: row.get(7, "body")? })
    })
}
