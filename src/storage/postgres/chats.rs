//! Chats: loads and commits, each one statement for a whole batch.

use super::super::json::{decode, decode_optional, encode};
use super::super::{Commit, Error, Fence, Key, Outcome, Stored};
use super::seconds;
use crate::flow::chat::{Chat, Version};
use sqlx::Row;
use sqlx::postgres::{PgConnection, PgRow};

pub(super) const LOAD: &str = "
SELECT m.n, c.version, c.locale, c.desired, c.shown, c.vars, c.balance, c.busy, c.banned, c.blocked, c.fence
FROM unnest($1::bigint[], $2::bigint[]) WITH ORDINALITY AS m (bot_id, chat_id, n)
JOIN chats AS c ON c.bot_id = m.bot_id AND c.chat_id = m.chat_id";

/// What each member's chat is; one that does not decode fails alone.
pub(super) type Loaded = Vec<Result<Option<Stored>, Error>>;

pub(super) async fn load(connection: &mut PgConnection, keys: &[Key]) -> Result<Loaded, Error> {
    let bots: Vec<i64> = keys.iter().map(|key| key.bot.0).collect();
    let chats: Vec<i64> = keys.iter().map(|key| key.chat.0).collect();
    let rows = sqlx::query(LOAD).bind(bots).bind(chats).fetch_all(connection).await?;
    let mut found: Loaded = keys.iter().map(|_| Ok(None)).collect();
    for row in &rows {
        if let Some(place) = member(row)?.and_then(|member| found.get_mut(member)) {
            *place = stored(row).map(Some);
        }
    }
    Ok(found)
}

fn stored(row: &PgRow) -> Result<Stored, Error> {
    let chat = Chat {
        version: Version(row.try_get("version")?),
        locale: row.try_get("locale")?,
        desired: decode_optional("chats", "desired", row.try_get("desired")?)?,
        shown: decode_optional("chats", "shown", row.try_get("shown")?)?,
        vars: decode("chats", "vars", row.try_get("vars")?)?,
        balance: row.try_get("balance")?,
        busy: decode_optional("chats", "busy", row.try_get("busy")?)?,
        premium_until: None,
        paid: false,
        banned: row.try_get("banned")?,
        blocked: row.try_get("blocked")?,
    };
    Ok(Stored { chat, fence: decode("chats", "fence", row.try_get("fence")?)?, unreachable: None })
}

/// Which member of the batch a row is about: `WITH ORDINALITY` counts from 1.
fn member(row: &PgRow) -> Result<Option<usize>, Error> {
    let ordinality: i64 = row.try_get("n")?;
    Ok(usize::try_from(ordinality - 1).ok())
}

