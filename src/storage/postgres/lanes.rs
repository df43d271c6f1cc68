//! What workers do: lease, hold, tell how far they are. Their jobs are queued and ended by commits.
//!
//! Bots take turns, so no statement here goes through a lane: it goes from bot to bot by the index `jobs_work`, which it
//! is only used for where a statement names its condition, and looks at the oldest jobs of each. `later` goes from the
//! bot behind $4 to the last one, `earlier` from the first one to it, each as far as somebody reads it.

use super::super::waiting::share;
use super::super::{AHEAD_MAX, Error, JobId, Key, Lane, LeaseToken, LeasedJob, Redraw, Waiting};
use super::jobs::{in_order, leased};
use super::rows_at_most;
use crate::telegram::id::BotId;
use sqlx::postgres::PgPool;
use std::time::Duration;

/// At most $5 jobs of each bot.
/// $1 lane · $2 limit · $3 seconds of the lease · $4 bot · $5 each · $6 attempts · $7 tokens.
pub(super) const LEASE: &str = "
WITH RECURSIVE later AS (
    (SELECT bot_id FROM jobs WHERE lane = $1 AND lane <> 'outbound' AND bot_id > $4 ORDER BY bot_id LIMIT 1)
    UNION ALL
    SELECT n.bot_id
    FROM later AS l CROSS JOIN LATERAL (
        SELECT j.bot_id FROM jobs AS j
        WHERE j.lane = $1 AND j.lane <> 'outbound' AND j.bot_id > l.bot_id
        ORDER BY j.bot_id LIMIT 1
    ) AS n
), earlier AS (
    (SELECT bot_id FROM jobs WHERE lane = $1 AND lane <> 'outbound' AND bot_id <= $4 ORDER BY bot_id LIMIT 1)
    UNION ALL
    SELECT n.bot_id
    FROM earlier AS e CROSS JOIN LATERAL (
        SELECT j.bot_id FROM jobs AS j
        WHERE j.lane = $1 AND j.lane <> 'outbound' AND j.bot_id > e.bot_id AND j.bot_id <= $4
        ORDER BY j.bot_id LIMIT 1
    ) AS n
), due AS MATERIALIZED (
    SELECT w.id, w.bot_id
    FROM (SELECT bot_id FROM later UNION ALL SELECT bot_id FROM earlier) AS t CROSS JOIN LATERAL (
        SELECT j.id, j.bot_id
        FROM jobs AS j
        WHERE j.lane = $1 AND j.lane <> 'outbound' AND j.bot_id = t.bot_id AND j.run_at <= now()
          AND (j.lease_until IS NULL OR j.lease_until <= now()) AND j.attempts < $6::bigint
          AND NOT EXISTS (SELECT FROM jobs AS e
                          WHERE e.bot_id = j.bot_id AND e.chat_id = j.chat_id AND e.lane IS NOT DISTINCT FROM j.lane
                            AND e.position < j.position
                          OFFSET 0)
        ORDER BY j.run_at, j.id
        LIMIT $5
        FOR NO KEY UPDATE OF j SKIP LOCKED
    ) AS w
    LIMIT $2
), numbered AS (
    SELECT id, bot_id, row_number() OVER () AS n FROM due
)
UPDATE jobs AS j
SET lease_until = now() + make_interval(secs => $3), lease_token = ($7::bigint[])[d.n], attempts = j.attempts + 1,
    progress = NULL
FROM numbered AS d
WHERE j.id = d.id AND j.bot_id = d.bot_id
RETURNING j.id, j.bot_id, j.chat_id, j.lane, j.key, j.place, j.payload, j.serial, j.attempts, j.lease_token, d.n,
          (extract(epoch FROM j.created_at) * 1000)::bigint AS queued_at";

