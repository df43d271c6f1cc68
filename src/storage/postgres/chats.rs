//! Chats: loads and commits, each one statement for a whole batch.

use super::super::json::{decode, decode_optional};
use super::super::{Commit, Error, Fence, Key, Outcome, Stored};
use super::batch::{Books, Jobs, Members};
use super::whole;
use crate::clock::Timestamp;
use crate::flow::chat::{Chat, Version};
use sqlx::Row;
use sqlx::postgres::{PgConnection, PgRow};

pub(super) const LOAD: &str = "
SELECT m.n, c.version, c.locale, c.desired, c.shown, c.vars, c.balance, c.busy, c.banned, c.blocked, c.paid, c.fence,
       c.unreachable_revision, round(extract(epoch FROM c.premium_until) * 1000)::bigint AS premium_until
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
        premium_until: row.try_get::<Option<i64>, _>("premium_until")?.map(Timestamp::from_unix_millis),
        paid: row.try_get("paid")?,
        banned: row.try_get("banned")?,
        blocked: row.try_get("blocked")?,
    };
    let unreachable = row.try_get::<Option<i64>, _>("unreachable_revision")?.map(Version);
    Ok(Stored { chat, fence: decode("chats", "fence", row.try_get("fence")?)?, unreachable })
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
macro_rules! commit {
    ($beside:literal) => {
        concat!("
WITH member AS MATERIALIZED (
    SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::bigint[],
                         $8::text[], $9::boolean[], $10::boolean[], $11::text[], $12::float8[], $13::float8[],
                         $14::boolean[]) WITH ORDINALITY
        AS m (bot_id, chat_id, version, locale, desired, vars, balance, busy, banned, blocked, fence, at, premium, paid,
              n)
), locked AS MATERIALIZED (
    SELECT m.n, c.version, c.fence
    FROM member AS m JOIN chats AS c ON c.bot_id = m.bot_id AND c.chat_id = m.chat_id
    ORDER BY c.bot_id, c.chat_id
    FOR NO KEY UPDATE OF c SKIP LOCKED
), updated AS (
    UPDATE chats AS c
    SET version = m.version, locale = m.locale, desired = m.desired, vars = m.vars, balance = m.balance, busy = m.busy,
        banned = m.banned, blocked = m.blocked, fence = m.fence, updated_at = to_timestamp(m.at),
        premium_until = to_timestamp(m.premium), paid = m.paid
    FROM locked AS l JOIN member AS m ON m.n = l.n
    WHERE c.bot_id = m.bot_id AND c.chat_id = m.chat_id AND l.version = m.version - 1
    RETURNING m.n
), inserted AS (
    INSERT INTO chats (bot_id, chat_id, version, locale, desired, vars, balance, busy, banned, blocked, fence,
                       created_at, updated_at, premium_until, paid)
    SELECT m.bot_id, m.chat_id, m.version, m.locale, m.desired, m.vars, m.balance, m.busy, m.banned, m.blocked,
           m.fence, to_timestamp(m.at), to_timestamp(m.at), to_timestamp(m.premium), m.paid
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
    FROM unnest($15::bigint[], $16::bigint[], $17::text[], $18::text[], $19::text[], $20::text[])
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
)", $beside, "
SELECT m.n, a.n IS NOT NULL AS applied,
       s.n IS NOT NULL AS busy, l.fence
FROM member AS m
LEFT JOIN applied AS a ON a.n = m.n
LEFT JOIN locked AS l ON l.n = m.n
LEFT JOIN LATERAL (
    SELECT m.n FROM chats AS c WHERE l.n IS NULL AND c.bot_id = m.bot_id AND c.chat_id = m.chat_id LIMIT 1
) AS s ON true")
    };
}

/// Without anything beside chats and jobs.
pub(super) const COMMIT: &str = commit!("");

