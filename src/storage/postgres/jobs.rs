//! Jobs: leased, renewed, settled, counted. They are written by commits, see [`super::chats`].

use super::super::json::{corrupt, encode};
use super::super::{Allowed, End, Error, JobId, Key, Lane, LaneDepth, LeaseToken, LeasedJob, Reach};
use super::super::{Retried, Settled, Settlement, Work};
use crate::clock::Timestamp;
use crate::flow::chat::Version;
use crate::telegram::id::{BotId, ChatId};
use sqlx::Row;
use sqlx::postgres::{PgConnection, PgPool, PgRow};
use std::time::Duration;

/// A chat's jobs leave one after the other, so only its first can be leased; while a chat is on hold, or too far ahead of
/// its pace, none. Both are asked of one job after the other, by key: as joins (NOT EXISTS) they could read all chats, and
/// with an equality of lanes, all of a lane.
/// $1 lane · $2 limit · $3 seconds of the lease · $4 tokens · $5 seconds ahead · $6 bots to be left out.
pub(super) const LEASE_OUTBOUND: &str = "
WITH due AS MATERIALIZED (
    SELECT j.id, j.bot_id
    FROM jobs AS j
    WHERE j.lane = $1 AND j.run_at <= now() AND (j.lease_until IS NULL OR j.lease_until <= now())
      AND (SELECT true FROM jobs AS e
           WHERE e.bot_id = j.bot_id AND e.chat_id = j.chat_id AND e.lane IS NOT DISTINCT FROM $1
             AND e.position < j.position
           LIMIT 1) IS NOT TRUE
      AND (SELECT c.hold_until > now() OR c.paced_until > now() + make_interval(secs => $5)
           FROM chats AS c WHERE c.bot_id = j.bot_id AND c.chat_id = j.chat_id) IS NOT TRUE
      AND j.bot_id <> ALL ($6::bigint[])
    ORDER BY j.run_at, j.id
    LIMIT $2
    FOR NO KEY UPDATE OF j SKIP LOCKED
), numbered AS (
    SELECT id, bot_id, row_number() OVER () AS n FROM due
)
UPDATE jobs AS j
SET lease_until = now() + make_interval(secs => $3), lease_token = ($4::bigint[])[d.n], attempts = j.attempts + 1,
    stale = false
FROM numbered AS d
WHERE j.id = d.id AND j.bot_id = d.bot_id
RETURNING j.id, j.bot_id, j.chat_id, j.lane, j.key, j.place, j.payload, j.serial, j.attempts, j.lease_token, d.n,
          (extract(epoch FROM j.created_at) * 1000)::bigint AS queued_at";

pub(super) async fn lease_outbound(
    pool: &PgPool,
    limit: usize,
    lease: Duration,
    allowed: &Allowed,
) -> Result<Vec<LeasedJob>, Error> {
    let tokens: Vec<i64> = LeaseToken::fresh(limit).map(|token| token.0).collect();
    let except: Vec<i64> = allowed.except.iter().map(|bot| bot.0).collect();
    let rows = sqlx::query(LEASE_OUTBOUND)
        .bind(Lane::Outbound.name())
        .bind(limit as i64)
        .bind(lease.as_secs_f64())
        .bind(tokens)
        .bind(allowed.ahead.as_secs_f64())
        .bind(except)
        .fetch_all(pool)
        .await?;
    in_order(&rows)
}

pub(super) const LEASE_ONE: &str = "
UPDATE jobs
SET lease_until = now() + make_interval(secs => $3), lease_token = $4, attempts = attempts + 1, stale = false
WHERE id = $1 AND bot_id = $2 AND (lease_until IS NULL OR lease_until <= now())
RETURNING id, bot_id, chat_id, lane, key, place, payload, serial, attempts, lease_token,
          (extract(epoch FROM created_at) * 1000)::bigint AS queued_at";

pub(super) async fn lease_one(
    pool: &PgPool,
    bot: BotId,
    id: JobId,
    lease: Duration,
) -> Result<Option<LeasedJob>, Error> {
    let token = LeaseToken::fresh(1).next().map(|token| token.0);
    let query = sqlx::query(LEASE_ONE).bind(id.0).bind(bot.0).bind(lease.as_secs_f64()).bind(token);
    query.fetch_optional(pool).await?.as_ref().map(leased).transpose()
}

