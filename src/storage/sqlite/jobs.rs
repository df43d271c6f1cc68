//! Jobs: queued by a commit, leased, renewed, settled, counted. Never writes a lease without a token of its own.

use super::super::job::{QueuedJob, screen_position};
use super::super::json::{corrupt, encode};
use super::super::{Allowed, End, Ends, Error, JobId, Key, Lane, LaneDepth, LeaseToken, LeasedJob, Reach};
use super::super::{Retried, Settled, Settlement, Work};
use super::column::Columns;
use super::statement::{all, execute, first, one};
use super::{books, clock, failed, rows_at_most, waiting};
use crate::clock::Timestamp;
use crate::flow::chat::{Shown, Version};
use crate::flow::decision::Place;
use crate::telegram::id::{BotId, ChatId};
use rusqlite::{Connection, Row, params};
use std::time::Duration;

/// A job as its row is bound.
pub(super) struct Queued {
    lane: &'static str,
    key: String,
    position: i64,
    place: Option<String>,
    payload: Option<String>,
}

impl Queued {
    pub(super) fn of(job: QueuedJob<'_>) -> Self {
        let QueuedJob { lane, key, position, place, payload } = job;
        let (place, payload) = (place.map(|place| place.to_string()), payload.map(str::to_owned));
        Self { lane: lane.name(), key, position, place, payload }
    }
}

