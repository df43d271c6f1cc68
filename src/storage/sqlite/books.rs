//! Ledger, payments and turns: written with a commit, and read again.

use super::super::json::corrupt;
use super::super::{Commit, Error, Key, LedgerLine, RecordedPayment};
use super::column::Columns;
use super::statement::{all, execute, first, one};
use super::{Sqlite, clock, rows_at_most};
use crate::clock::Timestamp;
use crate::flow::books::{Books, Entry, EntryKind, Payment, Role, Turn};
use crate::telegram::id::{BotId, ChatId};
use rusqlite::{Connection, Row, params};

impl Sqlite {
    pub(in crate::storage) async fn turns(&self, key: Key, limit: usize) -> Result<Vec<Turn>, Error> {
        self.reader.read(move |connection| turns(connection, key, limit)).await
    }

    pub(in crate::storage) async fn ledger(&self, key: Key, limit: usize) -> Result<Vec<LedgerLine>, Error> {
        self.reader.read(move |connection| ledger(connection, key, limit)).await
    }

    pub(in crate::storage) async fn ledger_sum(&self, key: Key) -> Result<i64, Error> {
        self.reader.read(move |connection| ledger_sum(connection, key)).await
    }

    pub(in crate::storage) async fn payments(&self, bot: BotId, limit: usize) -> Result<Vec<RecordedPayment>, Error> {
        self.reader.read(move |connection| payments(connection, bot, limit)).await
    }

    pub(in crate::storage) async fn payment(&self, bot: BotId, charge: &str) -> Result<Option<RecordedPayment>, Error> {
        let charge = charge.to_owned();
        self.reader.read(move |connection| payment(connection, bot, &charge)).await
    }
}

/// What is written beside a chat and its jobs.
pub(super) struct Written {
    books: Books,
    memory: Option<Memory>,
}

struct Memory {
    kept: i64,
    turns: Vec<(i64, Turn)>,
}

impl Written {
    pub(super) fn of(commit: &Commit) -> Result<Self, Error> {
        let memory = commit.remembered()?.map(|remembered| Memory {
            kept: remembered.kept,
            turns: remembered.turns.into_iter().map(|(position, turn)| (position, turn.clone())).collect(),
        });
        Ok(Self { books: commit.books.clone(), memory })
    }
}

pub(super) const IS_KNOWN: &str = "SELECT EXISTS (SELECT 1 FROM payments WHERE bot_id = ?1 AND charge = ?2)";

pub(super) const IS_OPEN: &str =
    "SELECT EXISTS (SELECT 1 FROM payments WHERE bot_id = ?1 AND charge = ?2 AND refunded_at IS NULL)";

/// Whether the payment is there already, or the one that was refunded is not, or not any more.
pub(super) fn is_known(connection: &Connection, bot: BotId, written: &Written) -> Result<bool, Error> {
    let exists = |statement, charge: &str| one::<bool>(connection, statement, params![bot.0, charge]);
    let Books { payment, refunded, .. } = &written.books;
    Ok(payment.as_ref().map_or(Ok(false), |payment| exists(IS_KNOWN, &payment.charge))?
        || refunded.as_ref().map_or(Ok(false), |charge| exists(IS_OPEN, charge).map(|is_open| !is_open))?)
}

pub(super) const PAY: &str = "
INSERT INTO payments (bot_id, charge, chat_id, product, payload, currency, amount, messages, premium_days, at,
                      refunded_at)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, CASE WHEN ?11 THEN ?10 END)";

pub(super) const REFUND: &str = "UPDATE payments SET refunded_at = ?3 WHERE bot_id = ?1 AND charge = ?2";

pub(super) const ENTER: &str =
    "INSERT INTO ledger (bot_id, chat_id, kind, amount, reference, at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";

pub(super) const CANCEL: &str = "DELETE FROM jobs WHERE bot_id = ?1 AND chat_id = ?2 AND key = ?3";

pub(super) const TRIM: &str = "
DELETE FROM turns
WHERE bot_id = ?1 AND chat_id = ?2
  AND position <= (SELECT position FROM turns
                   WHERE bot_id = ?1 AND chat_id = ?2
                   ORDER BY position DESC LIMIT 1 OFFSET ?3)";

pub(super) const SAY: &str =
    "INSERT INTO turns (bot_id, chat_id, position, role, text, at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";