/// The jobs of a lease as they are due.
pub(super) fn in_order(rows: &[PgRow]) -> Result<Vec<LeasedJob>, Error> {
    let mut rows =
        rows.iter().map(|row| Ok((row.try_get::<i64, _>("n")?, leased(row)))).collect::<Result<Vec<_>, Error>>()?;
    rows.sort_by_key(|(n, _)| *n);
    Ok(rows.into_iter().filter_map(|(_, job)| readable(job)).collect())
}

/// One job that cannot be read must not keep its lane from all others: it stays leased and comes again.
fn readable(job: Result<LeasedJob, Error>) -> Option<LeasedJob> {
    job.inspect_err(|error| tracing::error!(error = error as &dyn std::error::Error, "a job cannot be read")).ok()
}

pub(super) fn leased(row: &PgRow) -> Result<LeasedJob, Error> {
    let (place, payload): (Option<&str>, Option<String>) = (row.try_get("place")?, row.try_get("payload")?);
    let work = match (place, payload) {
        (Some(place), _) => Work::Screen(place.parse().map_err(|error| corrupt("jobs", "place", format!("{error}")))?),
        (None, Some(payload)) => Work::Task(payload),
        (None, None) => return Err(corrupt("jobs", "payload", "it is empty in a job without a place")),
    };
    let lane = Lane::from_name(row.try_get("lane")?);
    Ok(LeasedJob {
        id: JobId(row.try_get("id")?),
        lane: lane.ok_or_else(|| corrupt("jobs", "lane", "it is none that is known"))?,
        key: Key { bot: BotId(row.try_get("bot_id")?), chat: ChatId(row.try_get("chat_id")?) },
        name: row.try_get("key")?,
        work,
        serial: Version(row.try_get("serial")?),
        attempts: u32::try_from(row.try_get::<i32, _>("attempts")?).unwrap_or(0),
        token: LeaseToken(row.try_get("lease_token")?),
        queued_at: Timestamp::from_unix_millis(row.try_get("queued_at")?),
    })
}

/// Locks in the order in which commits do, or two of them could wait in a circle.
pub(super) const RENEW: &str = "
WITH held AS MATERIALIZED (
    SELECT j.id, j.bot_id
    FROM jobs AS j JOIN unnest($1::bigint[], $2::bigint[]) AS m (id, token) ON j.id = m.id AND j.lease_token = m.token
    ORDER BY j.bot_id, j.chat_id, j.position
    FOR NO KEY UPDATE OF j
)
UPDATE jobs AS j SET lease_until = now() + make_interval(secs => $3)
FROM held AS h
WHERE j.id = h.id AND j.bot_id = h.bot_id
RETURNING j.id, j.lease_token";

pub(super) async fn renew(pool: &PgPool, leases: &[(JobId, LeaseToken)], lease: Duration) -> Result<Vec<bool>, Error> {
    let ids: Vec<i64> = leases.iter().map(|(id, _)| id.0).collect();
    let tokens: Vec<i64> = leases.iter().map(|(_, token)| token.0).collect();
    let held: Vec<(i64, i64)> =
        sqlx::query_as(RENEW).bind(ids).bind(tokens).bind(lease.as_secs_f64()).fetch_all(pool).await?;
    Ok(leases.iter().map(|(id, token)| held.contains(&(id.0, token.0))).collect())
}

