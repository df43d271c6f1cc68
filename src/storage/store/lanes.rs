//! What workers do with a store: lease, hold, tell how far they are. Their jobs end by [`Storage::commit_and_end`].

use super::{Backend, Storage};
use crate::storage::{Error, JobId, Key, Lane, LeaseToken, LeasedJob, Redraw, Waiting};
use crate::telegram::id::BotId;
use std::time::Duration;

impl Storage {
    /// Leases up to `limit` due jobs of these lanes, the first of them first, each under a token of its own; of a chat's
    /// jobs in a lane only the first, and none that was leased `attempts_max` times.
    ///
    /// Bots take turns: in a lane the first job of each bot goes before the second of any, in the order of their ids,
    /// those behind `after` first. A caller gives there the bot of the last job that it leased.
    pub async fn lease_work(
        &self,
        lanes: &[Lane],
        limit: usize,
        lease: Duration,
        after: BotId,
        attempts_max: u32,
    ) -> Result<Vec<LeasedJob>, Error> {
        on!(&self.0, backend => backend.lease_work(lanes, limit, lease, after, attempts_max).await)
    }

    /// Leases up to `limit` jobs of workers' lanes whose lease ran out and that were leased `attempts_max` times already,
    /// so that the caller ends them. It does not count as an attempt.
    ///
    /// It looks at the oldest jobs of each bot in each lane alone. One that stands behind hundreds that are in work is
    /// found when those have ended.
    pub async fn exhausted(&self, limit: usize, lease: Duration, attempts_max: u32) -> Result<Vec<LeasedJob>, Error> {
        on!(&self.0, backend => backend.exhausted(limit, lease, attempts_max).await)
    }

    /// A job, as long as it is held under this token: nobody else has leased it since, even if the lease ran out.
    pub async fn held(&self, id: JobId, token: LeaseToken) -> Result<Option<LeasedJob>, Error> {
        on!(&self.0, backend => backend.held(id, token).await)
    }

    /// Writes what has been made of a job so far, and draws the chat's screen anew if that is `redraw`. False, and nothing
    /// is written, if the job is not held under this token any more.
    pub async fn progress(&self, id: JobId, token: LeaseToken, text: &str, redraw: Redraw) -> Result<bool, Error> {
        on!(&self.0, backend => backend.progress(id, token, text, redraw).await)
    }

    /// How a chat's job of that key stands in its lane; none if it is gone. Notes that the chat is told its place, see
    /// [`Self::tell_places`].
    pub async fn waiting(&self, key: Key, job: &str) -> Result<Option<Waiting>, Error> {
        on!(&self.0, backend => backend.waiting(key, job).await)
    }

    /// Draws the screens anew of chats whose job has another place in its lane than they were told last, and says how many
    /// those are, at most `limit` a lane. It looks at the first `first` jobs of each lane that wait, and as far down at
    /// those that a worker took.
    pub async fn tell_places(&self, lanes: &[Lane], first: usize, limit: usize) -> Result<u64, Error> {
        on!(&self.0, backend => backend.tell_places(lanes, first, limit).await)
    }

    /// Which of these lanes have a job that [`Self::lease_work`] would lease.
    pub async fn due(&self, lanes: &[Lane], attempts_max: u32) -> Result<Vec<Lane>, Error> {
        on!(&self.0, backend => backend.due(lanes, attempts_max).await)
    }
}