/// What [`is_known`] has looked for is as it found it: the transaction holds the only write lock.
pub(super) fn write(connection: &Connection, key: Key, written: &Written, at: i64) -> Result<(), Error> {
    let (bot, chat) = (key.bot.0, key.chat.0);
    let Books { entries, cancelled, payment, refunded, memory: _ } = &written.books;
    if let Some(Payment { charge, product, payload, currency, amount, messages, premium_days, refunded }) = payment {
        let row = params![bot, charge, chat, product, payload, currency, amount, messages, premium_days, at, refunded];
        execute(connection, PAY, row)?;
    }
    if let Some(charge) = refunded {
        execute(connection, REFUND, params![bot, charge, at])?;
    }
    for Entry { kind, amount, reference } in entries {
        execute(connection, ENTER, params![bot, chat, kind.name(), amount, reference, at])?;
    }
    if let Some(job) = cancelled {
        execute(connection, CANCEL, params![bot, chat, job])?;
    }
    let Some(memory) = &written.memory else { return Ok(()) };
    execute(connection, TRIM, params![bot, chat, memory.kept])?;
    for (position, Turn { role, text }) in &memory.turns {
        execute(connection, SAY, params![bot, chat, position, role.name(), text, at])?;
    }
    Ok(())
}

pub(super) const SPEND: &str = concat!(
    "INSERT INTO ledger (bot_id, chat_id, kind, amount, reference, at) VALUES (?1, ?2, 'spent', 0, ?3, ",
    clock!(),
    ")"
);

pub(super) fn spend(connection: &Connection, key: Key, generation: &str) -> Result<(), Error> {
    execute(connection, SPEND, params![key.bot.0, key.chat.0, generation])?;
    Ok(())
}

pub(super) const TURNS: &str =
    "SELECT role, text FROM turns WHERE bot_id = ?1 AND chat_id = ?2 ORDER BY position DESC LIMIT ?3";

fn turns(connection: &Connection, key: Key, limit: usize) -> Result<Vec<Turn>, Error> {
    let row = params![key.bot.0, key.chat.0, rows_at_most(limit)];
    let mut turns = all(connection, TURNS, row, |row| {
        let row = Columns::of("turns", row);
        let role = Role::from_name(&row.get::<String>(0, "role")?);
        let role = role.ok_or_else(|| corrupt("turns", "role", "it is none that is known"))?;
        Ok(Turn { role, text: row.get(1, "text")? })
    })?;
    turns.reverse();
    Ok(turns)
}

pub(super) const LEDGER: &str = "
SELECT at, kind, amount, reference
FROM ledger
WHERE bot_id = ?1 AND chat_id = ?2
ORDER BY id DESC
LIMIT ?3";

fn ledger(connection: &Connection, key: Key, limit: usize) -> Result<Vec<LedgerLine>, Error> {
    all(connection, LEDGER, params![key.bot.0, key.chat.0, rows_at_most(limit)], |row| {
        let row = Columns::of("ledger", row);
        let kind = EntryKind::from_name(&row.get::<String>(1, "kind")?);
        let kind = kind.ok_or_else(|| corrupt("ledger", "kind", "it is none that is known"))?;
        let entry = Entry { kind, amount: row.get(2, "amount")?, reference: row.get(3, "reference")? };
        Ok(LedgerLine { at: Timestamp::from_unix_millis(row.get(0, "at")?), entry })
    })
}

pub(super) const LEDGER_SUM: &str = "SELECT coalesce(sum(amount), 0) FROM ledger WHERE bot_id = ?1 AND chat_id = ?2";

fn ledger_sum(connection: &Connection, key: Key) -> Result<i64, Error> {
    one(connection, LEDGER_SUM, [key.bot.0, key.chat.0])
}

pub(super) const PAYMENTS: &str = "
SELECT charge, product, payload, currency, amount, messages, premium_days, chat_id, at, refunded_at
FROM payments
WHERE bot_id = ?1
ORDER BY at DESC, charge
LIMIT ?2";

fn payments(connection: &Connection, bot: BotId, limit: usize) -> Result<Vec<RecordedPayment>, Error> {
    all(connection, PAYMENTS, params![bot.0, rows_at_most(limit)], recorded)
}

/// The columns of [`PAYMENTS`].
pub(super) const PAYMENT: &str = "
SELECT charge, product, payload, currency, amount, messages, premium_days, chat_id, at, refunded_at
FROM payments
WHERE bot_id = ?1 AND charge = ?2";

fn payment(connection: &Connection, bot: BotId, charge: &str) -> Result<Option<RecordedPayment>, Error> {
    first(connection, PAYMENT, params![bot.0, charge], recorded)
}

fn recorded(row: &Row<'_>) -> Result<RecordedPayment, Error> {
    let row = Columns::of("payments", row);
    let refunded_at: Option<i64> = row.get(9, "refunded_at")?;
    Ok(RecordedPayment {
        payment: Payment {
            charge: row.get(0, "charge")?,
            product: row.get(1, "product")?,
            payload: row.get(2, "payload")?,
            currency: row.get(3, "currency")?,
            amount: row.get(4, "amount")?,
            messages: row.get(5, "messages")?,
            premium_days: row.get(6, "premium_days")?,
            refunded: refunded_at.is_some(),
        },
        chat: ChatId(row.get(7, "chat_id")?),
        at: Timestamp::from_unix_millis(row.get(8, "at")?),
        refunded_at: refunded_at.map(Timestamp::from_unix_millis),
    })
}
