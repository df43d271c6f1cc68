//! What will never be seen, as an event: what is desired goes back to what is shown, in the commit that ends the job.

use crate::clock;
use crate::flow::Dialogue;
use crate::flow::chat::Revision;
use crate::flow::event::{Event, Happened};
use crate::storage::{Commit, Error, LeasedJob, Outcome, Reach, Storage};
use std::panic::{AssertUnwindSafe, catch_unwind};
use tracing::error;

/// How often it is decided anew because the chat changed meanwhile.
const DECISIONS_MAX: usize = 5;

/// What became of a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The chat was taken back, and the job has ended with that.
    Reverted,
    /// The chat is to stay as it is: the job is still held, and is settled like any other.
    Unchanged,
    /// The chat changed under each decision: the job is still held, and nothing is known yet.
    Contended,
}

/// Lets `dialogue` decide that `revision` will not be seen. The job must be held.
///
/// # Errors
/// If the store does not answer, or the chat's row cannot be read.
pub async fn refuse(
    storage: &Storage,
    dialogue: &dyn Dialogue,
    job: &LeasedJob,
    revision: Revision,
    reach: Reach,
) -> Result<Refusal, Error> {
    for _ in 0..DECISIONS_MAX {
        let Some(stored) = storage.load(&[job.key]).await?.pop().transpose()?.flatten() else {
            return Ok(Refusal::Unchanged);
        };
        let event = Event { chat: job.key.chat, language: None, happened: Happened::Refused { revision } };
        let at = clock::now();
        let decided = catch_unwind(AssertUnwindSafe(|| dialogue.decide(&stored.chat, &event, at).change));
        let change = decided.unwrap_or_else(|_| {
            error!(bot.id = job.key.bot.0, "a dialogue panicked at a refusal: its chat stays as it is");
            None
        });
        let Some(change) = change else { return Ok(Refusal::Unchanged) };
        let commit = Commit::of(job.key, stored.chat.balance, change, stored.fence, None, at);
        match storage.commit_and_end(&commit, job.refused(reach)).await? {
            Outcome::Applied => return Ok(Refusal::Reverted),
            // The job was replaced or is in other hands: those judge what is newer.
            Outcome::Duplicate { .. } => return Ok(Refusal::Unchanged),
            Outcome::Stale | Outcome::Busy => {}
        }
    }
    Ok(Refusal::Contended)
}