pub(super) async fn lease(
    pool: &PgPool,
    lanes: &[Lane],
    limit: usize,
    lease: Duration,
    after: BotId,
    attempts_max: u32,
) -> Result<Vec<LeasedJob>, Error> {
    let mut all = Vec::new();
    for lane in lanes {
        // First one job of each bot, then of each as many as all of them may have together.
        let mut each = 1;
        while all.len() < limit {
            let room = limit - all.len();
            let tokens: Vec<i64> = LeaseToken::fresh(room).map(|token| token.0).collect();
            let query = sqlx::query(LEASE)
                .bind(lane.name())
                .bind(rows_at_most(room))
                .bind(lease.as_secs_f64())
                .bind(after.0)
                .bind(rows_at_most(each))
                .bind(i64::from(attempts_max))
                .bind(tokens);
            let rows = query.fetch_all(pool).await?;
            if rows.is_empty() {
                break;
            }
            let round = in_order(&rows)?;
            each = share(room - round.len(), &round);
            all.extend(round);
        }
    }
    Ok(all)
}

/// How far down each bot's part of a lane to look for what a worker has left: what is in work stands in front.
const FRONT: i64 = 200;

/// $1 limit · $2 seconds of the lease · $3 attempts · $4 lanes · $5 how far down · $6 tokens.
pub(super) const LEASE_EXHAUSTED: &str = "
WITH RECURSIVE turn AS (
    (SELECT lane, bot_id FROM jobs WHERE lane <> 'outbound' ORDER BY lane, bot_id LIMIT 1)
    UNION ALL
    SELECT n.lane, n.bot_id
    FROM turn AS t CROSS JOIN LATERAL (
        SELECT j.lane, j.bot_id FROM jobs AS j
        WHERE j.lane <> 'outbound' AND (j.lane, j.bot_id) > (t.lane, t.bot_id)
        ORDER BY j.lane, j.bot_id LIMIT 1
    ) AS n
), left_over AS MATERIALIZED (
    SELECT w.id, w.bot_id
    FROM turn AS t CROSS JOIN LATERAL (
        SELECT j.id, j.bot_id, j.attempts, j.lease_until FROM jobs AS j
        WHERE j.lane = t.lane AND j.lane <> 'outbound' AND j.bot_id = t.bot_id
        ORDER BY j.run_at, j.id LIMIT $5
    ) AS w
    WHERE t.lane = ANY ($4::text[]) AND w.attempts >= $3::bigint AND (w.lease_until IS NULL OR w.lease_until <= now())
    LIMIT $1
), due AS MATERIALIZED (
    SELECT j.id, j.bot_id
    FROM jobs AS j JOIN left_over AS o ON j.id = o.id AND j.bot_id = o.bot_id
    WHERE j.attempts >= $3::bigint AND (j.lease_until IS NULL OR j.lease_until <= now())
    FOR NO KEY UPDATE OF j SKIP LOCKED
), numbered AS (
    SELECT id, bot_id, row_number() OVER () AS n FROM due
)
UPDATE jobs AS j
SET lease_until = now() + make_interval(secs => $2), lease_token = ($6::bigint[])[d.n], progress = NULL
FROM numbered AS d
WHERE j.id = d.id AND j.bot_id = d.bot_id
RETURNING j.id, j.bot_id, j.chat_id, j.lane, j.key, j.place, j.payload, j.serial, j.attempts, j.lease_token, d.n,
          (extract(epoch FROM j.created_at) * 1000)::bigint AS queued_at";

pub(super) async fn lease_exhausted(
    pool: &PgPool,
    limit: usize,
    lease: Duration,
    attempts_max: u32,
) -> Result<Vec<LeasedJob>, Error> {
    let tokens: Vec<i64> = LeaseToken::fresh(limit).map(|token| token.0).collect();
    let query = sqlx::query(LEASE_EXHAUSTED)
        .bind(rows_at_most(limit))
        .bind(lease.as_secs_f64())
        .bind(i64::from(attempts_max))
        .bind(names(&Lane::OF_WORKERS))
        .bind(FRONT)
        .bind(tokens);
    in_order(&query.fetch_all(pool).await?)
}

