//! Jobs: queued by a commit, leased, renewed, settled. Never leaves a lease without its token.

use super::failure::{Columns, failed};
use super::{Sqlite, clock};
use crate::flow::chat::{Shown, Version};
use crate::flow::decision::Place;
use crate::secret;
use crate::storage::{
    End, Error, JobId, Key, Lane, LaneDepth, LeaseToken, LeasedJob, NewJob, Settled, Settlement, Work,
};
use crate::telegram::id::{BotId, ChatId};
use rusqlite::{Connection, OptionalExtension, params};
use std::time::Duration;

/// The key of a chat's one screen job.
const SCREEN_KEY: &str = "screen";

/// Places in the order of a chat's jobs that a commit has.
const POSITIONS_A_COMMIT: i64 = 256;

/// When a parked job is due: never. It waits for the chat's next screen.
const NEVER_MILLIS: i64 = i64::MAX;

/// The screen job of a chat. One that waits is queued anew; one that is leased keeps its lease and its position, and
/// the settle, which finds another serial, queues it anew.
const QUEUE_SCREEN: &str = concat!(
    "
INSERT INTO jobs (bot_id, chat_id, lane, key, position, serial, place, run_at, attempts, created_at)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ",
    clock!(),
    ", 0, ?8)
ON CONFLICT (bot_id, chat_id, key) DO UPDATE SET
    serial = excluded.serial,
    place = CASE WHEN excluded.place = ?9 THEN place ELSE excluded.place END,
    position = CASE WHEN lease_until > excluded.run_at THEN position ELSE excluded.position END,
    run_at = CASE WHEN lease_until > excluded.run_at THEN run_at ELSE excluded.run_at END,
    attempts = CASE WHEN lease_until > excluded.run_at THEN attempts ELSE 0 END,
    created_at = CASE WHEN lease_until > excluded.run_at THEN created_at ELSE excluded.created_at END,
    lease_token = CASE WHEN lease_until > excluded.run_at THEN lease_token END,
    lease_until = CASE WHEN lease_until > excluded.run_at THEN lease_until END"
);

const QUEUE_TASK: &str = concat!(
    "
INSERT INTO jobs (bot_id, chat_id, lane, key, position, serial, payload, run_at, attempts, created_at)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ",
    clock!(),
    ", 0, ?8)"
);

/// Queues a job of the commit that made `version`, as its `ordinal`th.
pub(super) fn queue(
    connection: &Connection,
    key: Key,
    version: Version,
    ordinal: i64,
    job: &NewJob,
    at: i64,
) -> Result<(), Error> {
    let (bot, chat, serial) = (key.bot.0, key.chat.0, version.0);
    let position = position(version).saturating_add(ordinal);
    match job {
        NewJob::Screen(place) => {
            let mut statement = connection.prepare_cached(QUEUE_SCREEN).map_err(failed)?;
            let (lane, place, shown) = (Lane::Outbound.name(), place.to_string(), Place::Shown.to_string());
            statement.execute(params![bot, chat, lane, SCREEN_KEY, position, serial, place, at, shown])
        }
        NewJob::Task { lane, payload } => {
            let mut statement = connection.prepare_cached(QUEUE_TASK).map_err(failed)?;
            let key = format!("{serial}.{ordinal}");
            statement.execute(params![bot, chat, lane.name(), key, position, serial, payload, at])
        }
    }
    .map_err(failed)?;
    Ok(())
}

/// The first position of the jobs of the commit that made `version`.
fn position(version: Version) -> i64 {
    version.0.saturating_mul(POSITIONS_A_COMMIT)
}

impl Sqlite {
    /// Leases up to `limit` due jobs of `lane`, at most the first of each chat in `outbound`.
    pub(in crate::storage) async fn lease(
        &self,
        lane: Lane,
        limit: usize,
        lease: Duration,
    ) -> Result<Vec<LeasedJob>, Error> {
        self.writer
            .write(move |connection| {
                let jobs = due(connection, lane, limit)?;
                jobs.iter().try_for_each(|job| take(connection, job, lease))?;
                Ok(jobs)
            })
            .await
    }

    /// Renews leases; says of each whether it was still held.
    pub(in crate::storage) async fn renew(
        &self,
        leases: &[(JobId, LeaseToken)],
        lease: Duration,
    ) -> Result<Vec<bool>, Error> {
        let leases = leases.to_vec();
        self.writer
            .write(move |connection| leases.iter().map(|(id, token)| renew(connection, *id, *token, lease)).collect())
            .await
    }

