//! The end of a job, as an event of its chat: finished or failed. Also how far it is before that.

use super::{Error, Lanes, Taken};
use crate::clock;
use crate::ending::{self, Ended};
use crate::flow::Dialogue;
use crate::flow::event::Happened;
use crate::flow::output::Output;
use crate::storage::{End, Lane, Reach, Redraw, Settled, Settlement};
use crate::telegram::text::shorten;
use crate::telemetry::metrics;
use crate::worker::PROGRESS_MAX_CHARS;
use std::borrow::Cow;
use std::time::Duration;
use tracing::warn;

/// How long a job waits after its first attempt failed; after each further one twice as long.
const RETRY_PAUSE: Duration = Duration::from_secs(2);
/// Longest such wait.
const RETRY_PAUSE_MAX: Duration = Duration::from_secs(60);

/// What became of a job that a worker gave up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GivenUp {
    /// It waits for another attempt.
    Retried,
    /// It has ended.
    Failed,
}

impl Lanes {
    /// Ends a job with what was made of it.
    ///
    /// # Errors
    /// If it is not held any more, or cannot end now.
    pub async fn finish(&self, taken: &Taken, output: &Output) -> Result<(), Error> {
        let dialogue = self.0.dialogue(&taken.bot)?;
        let finished = Happened::Finished {
            key: Cow::Borrowed(&taken.job.name),
            order: Cow::Borrowed(&taken.order),
            output: Cow::Borrowed(output),
        };
        match self.end(taken, &*dialogue, finished).await? {
            true => Ok(()),
            // Its result cannot be shown, so the user gets back what it cost.
            false => self.fail(taken, &*dialogue).await,
        }
    }

    /// Ends a job that nobody will do: its chat is told so.
    ///
    /// # Errors
    /// If it is not held any more, or cannot end now.
    pub async fn give_up(&self, taken: &Taken) -> Result<(), Error> {
        self.fail(taken, &*self.0.dialogue(&taken.bot)?).await
    }

    /// Lets another worker try it later, or ends it, if this was the last attempt.
    ///
    /// # Errors
    /// If it is not held any more, or cannot end now.
    pub async fn retry(&self, taken: &Taken) -> Result<GivenUp, Error> {
        let attempts = taken.job.attempts;
        if attempts >= self.0.settings.attempts_max {
            return self.give_up(taken).await.map(|()| GivenUp::Failed);
        }
        let pause = RETRY_PAUSE.saturating_mul(1 << attempts.saturating_sub(1).min(16)).min(RETRY_PAUSE_MAX);
        self.settle(taken, End::Again { after: pause, hold: false }).await.map(|()| GivenUp::Retried)
    }

    /// Writes what there is of a job so far. Its chat's screen is drawn anew if it is the one where the user waits for it.
    ///
    /// # Errors
    /// If it is not held any more, or the store does not answer.
    pub async fn report(&self, taken: &Taken, text: &str) -> Result<(), Error> {
        let job = &taken.job;
        let stored = self.0.storage.load(&[job.key]).await?.pop().transpose()?.flatten();
        let chat = stored.map(|stored| stored.chat).unwrap_or_default();
        let waits = chat.busy.as_ref().zip(chat.desired.as_ref()).is_some_and(|(busy, desired)| {
            busy.id == job.name && busy.screen == desired.view.top.screen && !chat.blocked && !chat.banned
        });
        let redraw = if waits { Redraw::Due } else { Redraw::NotYet };
        let text = shorten(text, PROGRESS_MAX_CHARS);
        if !self.0.storage.progress(job.id, job.token, &text, redraw).await? {
            return Err(Error::Lost);
        }
        if waits {
            self.0.bells.ring(Lane::Outbound);
        }
        Ok(())
    }

    async fn fail(&self, taken: &Taken, dialogue: &dyn Dialogue) -> Result<(), Error> {
        let failed = Happened::Failed { key: Cow::Borrowed(&taken.job.name), order: Cow::Borrowed(&taken.order) };
        match self.end(taken, dialogue, failed).await? {
            true => Ok(()),
            // It is looked at again when its lease has run out.
            false => {
                warn!(job.id = taken.job.id.0, "a job stays until its bot's dialogue can take its end");
                Ok(())
            }
        }
    }

    /// Whether it has ended; false where the dialogue panicked, and it is still held.
    async fn end(&self, taken: &Taken, dialogue: &dyn Dialogue, happened: Happened<'_>) -> Result<bool, Error> {
        let job = &taken.job;
        match ending::end(&self.0.storage, dialogue, job, happened, Reach::Reachable).await? {
            Ended::Applied => self.0.bells.ring(Lane::Outbound),
            // Nobody waits for it.
            Ended::Unchanged => self.settle(taken, End::Done { shown: None }).await?,
            Ended::Panicked => return Ok(false),
            Ended::Lost => return Err(Error::Lost),
            Ended::Contended => return Err(Error::Contended),
        }
        metrics::lane_duration(job.lane, clock::now().since(job.queued_at));
        Ok(true)
    }

    async fn settle(&self, taken: &Taken, end: End) -> Result<(), Error> {
        match self.0.storage.settle(&Settlement::of(&taken.job, end)).await? {
            Settled::Ended | Settled::Renewed => Ok(()),
            Settled::Lost => Err(Error::Lost),
            Settled::Busy => Err(Error::Contended),
        }
    }
}
