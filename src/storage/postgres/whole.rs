//! Commits that are transactions of their own and take no part in batches: one that ends a leased job, and one of a
//! payment. Only the write itself says whether a job is still held or a charge is new, and all else goes back if not.

use super::super::{Commit, Ends, Error, Outcome, Reach};
use super::{books, chats};
use crate::telegram::answer::Answer;
use sqlx::Connection;
use sqlx::postgres::PgConnection;

/// Whether a commit cannot be part of a batch.
pub(super) fn is_needed(commit: &Commit) -> bool {
    commit.books.payment.is_some() || commit.books.refunded.is_some()
}

/// The chat is locked before its job, as everywhere. Before a payment it need not be: the write that follows passes
/// over a chat that somebody holds, and the payment goes back.
pub(super) const LOCK: &str = "SELECT 1 FROM chats WHERE bot_id = $1 AND chat_id = $2 FOR NO KEY UPDATE";

pub(super) const END: &str = "DELETE FROM jobs WHERE id = $1 AND bot_id = $2 AND lease_token = $3 AND serial = $4";

pub(super) const MARK: &str = "UPDATE chats SET unreachable_revision = $3 WHERE bot_id = $1 AND chat_id = $2";

/// A commit, with the job that ends with it if there is one. What is not written as a whole is not written at all.
pub(super) async fn commit(
    connection: &mut PgConnection,
    commit: &Commit,
    ends: Option<Ends>,
) -> Result<Outcome, Error> {
    let mut transaction = connection.begin().await?;
    let outcome = match write(&mut transaction, commit, ends).await {
        // Somebody held the chat, or was writing the same payment, for longer than the connection waits.
        Err(error) if error.is_lock_timeout() => Outcome::Busy,
        outcome => outcome?,
    };
    match outcome {
        Outcome::Applied => transaction.commit().await?,
        _ => transaction.rollback().await?,
    }
    Ok(outcome)
}

async fn write(connection: &mut PgConnection, commit: &Commit, ends: Option<Ends>) -> Result<Outcome, Error> {
    let (bot, chat) = (commit.key.bot.0, commit.key.chat.0);
    if let Some(ends) = ends {
        sqlx::query(LOCK).bind(bot).bind(chat).execute(&mut *connection).await?;
        let end = sqlx::query(END).bind(ends.id.0).bind(bot).bind(ends.token.0).bind(ends.serial.0);
        // The job goes first, since what is queued may have its key.
        if end.execute(&mut *connection).await?.rows_affected() == 0 {
            return Ok(Outcome::Duplicate { answer: Answer::EMPTY });
        }
    }
    let is_new = books::write_payment(connection, commit).await?;
    let mut outcomes = chats::write(connection, &[commit]).await?;
    let outcome = match outcomes.pop().ok_or_else(|| Error::unavailable("the server gave no outcome"))? {
        // An update that was applied before gets the answer of then, whatever is known of its payment.
        Outcome::Applied | Outcome::Stale if !is_new => Outcome::Duplicate { answer: Answer::EMPTY },
        outcome => outcome,
    };
    match ends {
        Some(Ends { serial, reach: Reach::Unreachable, .. }) if outcome == Outcome::Applied => {
            sqlx::query(MARK).bind(bot).bind(chat).bind(serial.0).execute(connection).await?;
        }
        _ => {}
    }
    Ok(outcome)
}