pub(super) const HELD: &str = "
SELECT id, bot_id, chat_id, lane, key, place, payload, serial, attempts, lease_token,
       (extract(epoch FROM created_at) * 1000)::bigint AS queued_at
FROM jobs
WHERE id = $1 AND lease_token = $2";

pub(super) async fn held(pool: &PgPool, id: JobId, token: LeaseToken) -> Result<Option<LeasedJob>, Error> {
    let row = sqlx::query(HELD).bind(id.0).bind(token.0).fetch_optional(pool).await?;
    row.as_ref().map(leased).transpose()
}

/// The chat is locked before its jobs, as everywhere.
/// $1 job · $2 token · $3 text · $4 whether to draw.
pub(super) const PROGRESS: &str = "
WITH chat AS MATERIALIZED (
    SELECT c.bot_id, c.chat_id, c.version, c.paced_until
    FROM jobs AS j JOIN chats AS c ON c.bot_id = j.bot_id AND c.chat_id = j.chat_id
    WHERE j.id = $1 AND j.lease_token = $2
    FOR NO KEY UPDATE OF c
), written AS (
    UPDATE jobs SET progress = $3
    WHERE id = $1 AND lease_token = $2 AND (SELECT count(*) FROM chat) >= 0
    RETURNING id
), redrawn AS (
    INSERT INTO jobs (bot_id, chat_id, position, serial, run_at, created_at, attempts, lane, key, place)
    SELECT bot_id, chat_id, version * 256 + 255, version, greatest(now(), paced_until), now(), 0, 'outbound', 'screen',
           'shown'
    FROM chat
    WHERE $4 AND EXISTS (SELECT FROM written)
    ON CONFLICT (bot_id, chat_id, key) DO NOTHING
)
SELECT count(*) FROM written";

pub(super) async fn progress(
    pool: &PgPool,
    id: JobId,
    token: LeaseToken,
    text: &str,
    redraw: Redraw,
) -> Result<bool, Error> {
    let query = sqlx::query_scalar(PROGRESS).bind(id.0).bind(token.0).bind(text).bind(redraw == Redraw::Due);
    let written: i64 = query.fetch_one(pool).await?;
    Ok(written > 0)
}

/// The order of a lane is the first job of each bot by their ids, then the second of each, and so on. So before a job
/// stand those of its own bot that are older, and of each other bot as many as that, or one more where its id is lower.
/// $1 bot · $2 chat · $3 key · $4 how many are counted.
pub(super) const WAITING: &str = "
WITH RECURSIVE job AS MATERIALIZED (
    SELECT id, bot_id, lane, run_at, told, progress, lease_until > now() IS TRUE AS leased
    FROM jobs
    WHERE bot_id = $1 AND chat_id = $2 AND key = $3
), turn AS (
    (SELECT j.lane, j.bot_id
     FROM job AS m CROSS JOIN LATERAL (
         SELECT j.lane, j.bot_id FROM jobs AS j WHERE j.lane = m.lane AND j.lane <> 'outbound' ORDER BY j.bot_id LIMIT 1
     ) AS j)
    UNION ALL
    SELECT n.lane, n.bot_id
    FROM turn AS t CROSS JOIN LATERAL (
        SELECT j.lane, j.bot_id FROM jobs AS j
        WHERE j.lane = t.lane AND j.lane <> 'outbound' AND j.bot_id > t.bot_id
        ORDER BY j.bot_id LIMIT 1
    ) AS n
), own AS MATERIALIZED (
    SELECT count(*) AS n
    FROM job AS m CROSS JOIN LATERAL (
        SELECT FROM jobs AS j
        WHERE j.lane = m.lane AND j.lane <> 'outbound' AND j.bot_id = m.bot_id AND (j.run_at, j.id) < (m.run_at, m.id)
          AND (j.lease_until IS NULL OR j.lease_until <= now())
        LIMIT $4
    ) AS o
    WHERE NOT m.leased
), others AS MATERIALIZED (
    SELECT count(*) AS n
    FROM (SELECT FROM job AS m CROSS JOIN own AS o CROSS JOIN turn AS t CROSS JOIN LATERAL (
              SELECT FROM jobs AS j
              WHERE j.lane = t.lane AND j.lane <> 'outbound' AND j.bot_id = t.bot_id
                AND (j.lease_until IS NULL OR j.lease_until <= now())
              ORDER BY j.run_at, j.id
              LIMIT o.n + CASE WHEN t.bot_id < m.bot_id THEN 1 ELSE 0 END
          ) AS b
          WHERE t.bot_id <> m.bot_id AND NOT m.leased
          LIMIT $4) AS counted
), place AS MATERIALIZED (
    SELECT j.id, j.bot_id, j.leased, j.progress, j.told, least(o.n + e.n, $4) AS ahead FROM job AS j, own AS o, others AS e
), noted AS (
    UPDATE jobs AS j SET told = CASE WHEN p.leased THEN 0 ELSE p.ahead + 1 END
    FROM place AS p
    WHERE j.id = p.id AND j.bot_id = p.bot_id
      AND p.told IS DISTINCT FROM CASE WHEN p.leased THEN 0 ELSE p.ahead + 1 END
)
SELECT ahead, leased, progress FROM place";

