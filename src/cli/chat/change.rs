//! How a command changes a chat: load, change, commit, as an update does, against updates that come at the same moment.

use crate::cli::Failure;
use crate::clock;
use crate::flow::chat::{Chat, Version};
use crate::flow::decision::Change;
use crate::storage::{Commit, Key, Outcome, Storage};
use anyhow::anyhow;
use std::time::Duration;
use tokio::time::sleep;

/// How often a commit is tried.
const TRIES: u32 = 20;
/// How long to wait for a row that somebody holds.
const WAIT: Duration = Duration::from_millis(50);

/// Commits what `change` makes of the chat, which has version 0 if it is not known. Says how it is then; none: nothing was
/// to be changed.
pub(super) async fn commit(
    storage: &Storage,
    key: Key,
    what: &str,
    change: impl Fn(&Chat) -> Result<Option<Change>, Failure>,
) -> Result<Option<Chat>, Failure> {
    for _ in 0..TRIES {
        let stored = storage.load(&[key]).await?.pop().transpose()?.flatten().unwrap_or_default();
        let Some(change) = change(&stored.chat)? else { return Ok(None) };
        let commit = Commit::of(key, stored.chat.balance, change, stored.fence, None, clock::now());
        match storage.commit(&commit).await? {
            Outcome::Applied => return Ok(Some(commit.chat)),
            // No update, no duplicate: a store that says so has written nothing all the same.
            Outcome::Stale | Outcome::Duplicate { .. } => {}
            Outcome::Busy => sleep(WAIT).await,
        }
    }
    Err(anyhow!("{what} is being changed all the time: try again").into())
}

/// Whether the user ever came, or an operator before them.
pub(super) fn is_known(chat: &Chat) -> bool {
    chat.version != Version::default()
}
