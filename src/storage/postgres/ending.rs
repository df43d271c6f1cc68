//! The commit that ends a leased job: chat, jobs and the end of the job, together or not at all. It is rare, so it is a
//! transaction of its own and takes no part in batches.

use super::super::{Commit, Ends, Error, Outcome, Reach};
use super::chats;
use crate::telegram::answer::Answer;
use sqlx::postgres::PgPool;

/// The chat is locked before its job, as everywhere.
pub(super) const LOCK: &str = "SELECT 1 FROM chats WHERE bot_id = $1 AND chat_id = $2 FOR NO KEY UPDATE";

pub(super) const END: &str = "DELETE FROM jobs WHERE id = $1 AND bot_id = $2 AND lease_token = $3 AND serial = $4";

pub(super) const MARK: &str = "UPDATE chats SET unreachable_revision = $3 WHERE bot_id = $1 AND chat_id = $2";

pub(super) async fn commit(pool: &PgPool, commit: &Commit, ends: Ends) -> Result<Outcome, Error> {
    let (bot, chat) = (commit.key.bot.0, commit.key.chat.0);
    let mut transaction = pool.begin().await?;
    sqlx::query(LOCK).bind(bot).bind(chat).execute(&mut *transaction).await?;
    let end = sqlx::query(END).bind(ends.id.0).bind(bot).bind(ends.token.0).bind(ends.serial.0);
    // The job goes first, since what is queued may have its key.
    if end.execute(&mut *transaction).await?.rows_affected() == 0 {
        transaction.rollback().await?;
        return Ok(Outcome::Duplicate { answer: Answer::EMPTY });
    }
    let outcome = chats::commit(&mut transaction, std::slice::from_ref(commit)).await?.pop();
    let outcome = outcome.ok_or_else(|| Error::unavailable("the server gave no outcome"))?;
    if outcome != Outcome::Applied {
        transaction.rollback().await?;
        return Ok(outcome);
    }
    if ends.reach == Reach::Unreachable {
        sqlx::query(MARK).bind(bot).bind(chat).bind(ends.serial.0).execute(&mut *transaction).await?;
    }
    transaction.commit().await?;
    Ok(Outcome::Applied)
}