/// 1. `locked` locks the chats in key order, skips those that somebody else holds, and comes before all locks of jobs (the
///    count). A chat in the snapshot that is not locked is `busy`, as in [`super::chats::COMMIT`], and its job is let be.
/// 2. `held` are the jobs whose lease still stands. `same`: nothing replaced the job while it was leased; one that was
///    replaced goes where its commit would have put it, see [`super::super::job::screen_position`]. `anew`: what was
///    shown has changed since, see [`super::super::Redraw`].
/// 3. `redrawn`: see [`Settled::Lost`].
///
/// `ending` is `done`, `again`, `hold` or `unreachable`; `wait` and `pace` are seconds; `touched` is the message's place;
/// `spent` is the generation that is spent.
pub(super) const SETTLE: &str = "
WITH member AS MATERIALIZED (
    SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::text[], $7::float8[],
                         $8::text[], $9::text[], $10::float8[], $11::text[]) WITH ORDINALITY
        AS m (bot_id, chat_id, id, token, serial, shown, wait, ending, touched, pace, spent, n)
), locked AS MATERIALIZED (
    SELECT m.n, c.version, c.paced_until
    FROM member AS m JOIN chats AS c ON c.bot_id = m.bot_id AND c.chat_id = m.chat_id
    ORDER BY c.bot_id, c.chat_id
    FOR NO KEY UPDATE OF c SKIP LOCKED
), turn AS MATERIALIZED (
    SELECT m.*, l.version, l.paced_until, s.n IS NOT NULL AS busy
    FROM member AS m
    LEFT JOIN locked AS l ON l.n = m.n
    LEFT JOIN LATERAL (
        SELECT m.n FROM chats AS c WHERE l.n IS NULL AND c.bot_id = m.bot_id AND c.chat_id = m.chat_id LIMIT 1
    ) AS s ON true
), held AS MATERIALIZED (
    SELECT t.*, j.serial = t.serial AS same,
           j.serial = t.serial AND j.stale AND t.shown IS NOT NULL AND t.version IS NOT NULL AS anew
    FROM turn AS t JOIN jobs AS j ON j.id = t.id AND j.bot_id = t.bot_id AND j.lease_token = t.token
    WHERE NOT t.busy AND (SELECT count(*) FROM locked) >= 0
    ORDER BY j.bot_id, j.chat_id, j.position
    FOR UPDATE OF j
), written AS (
    UPDATE chats AS c
    SET shown = coalesce(h.shown, c.shown),
        hold_until = CASE WHEN h.ending = 'hold' THEN now() + make_interval(secs => h.wait) ELSE c.hold_until END,
        unreachable_revision = CASE WHEN h.ending = 'unreachable' THEN h.serial ELSE c.unreachable_revision END,
        paced_until = CASE WHEN h.pace > 0
                           THEN greatest(c.paced_until, now()) + make_interval(secs => h.pace)
                           ELSE c.paced_until END
    FROM held AS h
    WHERE c.bot_id = h.bot_id AND c.chat_id = h.chat_id
      AND (h.shown IS NOT NULL OR h.ending IN ('hold', 'unreachable') OR h.pace > 0)
), removed AS (
    DELETE FROM jobs AS j USING held AS h
    WHERE j.id = h.id AND j.bot_id = h.bot_id AND h.same AND NOT h.anew AND h.ending IN ('done', 'unreachable')
), released AS (
    UPDATE jobs AS j
    SET lease_until = NULL, lease_token = NULL,
        run_at = CASE WHEN h.anew THEN greatest(now(), h.paced_until) + make_interval(secs => h.pace)
                      WHEN h.same THEN now() + make_interval(secs => h.wait)
                      ELSE now() END,
        attempts = CASE WHEN h.same AND NOT h.anew THEN j.attempts ELSE 0 END,
        created_at = CASE WHEN h.anew THEN now() ELSE j.created_at END,
        serial = CASE WHEN h.anew THEN h.version ELSE j.serial END,
        position = CASE WHEN h.anew THEN h.version * 256 + 255
                        WHEN h.same THEN j.position
                        ELSE j.serial * 256 + 255 END,
        place = CASE WHEN h.anew THEN 'shown' ELSE j.place END
    FROM held AS h
    WHERE j.id = h.id AND j.bot_id = h.bot_id AND NOT (h.same AND NOT h.anew AND h.ending IN ('done', 'unreachable'))
), redrawn AS (
    INSERT INTO jobs AS j (bot_id, chat_id, position, serial, run_at, created_at, attempts, lane, key, place)
    SELECT t.bot_id, t.chat_id, t.version * 256 + 255, t.version, now(), now(), 0, 'outbound', 'screen', t.touched
    FROM turn AS t
    WHERE t.touched IS NOT NULL AND t.version IS NOT NULL AND NOT EXISTS (SELECT FROM held AS h WHERE h.n = t.n)
    ORDER BY t.bot_id, t.chat_id
    ON CONFLICT (bot_id, chat_id, key) DO UPDATE SET stale = true WHERE j.lease_token IS NOT NULL
), spent AS (
    INSERT INTO ledger (bot_id, chat_id, kind, amount, reference, at)
    SELECT h.bot_id, h.chat_id, 'spent', 0, h.spent, now() FROM held AS h WHERE h.same AND h.spent IS NOT NULL
)
SELECT t.n, t.busy, h.same AND NOT h.anew FROM turn AS t LEFT JOIN held AS h ON h.n = t.n";

