//! Chats: reading them, and the one write of an update. Never writes what is the sender's.

use super::failure::{Columns, failed};
use super::{Sqlite, jobs};
use crate::flow::chat::{Chat, Version};
use crate::storage::{Commit, Error, Fence, Key, NewJob, Outcome, Stored};
use crate::telegram::id::UpdateId;
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde::Serialize;
use std::time::Duration;

/// How long a batch of commits waits for the lock of another process before its members are [`Outcome::Busy`].
const COMMIT_PATIENCE: Duration = Duration::from_millis(100);

/// A gatherer's way to the store. All wires of a process share its loading and its writing thread.
#[derive(Debug)]
pub(in crate::storage) struct Wire(Sqlite);

impl Wire {
    /// One indexed read of each chat, all of one moment; a chat that does not decode fails alone.
    pub(in crate::storage) async fn load(&mut self, keys: &[Key]) -> Result<Vec<Result<Option<Stored>, Error>>, Error> {
        let keys = keys.to_vec();
        self.0.loader.read(move |connection| Ok(keys.into_iter().map(|key| load(connection, key)).collect())).await
    }

    /// A batch of commits in one transaction. After an error nothing is written, or, where the disk failed, it is
    /// not known.
    pub(in crate::storage) async fn commit(&mut self, commits: &[Commit]) -> Result<Vec<Outcome>, Error> {
        self.0.commit_batch(commits, COMMIT_PATIENCE).await
    }
}

impl Sqlite {
    /// A wire of its own for a gatherer.
    pub(in crate::storage) fn wire(&self) -> Wire {
        Wire(self.clone())
    }

    /// One indexed read of each chat; absent is none.
    pub(in crate::storage) async fn load(&self, keys: &[Key]) -> Result<Vec<Option<Stored>>, Error> {
        let keys = keys.to_vec();
        self.loader.read(move |connection| keys.into_iter().map(|key| load(connection, key)).collect()).await
    }

    /// One commit by itself.
    pub(in crate::storage) async fn commit(&self, commit: &Commit) -> Result<Outcome, Error> {
        let outcomes = self.commit_batch(std::slice::from_ref(commit), COMMIT_PATIENCE).await?;
        Ok(outcomes.into_iter().next().unwrap_or(Outcome::Busy))
    }

    async fn commit_batch(&self, commits: &[Commit], patience: Duration) -> Result<Vec<Outcome>, Error> {
        // Encoded here: the writer's thread is for SQLite.
        let members: Vec<Member> = commits.iter().map(Member::of).collect::<Result<_, _>>()?;
        let written = self.writer.write_within(patience, move |connection| {
            members.iter().map(|member| commit(connection, member)).collect()
        });
        Ok(written.await?.unwrap_or_else(|| vec![Outcome::Busy; commits.len()]))
    }
}

const LOAD: &str = "
SELECT version, locale, desired, shown, vars, balance, busy, banned, blocked, fence
FROM chats WHERE bot_id = ?1 AND chat_id = ?2";

fn load(connection: &Connection, key: Key) -> Result<Option<Stored>, Error> {
    let mut statement = connection.prepare_cached(LOAD).map_err(failed)?;
    let mut rows = statement.query([key.bot.0, key.chat.0]).map_err(failed)?;
    rows.next().map_err(failed)?.map(decode).transpose()
}

fn decode(row: &Row<'_>) -> Result<Stored, Error> {
    let row = Columns::of("chats", row);
    Ok(Stored {
        chat: Chat {
            version: Version(row.get(0, "version")?),
            locale: row.get(1, "locale")?,
            desired: row.optional_json(2, "desired")?,
            shown: row.optional_json(3, "shown")?,
            vars: row.json(4, "vars")?,
            balance: row.get(5, "balance")?,
            busy: row.get(6, "busy")?,
            banned: row.get(7, "banned")?,
            blocked: row.get(8, "blocked")?,
        },
        fence: row.json(9, "fence")?,
    })
}

