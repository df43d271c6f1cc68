//! What a chat is told of the job that it waits for: how far it is, and how many are before it. Never more of a lane is
//! read than what is told, see [`super::lanes`].

use super::super::{AHEAD_MAX, Error, JobId, Key, Lane, LeaseToken, Redraw, Waiting};
use super::lanes::bots;
use super::statement::{all, execute, first, one};
use super::{Sqlite, clock, failed, rows_at_most};
use crate::telegram::id::{BotId, ChatId};
use rusqlite::{Connection, Params, params};

impl Sqlite {
    pub(in crate::storage) async fn progress(
        &self,
        id: JobId,
        token: LeaseToken,
        text: &str,
        redraw: Redraw,
    ) -> Result<bool, Error> {
        let text = text.to_owned();
        self.writer.write(move |connection| progress(connection, id, token, &text, redraw)).await
    }

    pub(in crate::storage) async fn waiting(&self, key: Key, job: &str) -> Result<Option<Waiting>, Error> {
        let job = job.to_owned();
        let noted = self.reader.read(move |connection| waiting(connection, key, &job)).await?;
        match noted {
            Some(noted) if noted.is_news() => {
                let note = move |connection: &Connection| {
                    note(connection, &noted)?;
                    Ok(Some(noted.waiting))
                };
                self.writer.write(note).await
            }
            noted => Ok(noted.map(|noted| noted.waiting)),
        }
    }

    pub(in crate::storage) async fn tell_places(
        &self,
        lanes: &[Lane],
        first: usize,
        limit: usize,
    ) -> Result<u64, Error> {
        let mut all = 0;
        for lane in lanes.iter().copied() {
            let changed = self.reader.read(move |connection| changed(connection, lane, first, limit)).await?;
            if !changed.is_empty() {
                all += self.writer.write(move |connection| tell(connection, &changed)).await?;
            }
        }
        Ok(all)
    }
}

pub(super) const PROGRESS: &str =
    "UPDATE jobs SET progress = ?3 WHERE id = ?1 AND lease_token = ?2 RETURNING bot_id, chat_id";

fn progress(connection: &Connection, id: JobId, token: LeaseToken, text: &str, redraw: Redraw) -> Result<bool, Error> {
    let row = params![id.0, token.0, text];
    let chat: Option<(i64, i64)> = first(connection, PROGRESS, row, |row| row.try_into().map_err(failed))?;
    if let (Some(chat), Redraw::Due) = (chat, redraw) {
        execute(connection, REDRAW, chat)?;
    }
    Ok(chat.is_some())
}

