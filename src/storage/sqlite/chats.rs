//! Chats: loads and commits, each batch one transaction. Never writes what is the sender's.

use super::super::json::encode;
use super::super::{Commit, Ends, Error, Fence, Key, Outcome, Reach, Stored};
use super::books::{self, Written};
use super::column::Columns;
use super::failed;
use super::jobs::{self, Queued};
use super::statement::{execute, first};
use crate::clock::Timestamp;
use crate::flow::chat::{Chat, Version};
use crate::telegram::answer::Answer;
use crate::telegram::id::UpdateId;
use rusqlite::{Connection, Row, params};

pub(super) const LOAD: &str = "
SELECT version, locale, desired, shown, vars, balance, busy, banned, blocked, fence, premium_until, paid,
    unreachable_revision
FROM chats WHERE bot_id = ?1 AND chat_id = ?2";

/// What each member's chat is; one that does not decode fails alone.
pub(super) type Loaded = Vec<Result<Option<Stored>, Error>>;

pub(super) fn load(connection: &Connection, keys: &[Key]) -> Result<Loaded, Error> {
    let mut statement = connection.prepare_cached(LOAD).map_err(failed)?;
    let mut found = Loaded::with_capacity(keys.len());
    for key in keys {
        let mut rows = statement.query([key.bot.0, key.chat.0]).map_err(failed)?;
        found.push(rows.next().map_err(failed)?.map(stored).transpose());
    }
    Ok(found)
}

fn stored(row: &Row<'_>) -> Result<Stored, Error> {
    let row = Columns::of("chats", row);
    let chat = Chat {
        version: Version(row.get(0, "version")?),
        locale: row.get(1, "locale")?,
        desired: row.optional_json(2, "desired")?,
        shown: row.optional_json(3, "shown")?,
        vars: row.json(4, "vars")?,
        balance: row.get(5, "balance")?,
        busy: row.optional_json(6, "busy")?,
        premium_until: row.get::<Option<i64>>(10, "premium_until")?.map(Timestamp::from_unix_millis),
        paid: row.get(11, "paid")?,
        banned: row.get(7, "banned")?,
        blocked: row.get(8, "blocked")?,
    };
    let unreachable = row.get::<Option<i64>>(12, "unreachable_revision")?.map(Version);
    Ok(Stored { chat, fence: row.json(9, "fence")?, unreachable })
}

/// The transaction holds the only write lock, so what a statement finds is what the next one finds.
pub(super) fn commit(connection: &Connection, members: &Members) -> Result<Vec<Outcome>, Error> {
    members.0.iter().map(|member| commit_one(connection, member)).collect()
}

fn commit_one(connection: &Connection, member: &Member) -> Result<Outcome, Error> {
    let judged = write(connection, member)?;
    if judged == Outcome::Applied {
        queue(connection, member)?;
    }
    Ok(judged)
}

/// The commit that ends a leased job. The job goes first, since what is queued may have its key.
pub(super) fn commit_and_end(connection: &Connection, members: &Members, ends: Ends) -> Result<Outcome, Error> {
    let [member] = &members.0[..] else { return Err(Error::Data("one commit ends one job".into())) };
    if !jobs::is_held(connection, member.key.bot, ends)? {
        return Ok(Outcome::Duplicate { answer: Answer::EMPTY });
    }
    let judged = write(connection, member)?;
    if judged == Outcome::Applied {
        jobs::remove(connection, ends.id)?;
        if ends.reach == Reach::Unreachable {
            jobs::mark(connection, member.key, ends.serial)?;
        }
        queue(connection, member)?;
    }
    Ok(judged)
}

fn queue(connection: &Connection, member: &Member) -> Result<(), Error> {
    let one = |job| jobs::queue(connection, member.key, Version(member.version), job, member.at);
    member.jobs.iter().try_for_each(one)
}

pub(super) const INSERT: &str = "
INSERT INTO chats (bot_id, chat_id, version, locale, desired, vars, balance, busy, banned, blocked, fence,
                   created_at, updated_at, premium_until, paid)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?12, ?13, ?14)
ON CONFLICT DO NOTHING";

pub(super) const UPDATE: &str = "
UPDATE chats SET version = ?3, locale = ?4, desired = ?5, vars = ?6, balance = ?7, busy = ?8, banned = ?9,
                 blocked = ?10, fence = ?11, updated_at = ?12, premium_until = ?13, paid = ?14
WHERE bot_id = ?1 AND chat_id = ?2 AND version = ?3 - 1";

/// Chat and books, if the row still has the version that was read and nothing of the payment is known.
fn write(connection: &Connection, member: &Member) -> Result<Outcome, Error> {
    if books::is_known(connection, member.key.bot, &member.books)? {
        // An update that was applied before gets the answer of then, whatever is known of its payment.
        return Ok(match judge(connection, member)? {
            Outcome::Stale => Outcome::Duplicate { answer: Answer::EMPTY },
            outcome => outcome,
        });
    }
    let statement = if member.version == 1 { INSERT } else { UPDATE };
    let Member { key, version, locale, desired, vars, balance, busy, banned, blocked, fence, at, .. } = member;
    let Member { premium_until, paid, .. } = member;
    let row = params![
        key.bot.0,
        key.chat.0,
        version,
        locale,
        desired,
        vars,
        balance,
        busy,
        banned,
        blocked,
        fence,
        at,
        premium_until,
        paid
    ];
    if execute(connection, statement, row)? == 0 {
        return judge(connection, member);
    }
    books::write(connection, member.key, &member.books, *at)?;
    Ok(Outcome::Applied)
}

pub(super) const FENCE: &str = "SELECT fence FROM chats WHERE bot_id = ?1 AND chat_id = ?2";

fn judge(connection: &Connection, member: &Member) -> Result<Outcome, Error> {
    let Some(update) = member.update else { return Ok(Outcome::Stale) };
    let row = [member.key.bot.0, member.key.chat.0];
    let fence: Option<Fence> = first(connection, FENCE, row, |row| Columns::of("chats", row).json(0, "fence"))?;
    let answer = fence.and_then(|fence| fence.recall(update));
    Ok(answer.map_or(Outcome::Stale, |answer| Outcome::Duplicate { answer }))
}

/// A batch as it is bound.
pub(super) struct Members(Vec<Member>);

struct Member {
    key: Key,
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
    premium_until: Option<i64>,
    paid: bool,
    update: Option<UpdateId>,
    jobs: Vec<Queued>,
    books: Written,
}

impl Members {
    pub(super) fn of(commits: &[Commit]) -> Result<Self, Error> {
        commits.iter().map(Member::of).collect::<Result<_, _>>().map(Self)
    }
}

impl Member {
    fn of(commit: &Commit) -> Result<Self, Error> {
        let Commit { key, chat, fence, update, at, .. } = commit;
        Ok(Self {
            key: *key,
            version: chat.version.0,
            locale: chat.locale.clone(),
            desired: chat.desired.as_ref().map(encode),
            vars: encode(&chat.vars),
            balance: chat.balance,
            busy: chat.busy.as_ref().map(encode),
            banned: chat.banned,
            blocked: chat.blocked,
            fence: encode(fence),
            at: at.unix_millis(),
            premium_until: chat.premium_until.map(Timestamp::unix_millis),
            paid: chat.paid,
            update: *update,
            jobs: commit.queued()?.into_iter().map(Queued::of).collect(),
            books: Written::of(commit)?,
        })
    }
}