/// 1. `locked` locks the chats that are there, in key order, and skips those that somebody else holds. It reads them as
///    they are now, not as they were in the statement's snapshot.
/// 2. `updated` and `inserted` write where the version still is the one that was read. A new chat that another process
///    creates at the same moment is waited for (in key order as well, so that nobody waits in a circle).
/// 3. `queued` starts only after all chats are written (the count), because chats are locked before jobs everywhere.
///    A screen job replaces the one that is there: it goes to the end of the chat's jobs, or, while
///    it is leased, keeps row, lease and position, and its settle finds another serial. One that is due keeps its turn
///    in the lane, so no indexed column changes and the update is HOT.
///
/// A row in the snapshot that is not locked is `Busy`; one deleted at this moment is, too, and is `Stale` the next time.
/// (The `LIMIT` keeps PostgreSQL from reading all chats to answer that for all members at once.)
pub(super) const COMMIT: &str = "
WITH member AS MATERIALIZED (
    SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::bigint[],
                         $8::text[], $9::boolean[], $10::boolean[], $11::text[], $12::float8[]) WITH ORDINALITY
        AS m (bot_id, chat_id, version, locale, desired, vars, balance, busy, banned, blocked, fence, at, n)
), locked AS MATERIALIZED (
    SELECT m.n, c.version, c.fence
    FROM member AS m JOIN chats AS c ON c.bot_id = m.bot_id AND c.chat_id = m.chat_id
    ORDER BY c.bot_id, c.chat_id
    FOR NO KEY UPDATE OF c SKIP LOCKED
), updated AS (
    UPDATE chats AS c
    SET version = m.version, locale = m.locale, desired = m.desired, vars = m.vars, balance = m.balance, busy = m.busy,
        banned = m.banned, blocked = m.blocked, fence = m.fence, updated_at = to_timestamp(m.at)
    FROM locked AS l JOIN member AS m ON m.n = l.n
    WHERE c.bot_id = m.bot_id AND c.chat_id = m.chat_id AND l.version = m.version - 1
    RETURNING m.n
), inserted AS (
    INSERT INTO chats (bot_id, chat_id, version, locale, desired, vars, balance, busy, banned, blocked, fence,
                       created_at, updated_at)
    SELECT m.bot_id, m.chat_id, m.version, m.locale, m.desired, m.vars, m.balance, m.busy, m.banned, m.blocked,
           m.fence, to_timestamp(m.at), to_timestamp(m.at)
    FROM member AS m
    WHERE m.version = 1
      AND NOT EXISTS (SELECT FROM chats AS c WHERE c.bot_id = m.bot_id AND c.chat_id = m.chat_id)
    ORDER BY m.bot_id, m.chat_id
    ON CONFLICT DO NOTHING
    RETURNING bot_id, chat_id
), applied AS MATERIALIZED (
    SELECT n FROM updated
    UNION ALL
    SELECT m.n FROM inserted AS i JOIN member AS m ON m.bot_id = i.bot_id AND m.chat_id = i.chat_id
), queued AS (
    INSERT INTO jobs AS j (bot_id, chat_id, position, serial, run_at, created_at, attempts, lane, key, place, payload)
    SELECT m.bot_id, m.chat_id, q.position, m.version, now(), to_timestamp(m.at), 0, q.lane, q.key, q.place, q.payload
    FROM unnest($13::bigint[], $14::bigint[], $15::text[], $16::text[], $17::text[], $18::text[])
             AS q (n, position, lane, key, place, payload)
    JOIN applied AS a ON a.n = q.n
    JOIN member AS m ON m.n = q.n
    WHERE (SELECT count(*) FROM applied) > 0
    ORDER BY m.bot_id, m.chat_id, q.position
    ON CONFLICT (bot_id, chat_id, key) DO UPDATE
    SET serial = excluded.serial,
        place = CASE WHEN excluded.place = 'shown' THEN j.place ELSE excluded.place END,
        position = CASE WHEN j.lease_until > now() THEN j.position ELSE excluded.position END,
        run_at = least(j.run_at, excluded.run_at),
        created_at = CASE WHEN j.lease_until > now() THEN j.created_at ELSE excluded.created_at END,
        attempts = CASE WHEN j.lease_until > now() THEN j.attempts ELSE 0 END,
        lease_token = CASE WHEN j.lease_until > now() THEN j.lease_token END,
        lease_until = CASE WHEN j.lease_until > now() THEN j.lease_until END
)
SELECT m.n, a.n IS NOT NULL AS applied,
       s.n IS NOT NULL AS busy, l.fence
FROM member AS m
LEFT JOIN applied AS a ON a.n = m.n
LEFT JOIN locked AS l ON l.n = m.n
LEFT JOIN LATERAL (
    SELECT m.n FROM chats AS c WHERE l.n IS NULL AND c.bot_id = m.bot_id AND c.chat_id = m.chat_id LIMIT 1
) AS s ON true";