/// A commit as its columns are bound.
struct Member {
    key: Key,
    base: i64,
    version: i64,
    locale: Option<String>,
    desired: Option<String>,
    vars: String,
    balance: i64,
    busy: Option<String>,
    banned: bool,
    blocked: bool,
    fence: String,
    at: i64,
    update: Option<UpdateId>,
    jobs: Vec<NewJob>,
}

impl Member {
    fn of(commit: &Commit) -> Result<Self, Error> {
        let chat = &commit.chat;
        Ok(Self {
            key: commit.key,
            base: commit.base().0,
            version: chat.version.0,
            locale: chat.locale.clone(),
            desired: chat.desired.as_ref().map(json).transpose()?,
            vars: json(&chat.vars)?,
            balance: chat.balance,
            busy: chat.busy.clone(),
            banned: chat.banned,
            blocked: chat.blocked,
            fence: json(&commit.fence)?,
            at: commit.at.unix_millis(),
            update: commit.update,
            jobs: commit.jobs.clone(),
        })
    }
}

fn json(value: &impl Serialize) -> Result<String, Error> {
    serde_json::to_string(value).map_err(|error| Error::Data(error.into()))
}

fn commit(connection: &Connection, member: &Member) -> Result<Outcome, Error> {
    let written = if member.base == 0 { insert(connection, member)? } else { update(connection, member)? };
    if written == 0 {
        return judge(connection, member);
    }
    for (ordinal, job) in (0..).zip(&member.jobs) {
        jobs::queue(connection, member.key, Version(member.version), ordinal, job, member.at)?;
    }
    Ok(Outcome::Applied)
}

const INSERT: &str = "
INSERT INTO chats (bot_id, chat_id, version, locale, desired, vars, balance, busy, banned, blocked, fence, created_at, updated_at)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?12)
ON CONFLICT (bot_id, chat_id) DO NOTHING";

fn insert(connection: &Connection, member: &Member) -> Result<usize, Error> {
    let mut statement = connection.prepare_cached(INSERT).map_err(failed)?;
    let Member { key, version, locale, desired, vars, balance, busy, banned, blocked, fence, at, .. } = member;
    let row = params![key.bot.0, key.chat.0, version, locale, desired, vars, balance, busy, banned, blocked, fence, at];
    statement.execute(row).map_err(failed)
}

const UPDATE: &str = "
UPDATE chats SET version = ?3, locale = ?4, desired = ?5, vars = ?6, balance = ?7, busy = ?8, banned = ?9,
    blocked = ?10, fence = ?11, updated_at = ?12
WHERE bot_id = ?1 AND chat_id = ?2 AND version = ?13";

fn update(connection: &Connection, member: &Member) -> Result<usize, Error> {
    let mut statement = connection.prepare_cached(UPDATE).map_err(failed)?;
    let Member { key, base, version, locale, desired, vars, balance, busy, banned, blocked, fence, at, .. } = member;
    let row =
        params![key.bot.0, key.chat.0, version, locale, desired, vars, balance, busy, banned, blocked, fence, at, base];
    statement.execute(row).map_err(failed)
}

const FENCE: &str = "SELECT fence FROM chats WHERE bot_id = ?1 AND chat_id = ?2";

/// What a commit is whose version did not fit.
fn judge(connection: &Connection, member: &Member) -> Result<Outcome, Error> {
    let Some(update) = member.update else { return Ok(Outcome::Stale) };
    let mut statement = connection.prepare_cached(FENCE).map_err(failed)?;
    let fence = statement.query_row([member.key.bot.0, member.key.chat.0], |row| {
        Ok(Columns::of("chats", row).json::<Fence>(0, "fence"))
    });
    let fence = fence.optional().map_err(failed)?.transpose()?;
    let answer = fence.and_then(|fence| fence.recall(update));
    Ok(answer.map_or(Outcome::Stale, |answer| Outcome::Duplicate { answer }))
}
