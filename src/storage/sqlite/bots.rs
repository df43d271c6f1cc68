//! Bots: read whole, written whole.

use super::super::{Added, Error, Updated};
use super::column::Columns;
use super::statement;
use crate::bot::Bot;
use crate::clock::Timestamp;
use crate::secret::Secret;
use crate::telegram::id::BotId;
use rusqlite::{Connection, Row, ToSql};

pub(super) const ALL: &str = "
SELECT bot_id, name, username, token, secret, previous_secret, previous_secret_until, max_connections, base_url, flow,
    paused
FROM bots ORDER BY bot_id";

pub(super) fn all(connection: &Connection) -> Result<Vec<Bot>, Error> {
    statement::all(connection, ALL, [], bot)
}

fn bot(row: &Row<'_>) -> Result<Bot, Error> {
    let row = Columns::of("bots", row);
    let previous: Option<String> = row.get(5, "previous_secret")?;
    let until: Option<i64> = row.get(6, "previous_secret_until")?;
    Ok(Bot {
        id: BotId(row.get(0, "bot_id")?),
        name: row.get(1, "name")?,
        username: row.get(2, "username")?,
        token: Secret::new(row.get::<String>(3, "token")?),
        secret: Secret::new(row.get::<String>(4, "secret")?),
        previous_secret: previous.map(Secret::new).zip(until.map(Timestamp::from_unix_millis)),
        max_connections: row.get(7, "max_connections")?,
        base_url: row.get(8, "base_url")?,
        flow: row.get(9, "flow")?,
        paused: row.get(10, "paused")?,
    })
}

pub(super) const ADD: &str = "
INSERT INTO bots (bot_id, name, username, token, secret, previous_secret, previous_secret_until, max_connections,
    base_url, flow, paused, created_at, updated_at)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?12)
ON CONFLICT DO NOTHING";

pub(super) const KNOWS: &str = "SELECT EXISTS (SELECT 1 FROM bots WHERE bot_id = ?1)";

pub(super) fn add(connection: &Connection, bot: &Bot, at: Timestamp) -> Result<Added, Error> {
    if write(connection, ADD, bot, at)? > 0 {
        return Ok(Added::Added);
    }
    let known: bool = statement::one(connection, KNOWS, [bot.id.0])?;
    Ok(if known { Added::IdTaken } else { Added::NameTaken })
}

pub(super) const UPDATE: &str = "
UPDATE bots SET name = ?2, username = ?3, token = ?4, secret = ?5, previous_secret = ?6, previous_secret_until = ?7,
    max_connections = ?8, base_url = ?9, flow = ?10, paused = ?11, updated_at = ?12
WHERE bot_id = ?1 AND NOT EXISTS (SELECT 1 FROM bots WHERE name = ?2 AND bot_id <> ?1)";

pub(super) fn update(connection: &Connection, bot: &Bot, at: Timestamp) -> Result<Updated, Error> {
    if write(connection, UPDATE, bot, at)? > 0 {
        return Ok(Updated::Updated);
    }
    let known: bool = statement::one(connection, KNOWS, [bot.id.0])?;
    Ok(if known { Updated::NameTaken } else { Updated::Gone })
}

fn write(connection: &Connection, statement: &str, bot: &Bot, at: Timestamp) -> Result<u64, Error> {
    let previous = bot.previous_secret.as_ref();
    let row: [&dyn ToSql; 12] = [
        &bot.id.0,
        &bot.name,
        &bot.username,
        &bot.token.expose(),
        &bot.secret.expose(),
        &previous.map(|(secret, _)| secret.expose()),
        &previous.map(|(_, until)| until.unix_millis()),
        &bot.max_connections,
        &bot.base_url,
        &bot.flow,
        &bot.paused,
        &at.unix_millis(),
    ];
    statement::execute(connection, statement, row)
}