/// At most one member of a chat: the statement would see only one of them.
pub(super) async fn commit(connection: &mut PgConnection, commits: &[Commit]) -> Result<Vec<Outcome>, Error> {
    debug_assert!(
        commits.iter().map(|commit| commit.key).collect::<std::collections::HashSet<_>>().len() == commits.len(),
        "two members of one chat in a batch"
    );
    let (members, jobs) = (Members::of(commits), Jobs::of(commits)?);
    let rows = sqlx::query(COMMIT)
        .bind(members.bots)
        .bind(members.chats)
        .bind(members.versions)
        .bind(members.locales)
        .bind(members.desired)
        .bind(members.vars)
        .bind(members.balances)
        .bind(members.busy)
        .bind(members.banned)
        .bind(members.blocked)
        .bind(members.fences)
        .bind(members.at)
        .bind(jobs.members)
        .bind(jobs.positions)
        .bind(jobs.lanes)
        .bind(jobs.keys)
        .bind(jobs.places)
        .bind(jobs.payloads)
        .fetch_all(connection)
        .await
        .map_err(Error::from);
    match rows {
        Ok(rows) => outcomes(commits, &rows),
        // Somebody held one of its jobs, or was creating its chat, for longer than the connection waits.
        Err(error) if error.is_lock_timeout() && commits.len() == 1 => Ok(vec![Outcome::Busy]),
        Err(error) => Err(error),
    }
}

fn outcomes(commits: &[Commit], rows: &[PgRow]) -> Result<Vec<Outcome>, Error> {
    let mut outcomes = vec![Outcome::Stale; commits.len()];
    for row in rows {
        let Some(member) = member(row)? else { continue };
        if let (Some(commit), Some(outcome)) = (commits.get(member), outcomes.get_mut(member)) {
            *outcome = read_outcome(commit, row)?;
        }
    }
    Ok(outcomes)
}

fn read_outcome(commit: &Commit, row: &PgRow) -> Result<Outcome, Error> {
    if row.try_get("applied")? {
        return Ok(Outcome::Applied);
    }
    if row.try_get("busy")? {
        return Ok(Outcome::Busy);
    }
    let fence: Option<Fence> = decode_optional("chats", "fence", row.try_get("fence")?)?;
    let answer = fence.zip(commit.update).and_then(|(fence, update)| fence.recall(update));
    Ok(answer.map_or(Outcome::Stale, |answer| Outcome::Duplicate { answer }))
}

/// A batch by column, as `unnest` takes it.
#[derive(Default)]
struct Members<'a> {
    bots: Vec<i64>,
    chats: Vec<i64>,
    versions: Vec<i64>,
    locales: Vec<Option<&'a str>>,
    desired: Vec<Option<String>>,
    vars: Vec<String>,
    balances: Vec<i64>,
    busy: Vec<Option<String>>,
    banned: Vec<bool>,
    blocked: Vec<bool>,
    fences: Vec<String>,
    at: Vec<f64>,
}

impl<'a> Members<'a> {
    fn of(commits: &'a [Commit]) -> Self {
        let mut members = Self::default();
        for Commit { key, chat, fence, at, .. } in commits {
            members.bots.push(key.bot.0);
            members.chats.push(key.chat.0);
            members.versions.push(chat.version.0);
            members.locales.push(chat.locale.as_deref());
            members.desired.push(chat.desired.as_ref().map(encode));
            members.vars.push(encode(&chat.vars));
            members.balances.push(chat.balance);
            members.busy.push(chat.busy.as_ref().map(encode));
            members.banned.push(chat.banned);
            members.blocked.push(chat.blocked);
            members.fences.push(encode(fence));
            members.at.push(seconds(*at));
        }
        members
    }
}

/// The jobs of a batch by column; `members` counts from 1.
#[derive(Default)]
struct Jobs<'a> {
    members: Vec<i64>,
    positions: Vec<i64>,
    lanes: Vec<&'static str>,
    keys: Vec<String>,
    places: Vec<Option<String>>,
    payloads: Vec<Option<&'a str>>,
}

impl<'a> Jobs<'a> {
    fn of(commits: &'a [Commit]) -> Result<Self, Error> {
        let mut jobs = Self::default();
        for (member, commit) in (1..).zip(commits) {
            for job in commit.queued()? {
                jobs.members.push(member);
                jobs.positions.push(job.position);
                jobs.lanes.push(job.lane.name());
                jobs.keys.push(job.key);
                jobs.places.push(job.place.map(|place| place.to_string()));
                jobs.payloads.push(job.payload);
            }
        }
        Ok(jobs)
    }
}
