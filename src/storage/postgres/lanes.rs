//! Lanes of workers: leased, held, looked at. Their jobs are queued and ended by commits.
//!
//! Bots take turns, so no statement here goes through a lane. It goes from bot to bot by the index `jobs_work`, which
//! serves only a statement that names its condition, and looks at the oldest jobs of each. What stands before a job in its
//! chat is asked by key, as in [`super::jobs::LEASE_OUTBOUND`].

use super::super::waiting::share;
use super::super::{Error, JobId, Lane, LeaseToken, LeasedJob};
use super::jobs::{in_order, leased};
use super::{Postgres, bounded, rows_at_most};
use crate::telegram::id::BotId;
use sqlx::postgres::PgPool;
use std::time::Duration;

impl Postgres {
    pub(in crate::storage) async fn lease_work(
        &self,
        lanes: &[Lane],
        limit: usize,
        lease: Duration,
        after: BotId,
        attempts_max: u32,
    ) -> Result<Vec<LeasedJob>, Error> {
        bounded(lease_work(&self.pool, lanes, limit, lease, after, attempts_max)).await
    }

    pub(in crate::storage) async fn exhausted(
        &self,
        limit: usize,
        lease: Duration,
        attempts_max: u32,
    ) -> Result<Vec<LeasedJob>, Error> {
        bounded(lease_exhausted(&self.pool, limit, lease, attempts_max)).await
    }

    pub(in crate::storage) async fn held(&self, id: JobId, token: LeaseToken) -> Result<Option<LeasedJob>, Error> {
        bounded(held(&self.pool, id, token)).await
    }

    pub(in crate::storage) async fn due(&self, lanes: &[Lane], attempts_max: u32) -> Result<Vec<Lane>, Error> {
        bounded(due(&self.pool, lanes, attempts_max)).await
    }
}

/// At most $5 jobs of each bot: `later` goes from the one behind $4 to the last, `earlier` from the first to $4, each only
/// as far as it is read.
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
          AND (SELECT true FROM jobs AS e
               WHERE e.bot_id = j.bot_id AND e.chat_id = j.chat_id AND e.lane IS NOT DISTINCT FROM $1
                 AND e.position < j.position
               LIMIT 1) IS NOT TRUE
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

async fn lease_work(
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

async fn lease_exhausted(
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

async fn held(pool: &PgPool, id: JobId, token: LeaseToken) -> Result<Option<LeasedJob>, Error> {
    let row = sqlx::query(HELD).bind(id.0).bind(token.0).fetch_optional(pool).await?;
    row.as_ref().map(leased).transpose()
}

/// $1 lanes · $2 attempts.
pub(super) const DUE: &str = "
SELECT l.lane
FROM unnest($1::text[]) AS l (lane) CROSS JOIN LATERAL (
    SELECT FROM jobs AS j
    WHERE j.lane = l.lane AND j.run_at <= now() AND (j.lease_until IS NULL OR j.lease_until <= now())
      AND j.attempts < $2::bigint
      AND (SELECT true FROM jobs AS e
           WHERE e.bot_id = j.bot_id AND e.chat_id = j.chat_id AND e.lane IS NOT DISTINCT FROM j.lane
             AND e.position < j.position
           LIMIT 1) IS NOT TRUE
    ORDER BY j.run_at, j.id
    LIMIT 1
) AS due";

async fn due(pool: &PgPool, lanes: &[Lane], attempts_max: u32) -> Result<Vec<Lane>, Error> {
    let query = sqlx::query_scalar(DUE).bind(names(lanes)).bind(i64::from(attempts_max));
    let due: Vec<String> = query.fetch_all(pool).await?;
    Ok(lanes.iter().copied().filter(|lane| due.iter().any(|name| name == lane.name())).collect())
}

fn names(lanes: &[Lane]) -> Vec<&'static str> {
    lanes.iter().map(|lane| lane.name()).collect()
}
