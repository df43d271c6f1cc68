//! What commits have written beside their chats, read again; and the files of workers.

use super::{Backend, Storage};
use crate::clock::Timestamp;
use crate::flow::books::Turn;
use crate::storage::{Error, Key, LedgerLine, RecordedPayment};
use crate::telegram::id::BotId;

impl Storage {
    /// The last `limit` turns of a chat, the oldest first.
    pub async fn turns(&self, key: Key, limit: usize) -> Result<Vec<Turn>, Error> {
        on!(&self.0, backend => backend.turns(key, limit).await)
    }

    /// The last `limit` lines of a chat's ledger, the newest first.
    pub async fn ledger(&self, key: Key, limit: usize) -> Result<Vec<LedgerLine>, Error> {
        on!(&self.0, backend => backend.ledger(key, limit).await)
    }

    /// The sum of a chat's ledger, which is its balance.
    pub async fn ledger_sum(&self, key: Key) -> Result<i64, Error> {
        on!(&self.0, backend => backend.ledger_sum(key).await)
    }

    /// The last `limit` payments to a bot, the newest first.
    pub async fn payments(&self, bot: BotId, limit: usize) -> Result<Vec<RecordedPayment>, Error> {
        on!(&self.0, backend => backend.payments(bot, limit).await)
    }

    /// The payment of that charge.
    pub async fn payment(&self, bot: BotId, charge: &str) -> Result<Option<RecordedPayment>, Error> {
        on!(&self.0, backend => backend.payment(bot, charge).await)
    }

    /// Keeps a file until it is dropped or swept. One of that id is replaced.
    pub async fn keep_file(&self, bot: BotId, id: &str, content: &[u8], at: Timestamp) -> Result<(), Error> {
        on!(&self.0, backend => backend.keep_file(bot, id, content, at).await)
    }

    /// What is in a file.
    pub async fn file(&self, bot: BotId, id: &str) -> Result<Option<Vec<u8>>, Error> {
        on!(&self.0, backend => backend.file(bot, id).await)
    }

    /// Whether there is a file.
    pub async fn has_file(&self, bot: BotId, id: &str) -> Result<bool, Error> {
        on!(&self.0, backend => backend.has_file(bot, id).await)
    }

    /// Removes a file; false if it is gone.
    pub async fn drop_file(&self, bot: BotId, id: &str) -> Result<bool, Error> {
        on!(&self.0, backend => backend.drop_file(bot, id).await)
    }

    /// Removes at most `limit` files that were kept before `before`, and says how many those were.
    pub async fn sweep_files(&self, before: Timestamp, limit: usize) -> Result<u64, Error> {
        on!(&self.0, backend => backend.sweep_files(before, limit).await)
    }
}