/// With ledger, cancelled jobs and turns. A cancelled job is locked in the order in which leases are renewed. Of a chat's
/// turns those that were there are trimmed to `kept`; the statement does not see its own.
pub(super) const COMMIT_WITH_BOOKS: &str = commit!(
    ", entered AS (
    INSERT INTO ledger (bot_id, chat_id, kind, amount, reference, at)
    SELECT m.bot_id, m.chat_id, e.kind, e.amount, e.reference, to_timestamp(m.at)
    FROM unnest($21::bigint[], $22::text[], $23::bigint[], $24::text[]) WITH ORDINALITY
             AS e (n, kind, amount, reference, line)
    JOIN applied AS a ON a.n = e.n
    JOIN member AS m ON m.n = e.n
    ORDER BY e.line
), doomed AS MATERIALIZED (
    SELECT j.id, j.bot_id
    FROM unnest($25::bigint[], $26::text[]) AS d (n, key)
    JOIN applied AS a ON a.n = d.n
    JOIN member AS m ON m.n = d.n
    JOIN jobs AS j ON j.bot_id = m.bot_id AND j.chat_id = m.chat_id AND j.key = d.key
    WHERE (SELECT count(*) FROM applied) > 0
    ORDER BY j.bot_id, j.chat_id, j.position
    FOR UPDATE OF j
), cancelled AS (
    DELETE FROM jobs AS j USING doomed AS d WHERE j.id = d.id AND j.bot_id = d.bot_id
), trimmed AS (
    DELETE FROM turns AS t
    USING unnest($27::bigint[], $28::bigint[]) AS k (n, kept)
    JOIN applied AS a ON a.n = k.n
    JOIN member AS m ON m.n = k.n
    WHERE t.bot_id = m.bot_id AND t.chat_id = m.chat_id
      AND t.position <= (SELECT o.position FROM turns AS o
                         WHERE o.bot_id = m.bot_id AND o.chat_id = m.chat_id
                         ORDER BY o.position DESC OFFSET k.kept LIMIT 1)
), said AS (
    INSERT INTO turns (bot_id, chat_id, position, role, text, at)
    SELECT m.bot_id, m.chat_id, s.position, s.role, s.text, to_timestamp(m.at)
    FROM unnest($29::bigint[], $30::bigint[], $31::text[], $32::text[]) AS s (n, position, role, text)
    JOIN applied AS a ON a.n = s.n
    JOIN member AS m ON m.n = s.n
)"
);

/// At most one member of a chat: the statement would see only one of them.
pub(super) async fn commit(connection: &mut PgConnection, commits: &[Commit]) -> Result<Vec<Outcome>, Error> {
    debug_assert!(
        commits.iter().map(|commit| commit.key).collect::<std::collections::HashSet<_>>().len() == commits.len(),
        "two members of one chat in a batch"
    );
    // Before the batch: if that fails, they are done already, and their fences and charges say so.
    let mut apart = Vec::new();
    for commit in commits.iter().filter(|commit| whole::is_needed(commit)) {
        apart.push(whole::commit(connection, commit, None).await?);
    }
    let batch: Vec<&Commit> = commits.iter().filter(|commit| !whole::is_needed(commit)).collect();
    let together = if batch.is_empty() { Vec::new() } else { write(connection, &batch).await? };
    let (mut apart, mut together) = (apart.into_iter(), together.into_iter());
    let outcomes = commits.iter().map(|commit| if whole::is_needed(commit) { apart.next() } else { together.next() });
    outcomes.map(|outcome| outcome.ok_or_else(|| Error::unavailable("the server gave no outcome"))).collect()
}

/// Writes what is no payment.
pub(super) async fn write(connection: &mut PgConnection, commits: &[&Commit]) -> Result<Vec<Outcome>, Error> {
    let (members, jobs, books) = (Members::of(commits), Jobs::of(commits)?, Books::of(commits)?);
    let statement = if books.is_empty() { COMMIT } else { COMMIT_WITH_BOOKS };
    let mut query = jobs.bind(members.bind(sqlx::query(statement)));
    if !books.is_empty() {
        query = books.bind(query);
    }
    match query.fetch_all(connection).await.map_err(Error::from) {
        Ok(rows) => outcomes(commits, &rows),
        // Somebody held one of its jobs, or was creating its chat, for longer than the connection waits.
        Err(error) if error.is_lock_timeout() && commits.len() == 1 => Ok(vec![Outcome::Busy]),
        Err(error) => Err(error),
    }
}

fn outcomes(commits: &[&Commit], rows: &[PgRow]) -> Result<Vec<Outcome>, Error> {
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
