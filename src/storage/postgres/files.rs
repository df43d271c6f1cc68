//! Files of workers: kept until they are sent.

use super::super::Error;
use super::{Postgres, bounded, rows_at_most, seconds};
use crate::clock::Timestamp;
use crate::telegram::id::BotId;
use sqlx::postgres::PgPool;

impl Postgres {
    pub(in crate::storage) async fn keep_file(
        &self,
        bot: BotId,
        id: &str,
        content: &[u8],
        at: Timestamp,
    ) -> Result<(), Error> {
        bounded(keep(&self.pool, bot, id, content, at)).await
    }

    pub(in crate::storage) async fn file(&self, bot: BotId, id: &str) -> Result<Option<Vec<u8>>, Error> {
        bounded(content(&self.pool, bot, id)).await
    }

    pub(in crate::storage) async fn has_file(&self, bot: BotId, id: &str) -> Result<bool, Error> {
        bounded(is_kept(&self.pool, bot, id)).await
    }

    pub(in crate::storage) async fn drop_file(&self, bot: BotId, id: &str) -> Result<bool, Error> {
        bounded(discard(&self.pool, bot, id)).await
    }

    pub(in crate::storage) async fn sweep_files(&self, before: Timestamp, limit: usize) -> Result<u64, Error> {
        bounded(sweep(&self.pool, before, limit)).await
    }
}

pub(super) const KEEP: &str = "
INSERT INTO files (bot_id, id, content, at)
VALUES ($1, $2, $3, to_timestamp($4::float8))
ON CONFLICT (bot_id, id) DO UPDATE SET content = excluded.content, at = excluded.at";

async fn keep(pool: &PgPool, bot: BotId, id: &str, content: &[u8], at: Timestamp) -> Result<(), Error> {
    sqlx::query(KEEP).bind(bot.0).bind(id).bind(content).bind(seconds(at)).execute(pool).await?;
    Ok(())
}

pub(super) const CONTENT: &str = "SELECT content FROM files WHERE bot_id = $1 AND id = $2";

async fn content(pool: &PgPool, bot: BotId, id: &str) -> Result<Option<Vec<u8>>, Error> {
    Ok(sqlx::query_scalar(CONTENT).bind(bot.0).bind(id).fetch_optional(pool).await?)
}

pub(super) const IS_KEPT: &str = "SELECT EXISTS (SELECT FROM files WHERE bot_id = $1 AND id = $2)";

async fn is_kept(pool: &PgPool, bot: BotId, id: &str) -> Result<bool, Error> {
    Ok(sqlx::query_scalar(IS_KEPT).bind(bot.0).bind(id).fetch_one(pool).await?)
}

pub(super) const DROP: &str = "DELETE FROM files WHERE bot_id = $1 AND id = $2";

async fn discard(pool: &PgPool, bot: BotId, id: &str) -> Result<bool, Error> {
    Ok(sqlx::query(DROP).bind(bot.0).bind(id).execute(pool).await?.rows_affected() > 0)
}

pub(super) const SWEEP: &str = "
WITH old AS MATERIALIZED (
    SELECT bot_id, id FROM files WHERE at < to_timestamp($1::float8) ORDER BY at LIMIT $2 FOR UPDATE SKIP LOCKED
)
DELETE FROM files AS f USING old AS o WHERE f.bot_id = o.bot_id AND f.id = o.id";

async fn sweep(pool: &PgPool, before: Timestamp, limit: usize) -> Result<u64, Error> {
    let swept = sqlx::query(SWEEP).bind(seconds(before)).bind(rows_at_most(limit)).execute(pool).await?;
    Ok(swept.rows_affected())
}
