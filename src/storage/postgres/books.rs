//! Ledger, payments and turns, read again; and payments written, for [`super::whole`]. All else of the books is written by
//! the statement of the commit, see [`super::chats`].

use super::super::json::corrupt;
use super::super::{Commit, Error, Key, LedgerLine, RecordedPayment};
use super::{Postgres, bounded, rows_at_most, seconds};
use crate::clock::Timestamp;
use crate::flow::books::{Entry, EntryKind, Payment, Role, Turn};
use crate::telegram::id::{BotId, ChatId};
use sqlx::Row;
use sqlx::postgres::{PgConnection, PgPool, PgRow};

impl Postgres {
    pub(in crate::storage) async fn turns(&self, key: Key, limit: usize) -> Result<Vec<Turn>, Error> {
        bounded(turns(&self.pool, key, limit)).await
    }

    pub(in crate::storage) async fn ledger(&self, key: Key, limit: usize) -> Result<Vec<LedgerLine>, Error> {
        bounded(ledger(&self.pool, key, limit)).await
    }

    pub(in crate::storage) async fn ledger_sum(&self, key: Key) -> Result<i64, Error> {
        bounded(ledger_sum(&self.pool, key)).await
    }

    pub(in crate::storage) async fn payments(&self, bot: BotId, limit: usize) -> Result<Vec<RecordedPayment>, Error> {
        bounded(payments(&self.pool, bot, limit)).await
    }

    pub(in crate::storage) async fn payment(&self, bot: BotId, charge: &str) -> Result<Option<RecordedPayment>, Error> {
        bounded(payment(&self.pool, bot, charge)).await
    }
}

pub(super) const TURNS: &str =
    "SELECT role, text FROM turns WHERE bot_id = $1 AND chat_id = $2 ORDER BY position DESC LIMIT $3";

async fn turns(pool: &PgPool, key: Key, limit: usize) -> Result<Vec<Turn>, Error> {
    let query = sqlx::query_as(TURNS).bind(key.bot.0).bind(key.chat.0).bind(rows_at_most(limit));
    let rows: Vec<(String, String)> = query.fetch_all(pool).await?;
    let turn = |(role, text): (String, String)| {
        let role = Role::from_name(&role).ok_or_else(|| corrupt("turns", "role", "it is none that is known"))?;
        Ok(Turn { role, text })
    };
    rows.into_iter().rev().map(turn).collect()
}

pub(super) const LEDGER: &str = "
SELECT round(extract(epoch FROM at) * 1000)::bigint, kind, amount, reference
FROM ledger
WHERE bot_id = $1 AND chat_id = $2
ORDER BY id DESC
LIMIT $3";

async fn ledger(pool: &PgPool, key: Key, limit: usize) -> Result<Vec<LedgerLine>, Error> {
    let query = sqlx::query_as(LEDGER).bind(key.bot.0).bind(key.chat.0).bind(rows_at_most(limit));
    let rows: Vec<(i64, String, i64, String)> = query.fetch_all(pool).await?;
    let line = |(at, kind, amount, reference): (i64, String, i64, String)| {
        let kind = EntryKind::from_name(&kind).ok_or_else(|| corrupt("ledger", "kind", "it is none that is known"))?;
        Ok(LedgerLine { at: Timestamp::from_unix_millis(at), entry: Entry { kind, amount, reference } })
    };
    rows.into_iter().map(line).collect()
}

pub(super) const LEDGER_SUM: &str =
    "SELECT coalesce(sum(amount), 0)::bigint FROM ledger WHERE bot_id = $1 AND chat_id = $2";

async fn ledger_sum(pool: &PgPool, key: Key) -> Result<i64, Error> {
    Ok(sqlx::query_scalar(LEDGER_SUM).bind(key.bot.0).bind(key.chat.0).fetch_one(pool).await?)
}

pub(super) const PAYMENTS: &str = "
SELECT charge, product, payload, currency, amount, messages, premium_days, chat_id,
       round(extract(epoch FROM at) * 1000)::bigint AS at_millis,
       round(extract(epoch FROM refunded_at) * 1000)::bigint AS refunded_millis
FROM payments
WHERE bot_id = $1
ORDER BY at DESC, charge
LIMIT $2";

async fn payments(pool: &PgPool, bot: BotId, limit: usize) -> Result<Vec<RecordedPayment>, Error> {
    let rows = sqlx::query(PAYMENTS).bind(bot.0).bind(rows_at_most(limit)).fetch_all(pool).await?;
    rows.iter().map(recorded).collect()
}

/// The columns of [`PAYMENTS`].
pub(super) const PAYMENT: &str = "
SELECT charge, product, payload, currency, amount, messages, premium_days, chat_id,
       round(extract(epoch FROM at) * 1000)::bigint AS at_millis,
       round(extract(epoch FROM refunded_at) * 1000)::bigint AS refunded_millis
FROM payments
WHERE bot_id = $1 AND charge = $2";

async fn payment(pool: &PgPool, bot: BotId, charge: &str) -> Result<Option<RecordedPayment>, Error> {
    let row = sqlx::query(PAYMENT).bind(bot.0).bind(charge).fetch_optional(pool).await?;
    row.as_ref().map(recorded).transpose()
}

fn recorded(row: &PgRow) -> Result<RecordedPayment, Error> {
    let refunded_at: Option<i64> = row.try_get("refunded_millis")?;
    Ok(RecordedPayment {
        payment: Payment {
            charge: row.try_get("charge")?,
            product: row.try_get("product")?,
            payload: row.try_get("payload")?,
            currency: row.try_get("currency")?,
            amount: row.try_get("amount")?,
            messages: row.try_get("messages")?,
            premium_days: row.try_get("premium_days")?,
            refunded: refunded_at.is_some(),
        },
        chat: ChatId(row.try_get("chat_id")?),
        at: Timestamp::from_unix_millis(row.try_get("at_millis")?),
        refunded_at: refunded_at.map(Timestamp::from_unix_millis),
    })
}

pub(super) const PAY: &str = "
INSERT INTO payments (bot_id, charge, chat_id, product, payload, currency, amount, messages, premium_days, at,
                      refunded_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, to_timestamp($10::float8),
        CASE WHEN $11 THEN to_timestamp($10::float8) END)
ON CONFLICT DO NOTHING";

pub(super) const REFUND: &str = "
UPDATE payments SET refunded_at = to_timestamp($3::float8)
WHERE bot_id = $1 AND charge = $2 AND refunded_at IS NULL";

/// Writes the payment of a commit, and the refund. False: one of them is there already. What others are writing of the
/// same charge is waited for.
pub(super) async fn write_payment(connection: &mut PgConnection, commit: &Commit) -> Result<bool, Error> {
    let Commit { key, books, at, .. } = commit;
    if let Some(payment) = &books.payment {
        let pay = sqlx::query(PAY)
            .bind(key.bot.0)
            .bind(&payment.charge)
            .bind(key.chat.0)
            .bind(payment.product.as_deref())
            .bind(&payment.payload)
            .bind(&payment.currency)
            .bind(payment.amount)
            .bind(payment.messages)
            .bind(payment.premium_days)
            .bind(seconds(*at))
            .bind(payment.refunded);
        if pay.execute(&mut *connection).await?.rows_affected() == 0 {
            return Ok(false);
        }
    }
    if let Some(charge) = &books.refunded {
        let refund = sqlx::query(REFUND).bind(key.bot.0).bind(charge).bind(seconds(*at));
        if refund.execute(&mut *connection).await?.rows_affected() == 0 {
            return Ok(false);
        }
    }
    Ok(true)
}
