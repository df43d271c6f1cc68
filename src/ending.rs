//! An event that ends a job which somebody holds: decided by the chat's dialogue, and committed together with the end of
//! the job. Never sends anything, and never ends a job whose lease is gone.

use crate::clock;
use crate::flow::Dialogue;
use crate::flow::content::Content;
use crate::flow::event::{Event, Happened};
use crate::flow::order::Order;
use crate::storage::{Commit, Error, Lane, LeasedJob, Outcome, Reach, Storage, Work};
use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use tracing::error;

/// How often it is decided anew because the chat changed meanwhile.
const DECISIONS_MAX: usize = 5;

/// What became of the event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The chat was changed, and the job has ended with that.
    Applied,
    /// The chat is to stay as it is: if the job is still held, it is settled like any other.
    Unchanged,
    /// The job is no longer held: nothing was written.
    Lost,
    /// The chat changed under each decision: the job is still held, and nothing is known yet.
    Contended,
    /// The dialogue panicked: the chat is as it was, and the job is still held.
    Panicked,
}

/// Lets `dialogue` decide what the event changes that ends `job`. The job must be held.
///
/// # Errors
/// If the store does not answer, or the chat's row cannot be read.
pub async fn end(
    storage: &Storage,
    dialogue: &dyn Dialogue,
    job: &LeasedJob,
    happened: Happened<'_>,
    reach: Reach,
) -> Result<Ended, Error> {
    let event = Event { chat: job.key.chat, language: None, happened };
    for _ in 0..DECISIONS_MAX {
        let Some(stored) = storage.load(&[job.key]).await?.pop().transpose()?.flatten() else {
            return Ok(Ended::Unchanged);
        };
        let at = clock::now();
        let Ok(change) = catch_unwind(AssertUnwindSafe(|| dialogue.decide(&stored.chat, &event, at).change)) else {
            error!(bot.id = job.key.bot.0, "a dialogue panicked at the end of a job: its chat stays as it is");
            return Ok(Ended::Panicked);
        };
        let Some(change) = change else { return Ok(Ended::Unchanged) };
        let commit = Commit::of(job.key, stored.chat.balance, change, stored.fence, None, at);
        match storage.commit_and_end(&commit, job.ends(reach)).await? {
            Outcome::Applied => return Ok(Ended::Applied),
            Outcome::Duplicate { .. } => return Ok(Ended::Lost),
            Outcome::Stale | Outcome::Busy => {}
        }
    }
    Ok(Ended::Contended)
}

/// What it means that `job` will not be done: the screen will not be seen, the content neither, the order is failed.
///
/// # Errors
/// If the store does not answer, or the chat's row cannot be read.
pub async fn undone(storage: &Storage, job: &LeasedJob) -> Result<Option<Happened<'static>>, Error> {
    Ok(match &job.work {
        Work::Screen(_) => {
            let chat = storage.load(&[job.key]).await?.pop().transpose()?.flatten();
            chat.and_then(|stored| stored.chat.desired).map(|desired| Happened::Refused { revision: desired.revision })
        }
        Work::Task(payload) if job.lane == Lane::Outbound => {
            let content = serde_json::from_str::<Content>(payload).ok();
            content.and_then(|content| content.reservation).map(Happened::Undelivered)
        }
        Work::Task(payload) => {
            let order = serde_json::from_str::<Order>(payload).ok();
            order.map(|order| Happened::Failed { key: Cow::Owned(job.name.clone()), order: Cow::Owned(order) })
        }
    })
}