pub(super) async fn waiting(pool: &PgPool, key: Key, job: &str) -> Result<Option<Waiting>, Error> {
    let query = sqlx::query_as(WAITING).bind(key.bot.0).bind(key.chat.0).bind(job).bind(i64::from(AHEAD_MAX));
    let row: Option<(i64, bool, Option<String>)> = query.fetch_optional(pool).await?;
    Ok(row.map(|(ahead, leased, progress)| Waiting { ahead: u32::try_from(ahead).unwrap_or(0), leased, progress }))
}

/// Nobody is waited for: who is locked is told the next time. The chat is locked before its jobs, as everywhere.
/// $1 lane · $2 first · $3 limit.
pub(super) const TELL_PLACES: &str = "
WITH RECURSIVE turn AS (
    (SELECT bot_id FROM jobs WHERE lane = $1 AND lane <> 'outbound' ORDER BY bot_id LIMIT 1)
    UNION ALL
    SELECT n.bot_id
    FROM turn AS t CROSS JOIN LATERAL (
        SELECT j.bot_id FROM jobs AS j
        WHERE j.lane = $1 AND j.lane <> 'outbound' AND j.bot_id > t.bot_id
        ORDER BY j.bot_id LIMIT 1
    ) AS n
), waiting AS MATERIALIZED (
    SELECT w.id, w.bot_id, w.chat_id, w.told, row_number() OVER (ORDER BY w.n, w.bot_id) AS place
    FROM turn AS t CROSS JOIN LATERAL (
        SELECT j.id, j.bot_id, j.chat_id, j.told, row_number() OVER (ORDER BY j.run_at, j.id) AS n
        FROM jobs AS j
        WHERE j.lane = $1 AND j.lane <> 'outbound' AND j.bot_id = t.bot_id
          AND (j.lease_until IS NULL OR j.lease_until <= now())
        ORDER BY j.run_at, j.id
        LIMIT $2
    ) AS w
    ORDER BY w.n, w.bot_id
    LIMIT $2
), taken AS MATERIALIZED (
    SELECT w.id, w.bot_id, w.chat_id, w.told, 0::bigint AS place
    FROM turn AS t CROSS JOIN LATERAL (
        SELECT j.id, j.bot_id, j.chat_id, j.told, j.lease_until
        FROM jobs AS j
        WHERE j.lane = $1 AND j.lane <> 'outbound' AND j.bot_id = t.bot_id
        ORDER BY j.run_at, j.id
        LIMIT $2
    ) AS w
    -- Where nothing was told yet, the screen that will tell it waits.
    WHERE w.lease_until > now() AND w.told IS NOT NULL
), changed AS MATERIALIZED (
    SELECT p.id, p.bot_id, p.chat_id, p.place
    FROM (SELECT * FROM taken UNION ALL SELECT * FROM waiting) AS p
    WHERE p.told IS DISTINCT FROM p.place
    ORDER BY p.place
    LIMIT $3
), chat AS MATERIALIZED (
    SELECT c.bot_id, c.chat_id, c.version, c.paced_until
    FROM chats AS c
    WHERE (c.bot_id, c.chat_id) IN (SELECT bot_id, chat_id FROM changed)
    ORDER BY c.bot_id, c.chat_id
    FOR NO KEY UPDATE OF c SKIP LOCKED
), job AS MATERIALIZED (
    SELECT j.id, j.bot_id, j.chat_id, p.place
    FROM chat AS c
    JOIN changed AS p ON p.bot_id = c.bot_id AND p.chat_id = c.chat_id
    JOIN jobs AS j ON j.id = p.id AND j.bot_id = p.bot_id
    ORDER BY j.bot_id, j.chat_id, j.position
    FOR NO KEY UPDATE OF j SKIP LOCKED
), told AS (
    UPDATE jobs AS j SET told = k.place FROM job AS k WHERE j.id = k.id AND j.bot_id = k.bot_id
    RETURNING j.bot_id, j.chat_id
), redrawn AS (
    INSERT INTO jobs (bot_id, chat_id, position, serial, run_at, created_at, attempts, lane, key, place)
    SELECT c.bot_id, c.chat_id, c.version * 256 + 255, c.version, greatest(now(), c.paced_until), now(), 0, 'outbound',
           'screen', 'shown'
    FROM chat AS c
    WHERE (c.bot_id, c.chat_id) IN (SELECT bot_id, chat_id FROM told)
    ORDER BY c.bot_id, c.chat_id
    ON CONFLICT (bot_id, chat_id, key) DO NOTHING
)
SELECT count(*) FROM told";

