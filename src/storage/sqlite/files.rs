//! Files of workers: kept until they are sent.

use super::super::Error;
use super::statement::{execute, one, value};
use super::{Sqlite, rows_at_most};
use crate::clock::Timestamp;
use crate::telegram::id::BotId;
use rusqlite::{Connection, params};

impl Sqlite {
    pub(in crate::storage) async fn keep_file(
        &self,
        bot: BotId,
        id: &str,
        content: &[u8],
        at: Timestamp,
    ) -> Result<(), Error> {
        let (id, content) = (id.to_owned(), content.to_vec());
        self.writer.write(move |connection| keep(connection, bot, &id, &content, at)).await
    }

    pub(in crate::storage) async fn file(&self, bot: BotId, id: &str) -> Result<Option<Vec<u8>>, Error> {
        let id = id.to_owned();
        self.reader.read(move |connection| content(connection, bot, &id)).await
    }

    pub(in crate::storage) async fn has_file(&self, bot: BotId, id: &str) -> Result<bool, Error> {
        let id = id.to_owned();
        self.reader.read(move |connection| is_kept(connection, bot, &id)).await
    }

    pub(in crate::storage) async fn drop_file(&self, bot: BotId, id: &str) -> Result<bool, Error> {
        let id = id.to_owned();
        self.writer.write(move |connection| discard(connection, bot, &id)).await
    }

    pub(in crate::storage) async fn sweep_files(&self, before: Timestamp, limit: usize) -> Result<u64, Error> {
        self.writer.write(move |connection| sweep(connection, before, limit)).await
    }
}

pub(super) const KEEP: &str = "
INSERT INTO files (bot_id, id, content, at)
VALUES (?1, ?2, ?3, ?4)
ON CONFLICT (bot_id, id) DO UPDATE SET content = excluded.content, at = excluded.at";

fn keep(connection: &Connection, bot: BotId, id: &str, content: &[u8], at: Timestamp) -> Result<(), Error> {
    execute(connection, KEEP, params![bot.0, id, content, at.unix_millis()])?;
    Ok(())
}

pub(super) const CONTENT: &str = "SELECT content FROM files WHERE bot_id = ?1 AND id = ?2";

fn content(connection: &Connection, bot: BotId, id: &str) -> Result<Option<Vec<u8>>, Error> {
    value(connection, CONTENT, params![bot.0, id])
}

pub(super) const IS_KEPT: &str = "SELECT EXISTS (SELECT 1 FROM files WHERE bot_id = ?1 AND id = ?2)";

fn is_kept(connection: &Connection, bot: BotId, id: &str) -> Result<bool, Error> {
    one(connection, IS_KEPT, params![bot.0, id])
}

pub(super) const DROP: &str = "DELETE FROM files WHERE bot_id = ?1 AND id = ?2";

fn discard(connection: &Connection, bot: BotId, id: &str) -> Result<bool, Error> {
    Ok(execute(connection, DROP, params![bot.0, id])? > 0)
}

pub(super) const SWEEP: &str =
    "DELETE FROM files WHERE rowid IN (SELECT rowid FROM files WHERE at < ?1 ORDER BY at LIMIT ?2)";

fn sweep(connection: &Connection, before: Timestamp, limit: usize) -> Result<u64, Error> {
    execute(connection, SWEEP, params![before.unix_millis(), rows_at_most(limit)])
}