    /// Ends a lease.
    pub(in crate::storage) async fn settle(&self, settlement: &Settlement) -> Result<Settled, Error> {
        let settlement = settlement.clone();
        self.writer.write(move |connection| settle(connection, &settlement)).await
    }

    /// How each lane stands that has jobs.
    pub(in crate::storage) async fn depths(&self) -> Result<Vec<LaneDepth>, Error> {
        self.reader.read(depths).await
    }
}

/// A 429 holds what is sent to a chat, not what is worked on for it.
const DUE: &str = concat!(
    "
SELECT id, bot_id, chat_id, place, payload, serial, attempts FROM jobs
WHERE lane = ?1 AND run_at <= ",
    clock!(),
    " AND (lease_until IS NULL OR lease_until <= ",
    clock!(),
    ")
  AND (lane <> ?3 OR NOT EXISTS (
        SELECT 1 FROM jobs AS earlier
        WHERE earlier.bot_id = jobs.bot_id AND earlier.chat_id = jobs.chat_id AND earlier.lane = jobs.lane
          AND earlier.position < jobs.position))
  AND (lane <> ?3 OR NOT EXISTS (
        SELECT 1 FROM chats
        WHERE chats.bot_id = jobs.bot_id AND chats.chat_id = jobs.chat_id AND chats.hold_until > ",
    clock!(),
    "))
ORDER BY run_at, id LIMIT ?2"
);

/// What can be leased now, as it will be once it is: with a token, and this attempt counted.
fn due(connection: &Connection, lane: Lane, limit: usize) -> Result<Vec<LeasedJob>, Error> {
    let mut statement = connection.prepare_cached(DUE).map_err(failed)?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut rows = statement.query(params![lane.name(), limit, Lane::Outbound.name()]).map_err(failed)?;
    let mut jobs = Vec::new();
    while let Some(row) = rows.next().map_err(failed)? {
        let row = Columns::of("jobs", row);
        let place = row.get::<Option<String>>(3, "place")?;
        jobs.push(LeasedJob {
            id: JobId(row.get(0, "id")?),
            key: Key { bot: BotId(row.get(1, "bot_id")?), chat: ChatId(row.get(2, "chat_id")?) },
            work: match place {
                Some(place) => Work::Screen(place.parse().map_err(|error| row.corrupt("place", Box::new(error)))?),
                None => Work::Task(row.get(4, "payload")?),
            },
            serial: Version(row.get(5, "serial")?),
            attempts: row.get::<u32>(6, "attempts")?.saturating_add(1),
            token: LeaseToken(i64::from_le_bytes(secret::random())),
        });
    }
    Ok(jobs)
}

const TAKE: &str = concat!(
    "UPDATE jobs SET lease_until = ",
    clock!(),
    " + ?2, lease_token = ?3, attempts = attempts + 1 WHERE id = ?1"
);

fn take(connection: &Connection, job: &LeasedJob, lease: Duration) -> Result<(), Error> {
    let mut statement = connection.prepare_cached(TAKE).map_err(failed)?;
    statement.execute(params![job.id.0, millis(lease), job.token.0]).map_err(failed)?;
    Ok(())
}

const RENEW: &str = concat!("UPDATE jobs SET lease_until = ", clock!(), " + ?3 WHERE id = ?1 AND lease_token = ?2");

fn renew(connection: &Connection, id: JobId, token: LeaseToken, lease: Duration) -> Result<bool, Error> {
    let mut statement = connection.prepare_cached(RENEW).map_err(failed)?;
    let held = statement.execute(params![id.0, token.0, millis(lease)]).map_err(failed)?;
    Ok(held > 0)
}

const SERIAL: &str = "SELECT serial FROM jobs WHERE id = ?1 AND lease_token = ?2";

fn settle(connection: &Connection, settlement: &Settlement) -> Result<Settled, Error> {
    let (id, key) = (settlement.id, settlement.key);
    let mut statement = connection.prepare_cached(SERIAL).map_err(failed)?;
    let serial = statement.query_row(params![id.0, settlement.token.0], |row| row.get(0)).optional().map_err(failed)?;
    let Some(serial) = serial.map(Version) else { return Ok(Settled::Lost) };

    match &settlement.end {
        End::Done { shown: Some(shown) } => show(connection, key, shown)?,
        End::Again { after, hold: true } => hold(connection, key, *after)?,
        End::Done { shown: None } | End::Again { hold: false, .. } | End::Parked => {}
    }
    if serial != settlement.serial {
        requeue(connection, id, serial)?;
        return Ok(Settled::Renewed);
    }
    match settlement.end {
        End::Done { .. } => remove(connection, id)?,
        End::Again { after, .. } => postpone(connection, id, after)?,
        End::Parked => park(connection, id)?,
    }
    Ok(Settled::Ended)
}

const SHOW: &str = "UPDATE chats SET shown = ?3 WHERE bot_id = ?1 AND chat_id = ?2";

fn show(connection: &Connection, key: Key, shown: &Shown) -> Result<(), Error> {
    let shown = serde_json::to_string(shown).map_err(|error| Error::Data(error.into()))?;
    let mut statement = connection.prepare_cached(SHOW).map_err(failed)?;
    statement.execute(params![key.bot.0, key.chat.0, shown]).map_err(failed)?;
    Ok(())
}

const HOLD: &str = concat!("UPDATE chats SET hold_until = ", clock!(), " + ?3 WHERE bot_id = ?1 AND chat_id = ?2");

fn hold(connection: &Connection, key: Key, after: Duration) -> Result<(), Error> {
    let mut statement = connection.prepare_cached(HOLD).map_err(failed)?;
    statement.execute(params![key.bot.0, key.chat.0, millis(after)]).map_err(failed)?;
    Ok(())
}

const REQUEUE: &str = concat!(
    "UPDATE jobs SET lease_until = NULL, lease_token = NULL, attempts = 0, position = ?2, run_at = ",
    clock!(),
    " WHERE id = ?1"
);

/// Puts a job that was overwritten while it was leased where its last commit would have put it.
fn requeue(connection: &Connection, id: JobId, serial: Version) -> Result<(), Error> {
    let mut statement = connection.prepare_cached(REQUEUE).map_err(failed)?;
    statement.execute(params![id.0, position(serial)]).map_err(failed)?;
    Ok(())
}

const REMOVE: &str = "DELETE FROM jobs WHERE id = ?1";

fn remove(connection: &Connection, id: JobId) -> Result<(), Error> {
    connection.prepare_cached(REMOVE).map_err(failed)?.execute([id.0]).map_err(failed)?;
    Ok(())
}

const POSTPONE: &str =
    concat!("UPDATE jobs SET lease_until = NULL, lease_token = NULL, run_at = ", clock!(), " + ?2 WHERE id = ?1");

fn postpone(connection: &Connection, id: JobId, after: Duration) -> Result<(), Error> {
    connection.prepare_cached(POSTPONE).map_err(failed)?.execute([id.0, millis(after)]).map_err(failed)?;
    Ok(())
}

const PARK: &str = "UPDATE jobs SET lease_until = NULL, lease_token = NULL, run_at = ?2 WHERE id = ?1";

fn park(connection: &Connection, id: JobId) -> Result<(), Error> {
    connection.prepare_cached(PARK).map_err(failed)?.execute([id.0, NEVER_MILLIS]).map_err(failed)?;
    Ok(())
}

const DEPTHS: &str =
    concat!("SELECT lane, count(*), max(0, ", clock!(), " - min(created_at)) FROM jobs GROUP BY lane ORDER BY lane");

fn depths(connection: &Connection) -> Result<Vec<LaneDepth>, Error> {
    let mut statement = connection.prepare_cached(DEPTHS).map_err(failed)?;
    let mut rows = statement.query([]).map_err(failed)?;
    let mut depths = Vec::new();
    while let Some(row) = rows.next().map_err(failed)? {
        let row = Columns::of("jobs", row);
        let name: String = row.get(0, "lane")?;
        // A lane of a newer program is not ours to count.
        let Some(lane) = Lane::from_name(&name) else { continue };
        depths.push(LaneDepth {
            lane,
            depth: u64::try_from(row.get::<i64>(1, "lane")?).unwrap_or(0),
            oldest: Duration::from_millis(u64::try_from(row.get::<i64>(2, "created_at")?).unwrap_or(0)),
        });
    }
    Ok(depths)
}

/// Milliseconds, few enough to be added to any clock.
fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX).min(NEVER_MILLIS / 2)
}