/// At most one member of a chat, as in [`super::chats::commit`].
pub(super) async fn settle(connection: &mut PgConnection, settlements: &[Settlement]) -> Result<Vec<Settled>, Error> {
    let ends = Endings::of(settlements);
    let rows: Result<Vec<(i64, bool, Option<bool>)>, _> = sqlx::query_as(SETTLE)
        .bind(ends.bots)
        .bind(ends.chats)
        .bind(ends.ids)
        .bind(ends.tokens)
        .bind(ends.serials)
        .bind(ends.shown)
        .bind(ends.waits)
        .bind(ends.endings)
        .bind(ends.touched)
        .bind(ends.paces)
        .bind(ends.spent)
        .fetch_all(connection)
        .await
        .map_err(Error::from);
    let mut rows = match rows {
        Ok(rows) => rows,
        // Somebody held its job for longer than the connection waits.
        Err(error) if error.is_lock_timeout() && settlements.len() == 1 => return Ok(vec![Settled::Busy]),
        Err(error) => return Err(error),
    };
    rows.sort_by_key(|(n, ..)| *n);
    Ok(rows
        .into_iter()
        .map(|(_, busy, same)| match same {
            _ if busy => Settled::Busy,
            Some(true) => Settled::Ended,
            Some(false) => Settled::Renewed,
            None => Settled::Lost,
        })
        .collect())
}

/// A batch by column, as `unnest` takes it.
#[derive(Default)]
struct Endings {
    bots: Vec<i64>,
    chats: Vec<i64>,
    ids: Vec<i64>,
    tokens: Vec<i64>,
    serials: Vec<i64>,
    shown: Vec<Option<String>>,
    waits: Vec<f64>,
    endings: Vec<&'static str>,
    touched: Vec<Option<String>>,
    paces: Vec<f64>,
    spent: Vec<Option<String>>,
}

impl Endings {
    fn of(settlements: &[Settlement]) -> Self {
        let mut endings = Self::default();
        for settlement in settlements {
            let (ending, shown, wait) = match &settlement.end {
                End::Done { shown } => ("done", shown.as_ref(), Duration::ZERO),
                End::Again { after, hold: false } => ("again", None, *after),
                End::Again { after, hold: true } => ("hold", None, *after),
                End::Refused { reach: Reach::Reachable } => ("done", None, Duration::ZERO),
                End::Refused { reach: Reach::Unreachable } => ("unreachable", None, Duration::ZERO),
            };
            endings.bots.push(settlement.key.bot.0);
            endings.chats.push(settlement.key.chat.0);
            endings.ids.push(settlement.id.0);
            endings.tokens.push(settlement.token.0);
            endings.serials.push(settlement.serial.0);
            endings.shown.push(shown.map(encode));
            endings.waits.push(wait.as_secs_f64());
            endings.endings.push(ending);
            endings.touched.push(settlement.touched().map(|place| place.to_string()));
            endings.paces.push(settlement.pace.as_secs_f64());
            endings.spent.push(settlement.spends().map(str::to_owned));
        }
        endings
    }
}

pub(super) const RETRY: &str = "
UPDATE jobs SET lease_until = NULL, lease_token = NULL, run_at = now()
WHERE bot_id = $1 AND id = $2 AND (lease_until IS NULL OR lease_until <= now())";

pub(super) const KNOWS: &str = "SELECT EXISTS (SELECT FROM jobs WHERE bot_id = $1 AND id = $2)";

pub(super) async fn retry(pool: &PgPool, bot: BotId, job: JobId) -> Result<Retried, Error> {
    if sqlx::query(RETRY).bind(bot.0).bind(job.0).execute(pool).await?.rows_affected() > 0 {
        return Ok(Retried::Due);
    }
    let known: bool = sqlx::query_scalar(KNOWS).bind(bot.0).bind(job.0).fetch_one(pool).await?;
    Ok(if known { Retried::Leased } else { Retried::Gone })
}

pub(super) const DEPTHS: &str = "
SELECT lane, count(*), extract(epoch FROM now() - min(created_at))::float8 FROM jobs GROUP BY lane ORDER BY lane";

pub(super) async fn depths(pool: &PgPool) -> Result<Vec<LaneDepth>, Error> {
    let rows: Vec<(String, i64, f64)> = sqlx::query_as(DEPTHS).fetch_all(pool).await?;
    // A lane of a newer program is not ours to count.
    let known = rows.into_iter().filter_map(|(lane, depth, oldest)| Some((Lane::from_name(&lane)?, depth, oldest)));
    Ok(known
        .map(|(lane, depth, oldest_seconds)| LaneDepth {
            lane,
            depth: u64::try_from(depth).unwrap_or(0),
            // `created_at` is a process's clock, which may be ahead of the server's.
            oldest: Duration::try_from_secs_f64(oldest_seconds).unwrap_or_default(),
        })
        .collect())
}
