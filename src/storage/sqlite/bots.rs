//! Bots: few rows, read whole by every process once a second. Never shows a token to anybody.

use super::Sqlite;
use super::failure::{Columns, failed};
use crate::bot::Bot;
use crate::clock::Timestamp;
use crate::secret::Secret;
use crate::storage::{Added, Error};
use crate::telegram::id::BotId;
use rusqlite::{Connection, Row, ToSql};

impl Sqlite {
    /// All bots, by id.
    pub(in crate::storage) async fn bots(&self) -> Result<Vec<Bot>, Error> {
        self.reader.read(bots).await
    }

    /// Adds a bot.
    pub(in crate::storage) async fn add_bot(&self, bot: &Bot, at: Timestamp) -> Result<Added, Error> {
        let bot = bot.clone();
        self.writer.write(move |connection| add(connection, &bot, at)).await
    }

    /// Writes all columns of a bot; false if it is gone.
    pub(in crate::storage) async fn update_bot(&self, bot: &Bot, at: Timestamp) -> Result<bool, Error> {
        let bot = bot.clone();
        self.writer.write(move |connection| Ok(write(connection, UPDATE, &bot, at)? > 0)).await
    }
}

const BOTS: &str = "
SELECT bot_id, name, username, token, secret, previous_secret, previous_secret_until, max_connections, base_url, flow,
    paused
FROM bots ORDER BY bot_id";

fn bots(connection: &Connection) -> Result<Vec<Bot>, Error> {
    let mut statement = connection.prepare_cached(BOTS).map_err(failed)?;
    let mut rows = statement.query([]).map_err(failed)?;
    let mut bots = Vec::new();
    while let Some(row) = rows.next().map_err(failed)? {
        bots.push(decode(row)?);
    }
    Ok(bots)
}

fn decode(row: &Row<'_>) -> Result<Bot, Error> {
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

const INSERT: &str = "
INSERT INTO bots (bot_id, name, username, token, secret, previous_secret, previous_secret_until, max_connections,
    base_url, flow, paused, created_at, updated_at)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?12)
ON CONFLICT DO NOTHING";

const IS_THERE: &str = "SELECT EXISTS (SELECT 1 FROM bots WHERE bot_id = ?1)";

fn add(connection: &Connection, bot: &Bot, at: Timestamp) -> Result<Added, Error> {
    if write(connection, INSERT, bot, at)? > 0 {
        return Ok(Added::Added);
    }
    let there: bool = connection.query_row(IS_THERE, [bot.id.0], |row| row.get(0)).map_err(failed)?;
    Ok(if there { Added::IdTaken } else { Added::NameTaken })
}

const UPDATE: &str = "
UPDATE bots SET name = ?2, username = ?3, token = ?4, secret = ?5, previous_secret = ?6, previous_secret_until = ?7,
    max_connections = ?8, base_url = ?9, flow = ?10, paused = ?11, updated_at = ?12
WHERE bot_id = ?1";

fn write(connection: &Connection, statement: &str, bot: &Bot, at: Timestamp) -> Result<usize, Error> {
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
    connection.prepare_cached(statement).map_err(failed)?.execute(row).map_err(failed)
}
