//! Lists for people. Never for a decision: what they show is over when it is read.

use super::super::{Error, JobId, Lane, Letter, ListedFailure, ListedJob, ShownJob, Standing};
use super::column::Columns;
use super::{clock, failed, rows_at_most};
use crate::clock::Timestamp;
use crate::telegram::id::{BotId, ChatId, UpdateId};
use rusqlite::{Connection, OptionalExtension, params};

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
    let mut statement = connection.prepare_cached(JOBS).map_err(failed)?;
    let mut rows = statement.query(params![bot.0, rows_at_most(limit)]).map_err(failed)?;
    let mut listed = Vec::new();
    while let Some(row) = rows.next().map_err(failed)? {
        listed.extend(listed_job(&Columns::of("jobs", row))?);
    }
    Ok(listed)
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
    let mut statement = connection.prepare_cached(FAILURES).map_err(failed)?;
    let mut rows = statement.query(params![bot.0, rows_at_most(limit)]).map_err(failed)?;
    let mut listed = Vec::new();
    while let Some(row) = rows.next().map_err(failed)? {
        listed.push(listed_failure(&Columns::of("dead_updates", row))?);
    }
    Ok(listed)
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
    let mut statement = connection.prepare_cached(JOB).map_err(failed)?;
    let shown = statement.query_row(params![bot.0, job.0], |row| {
        let row = Columns::of("jobs", row);
        Ok(listed_job(&row).and_then(|job| Ok(job.zip(Some(row.get::<Option<String>>(7, "payload")?)))))
    });
    let shown = shown.optional().map_err(failed)?.transpose()?.flatten();
    Ok(shown.map(|(listed, payload)| ShownJob { listed, payload }))
}

/// The columns of [`FAILURES`], and the body.
pub(super) const LETTER: &str = "
SELECT key, update_id, failures, dead_at, reason, first_at, last_at, body
FROM dead_updates
WHERE bot_id = ?1 AND key = ?2";

pub(super) fn letter(connection: &Connection, bot: BotId, key: &str) -> Result<Option<Letter>, Error> {
    let mut statement = connection.prepare_cached(LETTER).map_err(failed)?;
    let letter = statement.query_row(params![bot.0, key], |row| {
        let row = Columns::of("dead_updates", row);
        Ok(listed_failure(&row).and_then(|listed| Ok(Letter { listed, body: row.get(7, "body")? })))
    });
    letter.optional().map_err(failed)?.transpose()
}
