//! Pure: no I/O, no clock. What commits have written beside their chats, as it is read again.

use crate::clock::Timestamp;
use crate::flow::books::{Entry, Payment};
use crate::telegram::id::ChatId;

/// A line of a chat's ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerLine {
    /// When.
    pub at: Timestamp,
    /// By how much the balance changed, and why.
    pub entry: Entry,
}

/// A payment as it is recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedPayment {
    /// What was paid for what; `refunded` says whether it was refunded by now.
    pub payment: Payment,
    /// By whom.
    pub chat: ChatId,
    /// When it was recorded.
    pub at: Timestamp,
    /// Since when the Stars are known to have gone back.
    pub refunded_at: Option<Timestamp>,
}
