//! Bots: read whole, written whole.

use super::super::json::corrupt;
use super::super::{Added, Error, Updated};
use super::seconds;
use crate::bot::Bot;
use crate::clock::Timestamp;
use crate::secret::Secret;
use crate::telegram::id::BotId;
use sqlx::postgres::{PgPool, PgRow};
use sqlx::{FromRow, Row};

pub(super) const ALL: &str = "
SELECT bot_id, name, username, token, secret, previous_secret,
       round(extract(epoch FROM previous_secret_until) * 1000)::bigint AS previous_secret_until,
       max_connections, base_url, flow, paused
FROM bots ORDER BY bot_id";

pub(super) async fn all(pool: &PgPool) -> Result<Vec<Bot>, Error> {
    let rows = sqlx::query(ALL).fetch_all(pool).await?;
    rows.iter().map(|row| BotRow::from_row(row)?.into_bot()).collect()
}

pub(super) const ADD: &str = "
INSERT INTO bots (bot_id, name, username, token, secret, previous_secret, previous_secret_until,
                  max_connections, base_url, flow, paused, created_at, updated_at)
VALUES ($1, $2, $3, $4, $5, $6, to_timestamp($7::float8), $8, $9, $10, $11,
        to_timestamp($12::float8), to_timestamp($12::float8))
ON CONFLICT DO NOTHING";

pub(super) const KNOWS: &str = "SELECT EXISTS (SELECT FROM bots WHERE bot_id = $1)";

pub(super) async fn add(pool: &PgPool, bot: &Bot, at: Timestamp) -> Result<Added, Error> {
    if bind(sqlx::query(ADD), bot, at).execute(pool).await?.rows_affected() > 0 {
        return Ok(Added::Added);
    }
    let known: bool = sqlx::query_scalar(KNOWS).bind(bot.id.0).fetch_one(pool).await?;
    Ok(if known { Added::IdTaken } else { Added::NameTaken })
}

pub(super) const UPDATE: &str = "
UPDATE bots SET name = $2, username = $3, token = $4, secret = $5, previous_secret = $6,
                previous_secret_until = to_timestamp($7::float8), max_connections = $8, base_url = $9, flow = $10,
                paused = $11, updated_at = to_timestamp($12::float8)
WHERE bot_id = $1 AND NOT EXISTS (SELECT FROM bots WHERE name = $2 AND bot_id <> $1)";

pub(super) async fn update(pool: &PgPool, bot: &Bot, at: Timestamp) -> Result<Updated, Error> {
    if bind(sqlx::query(UPDATE), bot, at).execute(pool).await?.rows_affected() > 0 {
        return Ok(Updated::Updated);
    }
    let known: bool = sqlx::query_scalar(KNOWS).bind(bot.id.0).fetch_one(pool).await?;
    Ok(if known { Updated::NameTaken } else { Updated::Gone })
}

type Query<'q> = sqlx::query::Query<'q, sqlx::Postgres, sqlx::postgres::PgArguments>;

fn bind<'q>(query: Query<'q>, bot: &'q Bot, at: Timestamp) -> Query<'q> {
    let previous = bot.previous_secret.as_ref();
    query
        .bind(bot.id.0)
        .bind(&bot.name)
        .bind(bot.username.as_deref())
        .bind(bot.token.expose())
        .bind(bot.secret.expose())
        .bind(previous.map(|(secret, _)| secret.expose()))
        .bind(previous.map(|(_, until)| seconds(*until)))
        .bind(i32::from(bot.max_connections))
        .bind(bot.base_url.as_deref())
        .bind(&bot.flow)
        .bind(bot.paused)
        .bind(seconds(at))
}

struct BotRow {
    bot: Bot,
    max_connections: i32,
}

impl FromRow<'_, PgRow> for BotRow {
    fn from_row(row: &PgRow) -> Result<Self, sqlx::Error> {
        let previous: Option<String> = row.try_get("previous_secret")?;
        let until: Option<i64> = row.try_get("previous_secret_until")?;
        let bot = Bot {
            id: BotId(row.try_get("bot_id")?),
            name: row.try_get("name")?,
            username: row.try_get("username")?,
            token: Secret::new(row.try_get::<String, _>("token")?),
            secret: Secret::new(row.try_get::<String, _>("secret")?),
            previous_secret: previous
                .zip(until)
                .map(|(secret, until)| (Secret::new(secret), Timestamp::from_unix_millis(until))),
            max_connections: 0,
            base_url: row.try_get("base_url")?,
            flow: row.try_get("flow")?,
            paused: row.try_get("paused")?,
        };
        Ok(Self { bot, max_connections: row.try_get("max_connections")? })
    }
}

impl BotRow {
    fn into_bot(self) -> Result<Bot, Error> {
        let max_connections = u16::try_from(self.max_connections)
            .map_err(|_| corrupt("bots", "max_connections", "it is out of range"))?;
        Ok(Bot { max_connections, ..self.bot })
    }
}