/// A screen job that waits is queued anew; one that is leased keeps its lease and its position, and the settle, which
/// finds another serial, queues it anew. One that is due keeps its turn in the lane.
pub(super) const QUEUE: &str = concat!(
    "
INSERT INTO jobs (bot_id, chat_id, position, serial, run_at, created_at, attempts, lane, key, place, payload)
VALUES (?1, ?2, ?3, ?4, ",
    clock!(),
    ", ?5, 0, ?6, ?7, ?8, ?9)
ON CONFLICT (bot_id, chat_id, key) DO UPDATE
SET serial = excluded.serial,
    place = CASE WHEN excluded.place = 'shown' THEN place ELSE excluded.place END,
    position = CASE WHEN lease_until > excluded.run_at THEN position ELSE excluded.position END,
    run_at = min(run_at, excluded.run_at),
    created_at = CASE WHEN lease_until > excluded.run_at THEN created_at ELSE excluded.created_at END,
    attempts = CASE WHEN lease_until > excluded.run_at THEN attempts ELSE 0 END,
    lease_token = CASE WHEN lease_until > excluded.run_at THEN lease_token END,
    lease_until = CASE WHEN lease_until > excluded.run_at THEN lease_until END"
);

/// Queues a job of the commit that made `version`.
pub(super) fn queue(connection: &Connection, chat: Key, version: Version, job: &Queued, at: i64) -> Result<(), Error> {
    let Queued { lane, key, position, place, payload } = job;
    let row = params![chat.bot.0, chat.chat.0, position, version.0, at, lane, key, place, payload];
    execute(connection, QUEUE, row)?;
    Ok(())
}

/// A chat's jobs leave one after the other, so only its first can be leased; while a chat is on hold, or too far ahead of
/// its pace, none.
/// ?1 lane · ?2 limit · ?3 milliseconds ahead · ?4 bots to be left out, a JSON array.
pub(super) const LEASE_OUTBOUND: &str = concat!(
    "
SELECT id, bot_id, chat_id, place, payload, serial, attempts, lane, key, created_at
FROM jobs AS j
WHERE j.lane = ?1 AND j.run_at <= ",
    clock!(),
    " AND (j.lease_until IS NULL OR j.lease_until <= ",
    clock!(),
    ")
  AND NOT EXISTS (SELECT 1 FROM jobs AS e
                  WHERE e.bot_id = j.bot_id AND e.chat_id = j.chat_id AND e.lane = ?1 AND e.position < j.position)
  AND NOT EXISTS (SELECT 1 FROM chats AS c
                  WHERE c.bot_id = j.bot_id AND c.chat_id = j.chat_id
                    AND (c.hold_until > ",
    clock!(),
    " OR c.paced_until > ",
    clock!(),
    " + ?3))
  AND j.bot_id NOT IN (SELECT value FROM json_each(?4))
ORDER BY j.run_at, j.id
LIMIT ?2"
);

pub(super) fn lease_outbound(
    connection: &Connection,
    limit: usize,
    lease: Duration,
    allowed: &Allowed,
) -> Result<Vec<LeasedJob>, Error> {
    let except = encode(&allowed.except);
    let parameters = params![Lane::Outbound.name(), rows_at_most(limit), millis(allowed.ahead), except];
    take_all(connection, LEASE_OUTBOUND, parameters, lease, Attempt::Counts)
}

pub(super) const FREE: &str = concat!(
    "
SELECT id, bot_id, chat_id, place, payload, serial, attempts, lane, key, created_at
FROM jobs
WHERE id = ?1 AND bot_id = ?2 AND (lease_until IS NULL OR lease_until <= ",
    clock!(),
    ")"
);

pub(super) fn lease_one(
    connection: &Connection,
    bot: BotId,
    id: JobId,
    lease: Duration,
) -> Result<Option<LeasedJob>, Error> {
    Ok(take_all(connection, FREE, params![id.0, bot.0], lease, Attempt::Counts)?.pop())
}

/// Whether a lease counts as an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Attempt {
    Counts,
    DoesNotCount,
}

/// Leases all jobs that `statement` finds: id, bot, chat, place, payload, serial, attempts, lane, key and created_at.
pub(super) fn take_all(
    connection: &Connection,
    statement: &str,
    parameters: impl rusqlite::Params,
    lease: Duration,
    attempt: Attempt,
) -> Result<Vec<LeasedJob>, Error> {
    let mut statement = connection.prepare_cached(statement).map_err(failed)?;
    let mut rows = statement.query(parameters).map_err(failed)?;
    let attempt = u32::from(attempt == Attempt::Counts);
    let mut due = Vec::new();
    let mut tokens = LeaseToken::fresh(usize::MAX);
    while let (Some(row), Some(token)) = (rows.next().map_err(failed)?, tokens.next()) {
        let id = JobId(row.get(0).map_err(failed)?);
        let job = leased(row, token);
        due.push((id, token, job.map(|job| LeasedJob { attempts: job.attempts.saturating_add(attempt), ..job })));
    }
    let take = |id: JobId, token: LeaseToken| {
        execute(connection, TAKE, params![id.0, millis(lease), token.0, attempt]).map(drop)
    };
    due.iter().try_for_each(|(id, token, _)| take(*id, *token))?;
    Ok(due.into_iter().filter_map(|(_, _, job)| readable(job)).collect())
}

/// A job that does not decode stays leased and is met again when the lease is over; the others do not wait for it.
fn readable(job: Result<LeasedJob, Error>) -> Option<LeasedJob> {
    job.inspect_err(|error| tracing::error!(error = error as &dyn std::error::Error, "a job cannot be read")).ok()
}

/// A job as it is held under this token.
pub(super) fn leased(row: &Row<'_>, token: LeaseToken) -> Result<LeasedJob, Error> {
    let row = Columns::of("jobs", row);
    let work = match (row.get::<Option<String>>(3, "place")?, row.get::<Option<String>>(4, "payload")?) {
        (Some(place), _) => Work::Screen(place.parse().map_err(|error| corrupt("jobs", "place", format!("{error}")))?),
        (None, Some(payload)) => Work::Task(payload),
        (None, None) => return Err(corrupt("jobs", "payload", "it is empty in a job without a place")),
    };
    let lane = Lane::from_name(&row.get::<String>(7, "lane")?);
    Ok(LeasedJob {
        id: JobId(row.get(0, "id")?),
        lane: lane.ok_or_else(|| corrupt("jobs", "lane", "it is none that is known"))?,
        key: Key { bot: BotId(row.get(1, "bot_id")?), chat: ChatId(row.get(2, "chat_id")?) },
        name: row.get(8, "key")?,
        work,
        serial: Version(row.get(5, "serial")?),
        attempts: row.get(6, "attempts")?,
        token,
        queued_at: Timestamp::from_unix_millis(row.get(9, "created_at")?),
    })
}

pub(super) const TAKE: &str = concat!(
    "UPDATE jobs SET lease_until = ",
    clock!(),
    " + ?2, lease_token = ?3, attempts = attempts + ?4, progress = NULL, stale = 0 WHERE id = ?1"
);

pub(super) const RENEW: &str =
    concat!("UPDATE jobs SET lease_until = ", clock!(), " + ?3 WHERE id = ?1 AND lease_token = ?2");

pub(super) fn renew(
    connection: &Connection,
    leases: &[(JobId, LeaseToken)],
    lease: Duration,
) -> Result<Vec<bool>, Error> {
    let one = |(id, token): &(JobId, LeaseToken)| execute(connection, RENEW, params![id.0, token.0, millis(lease)]);
    leases.iter().map(|lease| Ok(one(lease)? > 0)).collect()
}

pub(super) const HELD: &str = "SELECT serial, stale FROM jobs WHERE id = ?1 AND bot_id = ?2 AND lease_token = ?3";

/// The serial that the job has now, and whether it is stale, if it is held under this token.
fn held(connection: &Connection, bot: BotId, id: JobId, token: LeaseToken) -> Result<Option<(Version, bool)>, Error> {
    first(connection, HELD, params![id.0, bot.0, token.0], |row| {
        let (serial, stale) = row.try_into().map_err(failed)?;
        Ok((Version(serial), stale))
    })
}

/// If nothing replaced the job while it was leased, it ends as said; else it is queued anew as its last commit would
/// have queued it. What it showed may have changed since, too: see [`super::super::Redraw`].
pub(super) fn settle(connection: &Connection, settlement: &Settlement) -> Result<Settled, Error> {
    let Settlement { id, key, token, .. } = *settlement;
    let Some((serial, stale)) = held(connection, key.bot, id, token)? else {
        settlement.touched().map_or(Ok(()), |place| redraw(connection, key, place))?;
        return Ok(Settled::Lost);
    };

    match &settlement.end {
        End::Done { shown: Some(shown) } => show(connection, key, shown)?,
        End::Again { after, hold: true } => hold(connection, key, *after)?,
        End::Refused { reach: Reach::Unreachable } => mark(connection, key, settlement.serial)?,
        End::Done { shown: None } | End::Again { hold: false, .. } | End::Refused { .. } => {}
    }
    if !settlement.pace.is_zero() {
        execute(connection, PACE, params![key.bot.0, key.chat.0, millis(settlement.pace)])?;
    }
    if serial != settlement.serial {
        execute(connection, RELEASE_ANEW, params![id.0, screen_position(serial)])?;
        return Ok(Settled::Renewed);
    }
    if stale && settlement.touched().is_some() {
        execute(connection, REMOVE, params![id.0])?;
        execute(connection, waiting::REDRAW, params![key.bot.0, key.chat.0])?;
        return Ok(Settled::Renewed);
    }
    settlement.spends().map_or(Ok(()), |generation| books::spend(connection, key, generation))?;
    match &settlement.end {
        End::Done { .. } | End::Refused { .. } => execute(connection, REMOVE, params![id.0])?,
        End::Again { after, .. } => execute(connection, RELEASE, params![id.0, millis(*after)])?,
    };
    Ok(Settled::Ended)
}

pub(super) const SHOW: &str = "UPDATE chats SET shown = ?3 WHERE bot_id = ?1 AND chat_id = ?2";

fn show(connection: &Connection, key: Key, shown: &Shown) -> Result<(), Error> {
    execute(connection, SHOW, params![key.bot.0, key.chat.0, encode(shown)])?;
    Ok(())
}

pub(super) const HOLD: &str =
    concat!("UPDATE chats SET hold_until = ", clock!(), " + ?3 WHERE bot_id = ?1 AND chat_id = ?2");

fn hold(connection: &Connection, key: Key, after: Duration) -> Result<(), Error> {
    execute(connection, HOLD, params![key.bot.0, key.chat.0, millis(after)])?;
    Ok(())
}

pub(super) const MARK: &str = "UPDATE chats SET unreachable_revision = ?3 WHERE bot_id = ?1 AND chat_id = ?2";

/// Nothing up to `serial` reaches the user.
pub(super) fn mark(connection: &Connection, key: Key, serial: Version) -> Result<(), Error> {
    execute(connection, MARK, params![key.bot.0, key.chat.0, serial.0])?;
    Ok(())
}

pub(super) const PACE: &str = concat!(
    "UPDATE chats SET paced_until = max(coalesce(paced_until, 0), ",
    clock!(),
    ") + ?3 WHERE bot_id = ?1 AND chat_id = ?2"
);

/// See [`Settled::Lost`].
pub(super) const REDRAW: &str = concat!(
    "
INSERT INTO jobs (bot_id, chat_id, position, serial, run_at, created_at, attempts, lane, key, place)
SELECT bot_id, chat_id, version * 256 + 255, version, ",
    clock!(),
    ", ",
    clock!(),
    ", 0, 'outbound', 'screen', ?3
FROM chats
WHERE bot_id = ?1 AND chat_id = ?2
ON CONFLICT (bot_id, chat_id, key) DO UPDATE SET stale = 1 WHERE lease_token IS NOT NULL"
);

fn redraw(connection: &Connection, key: Key, place: Place) -> Result<(), Error> {
    execute(connection, REDRAW, params![key.bot.0, key.chat.0, place.to_string()])?;
    Ok(())
}

pub(super) const REMOVE: &str = "DELETE FROM jobs WHERE id = ?1";

/// Whether the job is held under this token and was not replaced.
pub(super) fn is_held(connection: &Connection, bot: BotId, ends: Ends) -> Result<bool, Error> {
    let held = held(connection, bot, ends.id, ends.token)?;
    Ok(held.is_some_and(|(serial, _)| serial == ends.serial))
}

/// Ends a job.
pub(super) fn remove(connection: &Connection, id: JobId) -> Result<(), Error> {
    execute(connection, REMOVE, params![id.0])?;
    Ok(())
}

pub(super) const RELEASE: &str =
    concat!("UPDATE jobs SET lease_until = NULL, lease_token = NULL, run_at = ", clock!(), " + ?2 WHERE id = ?1");

pub(super) const RELEASE_ANEW: &str = concat!(
    "UPDATE jobs SET lease_until = NULL, lease_token = NULL, attempts = 0, position = ?2, run_at = ",
    clock!(),
    " WHERE id = ?1"
);

pub(super) const RETRY: &str = concat!(
    "UPDATE jobs SET lease_until = NULL, lease_token = NULL, run_at = ",
    clock!(),
    " WHERE bot_id = ?1 AND id = ?2 AND (lease_until IS NULL OR lease_until <= ",
    clock!(),
    ")"
);

pub(super) const KNOWS: &str = "SELECT EXISTS (SELECT 1 FROM jobs WHERE bot_id = ?1 AND id = ?2)";

pub(super) fn retry(connection: &Connection, bot: BotId, job: JobId) -> Result<Retried, Error> {
    if execute(connection, RETRY, params![bot.0, job.0])? > 0 {
        return Ok(Retried::Due);
    }
    let known = one(connection, KNOWS, params![bot.0, job.0])?;
    Ok(if known { Retried::Leased } else { Retried::Gone })
}

pub(super) const DEPTHS: &str =
    concat!("SELECT lane, count(*), max(0, ", clock!(), " - min(created_at)) FROM jobs GROUP BY lane ORDER BY lane");

pub(super) fn depths(connection: &Connection) -> Result<Vec<LaneDepth>, Error> {
    let depths = all(connection, DEPTHS, [], |row| {
        let row = Columns::of("jobs", row);
        let (lane, depth, oldest_millis): (String, i64, i64) =
            (row.get(0, "lane")?, row.get(1, "lane")?, row.get(2, "created_at")?);
        // A lane of a newer program is not ours to count.
        Ok(Lane::from_name(&lane).map(|lane| LaneDepth {
            lane,
            depth: u64::try_from(depth).unwrap_or(0),
            oldest: Duration::from_millis(u64::try_from(oldest_millis).unwrap_or(0)),
        }))
    })?;
    Ok(depths.into_iter().flatten().collect())
}

/// Milliseconds, few enough to be added to any clock.
pub(super) fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX).min(i64::MAX / 2)
}