pub(super) async fn tell_places(pool: &PgPool, lanes: &[Lane], first: usize, limit: usize) -> Result<u64, Error> {
    let mut all = 0;
    for lane in lanes {
        let query = sqlx::query_scalar(TELL_PLACES).bind(lane.name());
        let told: i64 = query.bind(rows_at_most(first)).bind(rows_at_most(limit)).fetch_one(pool).await?;
        all += u64::try_from(told).unwrap_or(0);
    }
    Ok(all)
}

/// $1 lanes · $2 attempts.
pub(super) const DUE: &str = "
SELECT l.lane
FROM unnest($1::text[]) AS l (lane) CROSS JOIN LATERAL (
    SELECT FROM jobs AS j
    WHERE j.lane = l.lane AND j.run_at <= now() AND (j.lease_until IS NULL OR j.lease_until <= now())
      AND j.attempts < $2::bigint
      AND NOT EXISTS (SELECT FROM jobs AS e
                      WHERE e.bot_id = j.bot_id AND e.chat_id = j.chat_id AND e.lane IS NOT DISTINCT FROM j.lane
                        AND e.position < j.position
                      OFFSET 0)
    ORDER BY j.run_at, j.id
    LIMIT 1
) AS due";

pub(super) async fn due(pool: &PgPool, lanes: &[Lane], attempts_max: u32) -> Result<Vec<Lane>, Error> {
    let query = sqlx::query_scalar(DUE).bind(names(lanes)).bind(i64::from(attempts_max));
    let due: Vec<String> = query.fetch_all(pool).await?;
    Ok(lanes.iter().copied().filter(|lane| due.iter().any(|name| name == lane.name())).collect())
}

fn names(lanes: &[Lane]) -> Vec<&'static str> {
    lanes.iter().map(|lane| lane.name()).collect()
}