/// See [`Redraw`].
pub(super) const REDRAW: &str = concat!(
    "
INSERT INTO jobs (bot_id, chat_id, position, serial, run_at, created_at, attempts, lane, key, place)
SELECT bot_id, chat_id, version * 256 + 255, version, max(",
    clock!(),
    ", coalesce(paced_until, 0)), ",
    clock!(),
    ", 0, 'outbound', 'screen', 'shown'
FROM chats
WHERE bot_id = ?1 AND chat_id = ?2
ON CONFLICT (bot_id, chat_id, key) DO UPDATE SET stale = 1 WHERE lease_token IS NOT NULL"
);

/// A job that a chat waits for, and what the chat was told of it last.
struct Noted {
    id: i64,
    told: Option<i64>,
    waiting: Waiting,
}

impl Noted {
    /// Whether the chat was told something else.
    fn is_news(&self) -> bool {
        self.told != Some(self.waiting.place().into())
    }
}

pub(super) const JOB: &str = concat!(
    "SELECT id, lane, run_at, told, progress, coalesce(lease_until > ",
    clock!(),
    ", 0) FROM jobs WHERE bot_id = ?1 AND chat_id = ?2 AND key = ?3"
);

pub(super) const OLDER: &str = concat!(
    "
SELECT count(*)
FROM (SELECT 1 FROM jobs
      WHERE lane = ?1 AND lane <> 'outbound' AND bot_id = ?2 AND (run_at, id) < (?3, ?4)
        AND (lease_until IS NULL OR lease_until <= ",
    clock!(),
    ")
      LIMIT ?5)"
);

pub(super) const AT_MOST: &str = concat!(
    "
SELECT count(*)
FROM (SELECT 1 FROM jobs
      WHERE lane = ?1 AND lane <> 'outbound' AND bot_id = ?2 AND (lease_until IS NULL OR lease_until <= ",
    clock!(),
    ")
      LIMIT ?3)"
);

/// The order of a lane is the first job of each bot by their ids, then the second of each, and so on. So before a job
/// stand those of its own bot that are older, and of each other bot as many as that, or one more where its id is lower.
fn waiting(connection: &Connection, key: Key, job: &str) -> Result<Option<Noted>, Error> {
    type Found = (i64, String, i64, Option<i64>, Option<String>, bool);
    let row = params![key.bot.0, key.chat.0, job];
    let found: Option<Found> = first(connection, JOB, row, |row| row.try_into().map_err(failed))?;
    let Some((id, lane, run_at, told, progress, leased)) = found else { return Ok(None) };
    let mut ahead: u32 = 0;
    if let (Some(lane), false) = (Lane::from_name(&lane).map(Lane::name), leased) {
        let own: u32 = one(connection, OLDER, params![lane, key.bot.0, run_at, id, AHEAD_MAX])?;
        ahead = own;
        for bot in bots(connection, lane, i64::MIN) {
            let bot = bot?;
            if bot != key.bot && ahead < AHEAD_MAX {
                let at_most = own + u32::from(bot < key.bot);
                ahead += one::<u32>(connection, AT_MOST, params![lane, bot.0, at_most.min(AHEAD_MAX - ahead)])?;
            }
        }
    }
    Ok(Some(Noted { id, told, waiting: Waiting { ahead, leased, progress } }))
}

pub(super) const TELL: &str = "
UPDATE jobs SET told = ?2
WHERE id = ?1 AND EXISTS (SELECT 1 FROM chats AS c WHERE c.bot_id = jobs.bot_id AND c.chat_id = jobs.chat_id)";

fn note(connection: &Connection, noted: &Noted) -> Result<(), Error> {
    execute(connection, TELL, params![noted.id, noted.waiting.place()])?;
    Ok(())
}

/// A job of which its chat is to be told another place.
struct Changed {
    id: i64,
    key: Key,
    place: i64,
}

pub(super) const FIRST: &str = concat!(
    "
SELECT id, chat_id, told
FROM jobs
WHERE lane = ?1 AND lane <> 'outbound' AND bot_id = ?2 AND (lease_until IS NULL OR lease_until <= ",
    clock!(),
    ")
ORDER BY run_at, id
LIMIT ?3"
);

/// Where nothing was told yet, the screen that will tell it waits.
pub(super) const TAKEN: &str = concat!(
    "
SELECT id, chat_id, told
FROM (SELECT * FROM jobs WHERE lane = ?1 AND lane <> 'outbound' AND bot_id = ?2 ORDER BY run_at, id LIMIT ?3)
WHERE lease_until > ",
    clock!(),
    " AND told IS NOT NULL"
);

/// What of a lane is to be told, the first of it first.
fn changed(connection: &Connection, lane: Lane, first: usize, limit: usize) -> Result<Vec<Changed>, Error> {
    let (mut taken, mut waiting) = (Vec::new(), Vec::new());
    for bot in bots(connection, lane.name(), i64::MIN) {
        let bot = bot?;
        let row = params![lane.name(), bot.0, rows_at_most(first)];
        taken.extend(placed(connection, TAKEN, row, bot)?);
        waiting.extend(placed(connection, FIRST, row, bot)?.into_iter().enumerate());
    }
    // Each bot's jobs are in order, and the bots too: the sort keeps it among equals.
    waiting.sort_by_key(|(number, _)| *number);
    let waiting = (1..).zip(waiting.into_iter().map(|(_, job)| job)).take(first);
    let places = taken.into_iter().map(|job| (0, job)).chain(waiting);
    let changed = places.filter(|(place, (_, _, told))| *told != Some(*place));
    Ok(changed.map(|(place, (id, key, _))| Changed { id, key, place }).take(limit).collect())
}

/// Jobs with their chats and what those were told.
fn placed(
    connection: &Connection,
    statement: &str,
    row: impl Params,
    bot: BotId,
) -> Result<Vec<(i64, Key, Option<i64>)>, Error> {
    all(connection, statement, row, |row| {
        let (id, chat, told) = row.try_into().map_err(failed)?;
        Ok((id, Key { bot, chat: ChatId(chat) }, told))
    })
}

/// Tells them. One that is gone, or whose chat is, is not counted.
fn tell(connection: &Connection, changed: &[Changed]) -> Result<u64, Error> {
    let mut told = 0;
    for Changed { id, key, place } in changed {
        told += execute(connection, TELL, params![id, place])?;
        execute(connection, REDRAW, params![key.bot.0, key.chat.0])?;
    }
    Ok(told)
}
