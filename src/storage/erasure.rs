//! Pure: no I/O, no clock. What is lost when a user is forgotten or a bot removed, as a person is told it.

use serde::Serialize;

/// What is kept for a bot beside its own row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Holdings {
    /// Chats.
    pub chats: u64,
    /// Jobs, leased ones included.
    pub jobs: u64,
    /// Updates that failed, whether they were given up or come again.
    pub failures: u64,
    /// Lines of its chats' ledgers.
    pub ledger: u64,
    /// Turns of what was said in its chats.
    pub turns: u64,
    /// Payments.
    pub payments: u64,
    /// Files that workers uploaded and that are not sent yet.
    pub files: u64,
}

/// What was kept of a user, and is no more. Their payments still are: they are the bot's bookkeeping, and a refund must find
/// them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Forgotten {
    /// Chats: one, or none where the user never came.
    pub chats: u64,
    /// Jobs of the chat.
    pub jobs: u64,
    /// Updates that had failed.
    pub failures: u64,
    /// Lines of the chat's ledger.
    pub ledger: u64,
    /// Turns of what was said.
    pub turns: u64,
}
