//! Lists for people. Never for a decision: what they show is over when it is read.

use super::super::{Error, JobId, Lane, ListedFailure, ListedJob, Standing};
use super::column::Columns;
use super::{clock, failed};
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
    let mut statement = connection.prepare_cached(JOBS).map_err(failed)?;
    let mut rows = statement.query(params![bot.0, rows_at_most(limit)]).map_err(failed)?;
    let mut listed = Vec::new();
    while let Some(row) = rows.next().map_err(failed)? {
        let row = Columns::of("jobs", row);
        let lane: String = row.get(2, "lane")?;
        let Some(lane) = Lane::from_name(&lane) else { continue };
        listed.push(ListedJob {
            id: JobId(row.get(0, "id")?),
            chat: ChatId(row.get(1, "chat_id")?),
            lane,
            place: row.get(3, "place")?,
            attempts: row.get(4, "attempts")?,
            standing: Standing::of(row.get(5, "lease_until")?, row.get(6, "run_at")?),
        });
    }
    Ok(listed)
}

pub(super) const FAILURES: &str = "
SELECT update_id, failures, dead_at, reason, last_at
FROM dead_updates
WHERE bot_id = ?1
ORDER BY last_at DESC, key
LIMIT ?2";

pub(super) fn failures(connection: &Connection, bot: BotId, limit: usize) -> Result<Vec<ListedFailure>, Error> {
    let mut statement = connection.prepare_cached(FAILURES).map_err(failed)?;
    let mut rows = statement.query(params![bot.0, rows_at_most(limit)]).map_err(failed)?;
    let mut listed = Vec::new();
    while let Some(row) = rows.next().map_err(failed)? {
        let row = Columns::of("dead_updates", row);
        let update: Option<i64> = row.get(0, "update_id")?;
        let dead_at: Option<i64> = row.get(2, "dead_at")?;
        listed.push(ListedFailure {
            update: update.map(UpdateId),
            failures: row.get(1, "failures")?,
            dead_at: dead_at.map(Timestamp::from_unix_millis),
            reason: row.get(3, "reason")?,
            last_at: Timestamp::from_unix_millis(row.get(4, "last_at")?),
        });
    }
    Ok(listed)
}

fn rows_at_most(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}
