//! Lanes of workers: leased, held, looked at. Their jobs are queued and ended by commits.
//!
//! Bots take turns, so nothing here goes through a lane. It goes from bot to bot by the index `jobs_work`, which serves
//! only a statement that names its condition, and looks at the oldest jobs of each.

use super::super::waiting::share;
use super::super::{Error, JobId, Lane, LeaseToken, LeasedJob};
use super::jobs::{Attempt, leased, take_all};
use super::statement::{first, one, value};
use super::{Sqlite, clock, rows_at_most};
use crate::telegram::id::BotId;
use rusqlite::{Connection, params};
use std::time::Duration;

impl Sqlite {
    pub(in crate::storage) async fn lease_work(
        &self,
        lanes: &[Lane],
        limit: usize,
        lease: Duration,
        after: BotId,
        attempts_max: u32,
    ) -> Result<Vec<LeasedJob>, Error> {
        let lanes = lanes.to_vec();
        self.writer.write(move |connection| lease_work(connection, &lanes, limit, lease, after, attempts_max)).await
    }

    pub(in crate::storage) async fn exhausted(
        &self,
        limit: usize,
        lease: Duration,
        attempts_max: u32,
    ) -> Result<Vec<LeasedJob>, Error> {
        self.writer.write(move |connection| lease_exhausted(connection, limit, lease, attempts_max)).await
    }

    pub(in crate::storage) async fn held(&self, id: JobId, token: LeaseToken) -> Result<Option<LeasedJob>, Error> {
        self.reader.read(move |connection| held(connection, id, token)).await
    }

    pub(in crate::storage) async fn due(&self, lanes: &[Lane], attempts_max: u32) -> Result<Vec<Lane>, Error> {
        let lanes = lanes.to_vec();
        self.reader.read(move |connection| due(connection, &lanes, attempts_max)).await
    }
}

pub(super) const NEXT_BOT: &str = "
SELECT bot_id FROM jobs WHERE lane = ?1 AND lane <> 'outbound' AND bot_id > ?2 ORDER BY bot_id LIMIT 1";

/// The bots above `after` that have jobs in a lane, each looked for when it is asked for.
pub(super) fn bots(
    connection: &Connection,
    lane: &'static str,
    after: i64,
) -> impl Iterator<Item = Result<BotId, Error>> {
    let mut last = Some(after);
    std::iter::from_fn(move || {
        let next = value(connection, NEXT_BOT, params![lane, last?]).transpose()?;
        last = next.as_ref().ok().copied();
        Some(next.map(BotId))
    })
}

pub(super) const LEASE: &str = concat!(
    "
SELECT id, bot_id, chat_id, place, payload, serial, attempts, lane, key, created_at
FROM jobs AS j
WHERE j.lane = ?1 AND j.lane <> 'outbound' AND j.bot_id = ?2 AND j.run_at <= ",
    clock!(),
    " AND (j.lease_until IS NULL OR j.lease_until <= ",
    clock!(),
    ") AND j.attempts < ?4
  AND NOT EXISTS (SELECT 1 FROM jobs AS e
                  WHERE e.bot_id = j.bot_id AND e.chat_id = j.chat_id AND e.lane = ?1 AND e.position < j.position)
ORDER BY j.run_at, j.id
LIMIT ?3"
);

fn lease_work(
    connection: &Connection,
    lanes: &[Lane],
    limit: usize,
    lease: Duration,
    after: BotId,
    attempts_max: u32,
) -> Result<Vec<LeasedJob>, Error> {
    let mut all = Vec::new();
    for lane in lanes.iter().map(|lane| lane.name()) {
        // First one job of each bot, then of each as many as all of them may have together.
        let mut each = 1;
        while all.len() < limit {
            let mut round = Vec::new();
            let up_to_after = |bot: &Result<BotId, Error>| bot.as_ref().map_or(true, |bot| *bot <= after);
            for bot in bots(connection, lane, after.0).chain(bots(connection, lane, i64::MIN).take_while(up_to_after)) {
                let room = limit - all.len() - round.len();
                if room == 0 {
                    break;
                }
                let row = params![lane, bot?.0, rows_at_most(each.min(room)), attempts_max];
                round.extend(take_all(connection, LEASE, row, lease, Attempt::Counts)?);
            }
            if round.is_empty() {
                break;
            }
            each = share(limit - all.len() - round.len(), &round);
            all.extend(round);
        }
    }
    Ok(all)
}

/// How far down each bot's part of a lane to look for what a worker has left: what is in work stands in front.
const FRONT: usize = 200;

pub(super) const LEFT_OVER: &str = concat!(
    "
SELECT id, bot_id, chat_id, place, payload, serial, attempts, lane, key, created_at
FROM (SELECT * FROM jobs WHERE lane = ?1 AND lane <> 'outbound' AND bot_id = ?2 ORDER BY run_at, id LIMIT ?3)
WHERE attempts >= ?4 AND (lease_until IS NULL OR lease_until <= ",
    clock!(),
    ")
LIMIT ?5"
);

fn lease_exhausted(
    connection: &Connection,
    limit: usize,
    lease: Duration,
    attempts_max: u32,
) -> Result<Vec<LeasedJob>, Error> {
    let mut all = Vec::new();
    for lane in Lane::OF_WORKERS.map(Lane::name) {
        for bot in bots(connection, lane, i64::MIN) {
            let row = params![lane, bot?.0, rows_at_most(FRONT), attempts_max, rows_at_most(limit - all.len())];
            all.extend(take_all(connection, LEFT_OVER, row, lease, Attempt::DoesNotCount)?);
        }
    }
    Ok(all)
}

pub(super) const HELD: &str = "
SELECT id, bot_id, chat_id, place, payload, serial, attempts, lane, key, created_at
FROM jobs
WHERE id = ?1 AND lease_token = ?2";

fn held(connection: &Connection, id: JobId, token: LeaseToken) -> Result<Option<LeasedJob>, Error> {
    first(connection, HELD, params![id.0, token.0], |row| leased(row, token))
}

pub(super) const IS_DUE: &str = concat!(
    "
SELECT EXISTS (SELECT 1 FROM jobs AS j
               WHERE j.lane = ?1 AND j.run_at <= ",
    clock!(),
    " AND (j.lease_until IS NULL OR j.lease_until <= ",
    clock!(),
    ") AND j.attempts < ?2
                 AND NOT EXISTS (SELECT 1 FROM jobs AS e
                                 WHERE e.bot_id = j.bot_id AND e.chat_id = j.chat_id AND e.lane = ?1
                                   AND e.position < j.position))"
);

fn due(connection: &Connection, lanes: &[Lane], attempts_max: u32) -> Result<Vec<Lane>, Error> {
    let mut due = Vec::new();
    for lane in lanes {
        let is_due: bool = one(connection, IS_DUE, params![lane.name(), attempts_max])?;
        due.extend(is_due.then_some(*lane));
    }
    Ok(due)
}
