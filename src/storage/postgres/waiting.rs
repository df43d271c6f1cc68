//! What a chat is told of the job that it waits for: how far it is, and how many are before it. Never more of a lane is
//! read than what is told, see [`super::lanes`].

use super::super::{AHEAD_MAX, Error, JobId, Key, Lane, LeaseToken, Redraw, Waiting};
use super::{Postgres, bounded, rows_at_most};
use sqlx::postgres::PgPool;

impl Postgres {
    pub(in crate::storage) async fn progress(
        &self,
        id: JobId,
        token: LeaseToken,
        text: &str,
        redraw: Redraw,
    ) -> Result<bool, Error> {
        bounded(progress(&self.pool, id, token, text, redraw)).await
    }

    pub(in crate::storage) async fn waiting(&self, key: Key, job: &str) -> Result<Option<Waiting>, Error> {
        bounded(waiting(&self.pool, key, job)).await
    }

    pub(in crate::storage) async fn tell_places(
        &self,
        lanes: &[Lane],
        first: usize,
        limit: usize,
    ) -> Result<u64, Error> {
        bounded(tell_places(&self.pool, lanes, first, limit)).await
    }
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
    INSERT INTO jobs AS j (bot_id, chat_id, position, serial, run_at, created_at, attempts, lane, key, place)
    SELECT bot_id, chat_id, version * 256 + 255, version, greatest(now(), paced_until), now(), 0, 'outbound', 'screen',
           'shown'
    FROM chat
    WHERE $4 AND EXISTS (SELECT FROM written)
    ON CONFLICT (bot_id, chat_id, key) DO UPDATE SET stale = true WHERE j.lease_token IS NOT NULL
)
SELECT count(*) FROM written";

async fn progress(pool: &PgPool, id: JobId, token: LeaseToken, text: &str, redraw: Redraw) -> Result<bool, Error> {
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

async fn waiting(pool: &PgPool, key: Key, job: &str) -> Result<Option<Waiting>, Error> {
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
    INSERT INTO jobs AS j (bot_id, chat_id, position, serial, run_at, created_at, attempts, lane, key, place)
    SELECT c.bot_id, c.chat_id, c.version * 256 + 255, c.version, greatest(now(), c.paced_until), now(), 0, 'outbound',
           'screen', 'shown'
    FROM chat AS c
    WHERE (c.bot_id, c.chat_id) IN (SELECT bot_id, chat_id FROM told)
    ORDER BY c.bot_id, c.chat_id
    ON CONFLICT (bot_id, chat_id, key) DO UPDATE SET stale = true WHERE j.lease_token IS NOT NULL
)
SELECT count(*) FROM told";

async fn tell_places(pool: &PgPool, lanes: &[Lane], first: usize, limit: usize) -> Result<u64, Error> {
    let mut all = 0;
    for lane in lanes {
        let query = sqlx::query_scalar(TELL_PLACES).bind(lane.name());
        let told: i64 = query.bind(rows_at_most(first)).bind(rows_at_most(limit)).fetch_one(pool).await?;
        all += u64::try_from(told).unwrap_or(0);
    }
    Ok(all)
}
