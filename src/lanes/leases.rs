//! Taking jobs: the priority lane first, with a floor for the other; bots in turn; and waiting for a job where there is
//! none.

use super::floor::priority;
use super::{Error, Given, Lanes, Shared, Taken};
use crate::clock;
use crate::flow::definition::MEMORY_MAX;
use crate::storage::{End, JobId, Lane, LeaseToken, LeasedJob, Settlement, Work};
use crate::telegram::id::BotId;
use crate::telemetry::metrics;
use std::future::Future;
use std::pin::pin;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};
use tracing::warn;

const LANES: usize = Lane::ALL.len();

/// Who waits for jobs in this process, and whose bot had the last one.
#[derive(Debug, Default)]
pub(super) struct Waits {
    waiting: [AtomicUsize; LANES],
    /// Rung when somebody begins to wait.
    pub(super) begun: Notify,
    last: [AtomicI64; LANES],
}

/// Counted among those who wait, as long as it lives.
struct Waiting<'a> {
    waits: &'a Waits,
    lanes: &'a [Lane],
}

impl Waits {
    fn begin<'a>(&'a self, lanes: &'a [Lane]) -> Waiting<'a> {
        for lane in lanes {
            self.waiting[*lane as usize].fetch_add(1, Ordering::Relaxed);
        }
        self.begun.notify_one();
        Waiting { waits: self, lanes }
    }

    /// The lanes in which somebody waits for a job.
    pub(super) fn lanes(&self) -> Vec<Lane> {
        Lane::OF_WORKERS.into_iter().filter(|lane| self.waiting[*lane as usize].load(Ordering::Relaxed) > 0).collect()
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        for lane in self.lanes {
            self.waits.waiting[*lane as usize].fetch_sub(1, Ordering::Relaxed);
        }
    }
}

impl Lanes {
    /// Takes at most `limit` jobs of `lane` for a worker. Where there is none it waits until there is one: no longer than
    /// `wait`, and no longer than until `stopping` ends.
    ///
    /// # Errors
    /// If the store does not answer.
    pub async fn lease(
        &self,
        lane: Lane,
        limit: usize,
        wait: Duration,
        stopping: impl Future<Output = ()>,
    ) -> Result<Vec<Given>, Error> {
        let shared = &*self.0;
        let pair = [Some(lane), priority(lane)];
        let lanes: Vec<Lane> = pair.into_iter().flatten().collect();
        let (end, mut stopping) = (Instant::now() + wait, pin!(stopping));
        let waiting = (!wait.is_zero()).then(|| shared.waits.begin(&lanes));
        loop {
            let bells = lanes.iter().map(|lane| Box::pin(shared.bells.of(*lane).notified()));
            let mut bells: Vec<_> = bells.collect();
            // Registered before looking: a job that is queued from here on is not missed.
            bells.iter_mut().for_each(|bell| {
                bell.as_mut().enable();
            });
            let jobs = shared.take(lane, limit).await?;
            if !jobs.is_empty() {
                drop(waiting);
                // Where there was one there may be more, and others wait.
                for lane in shared.waits.lanes().into_iter().filter(|lane| lanes.contains(lane)) {
                    shared.bells.ring(lane);
                }
                return shared.give(jobs).await;
            }
            tokio::select! {
                _ = futures::future::select_all(bells) => {}
                () = sleep_until(end) => return Ok(Vec::new()),
                () = &mut stopping => return Ok(Vec::new()),
            }
        }
    }

    /// The job that is held under this token.
    ///
    /// # Errors
    /// If it is not held any more, or cannot be read.
    pub async fn held(&self, id: JobId, token: LeaseToken) -> Result<Taken, Error> {
        let job = self.0.storage.held(id, token).await?.ok_or(Error::Lost)?;
        self.0.taken(job)
    }

    /// Holds a job for as long again.
    ///
    /// # Errors
    /// If it is not held any more, or the store does not answer.
    pub async fn hold(&self, job: &LeasedJob) -> Result<(), Error> {
        match self.0.storage.renew(&[(job.id, job.token)], self.0.settings.lease).await?.as_slice() {
            [true] => Ok(()),
            _ => Err(Error::Lost),
        }
    }
}

impl Shared {
    /// Leases what is due, as the turns say.
    async fn take(&self, lane: Lane, limit: usize) -> Result<Vec<LeasedJob>, Error> {
        let Some(priority) = priority(lane) else { return self.take_of(lane, limit).await };
        let ordinary = self.floor.take(lane, limit);
        let mut jobs = Vec::new();
        for (lane, up_to) in [(lane, ordinary), (priority, limit), (lane, limit)] {
            if jobs.len() < up_to {
                jobs.extend(self.take_of(lane, up_to - jobs.len()).await?);
            }
        }
        Ok(jobs)
    }

    async fn take_of(&self, lane: Lane, limit: usize) -> Result<Vec<LeasedJob>, Error> {
        let config = &self.settings;
        let last = &self.waits.last[lane as usize];
        let after = BotId(last.load(Ordering::Relaxed));
        let jobs = self.storage.lease_work(&[lane], limit, config.lease, after, config.attempts_max).await?;
        if let Some(job) = jobs.last() {
            last.store(job.key.bot.0, Ordering::Relaxed);
        }
        Ok(jobs)
    }

    /// What a worker is given of `jobs`. One that this version cannot read waits for a newer one.
    async fn give(&self, jobs: Vec<LeasedJob>) -> Result<Vec<Given>, Error> {
        let mut given = Vec::with_capacity(jobs.len());
        for job in jobs {
            let lane = job.lane;
            let (key, attempts, queued_at) = (job.key, job.attempts, job.queued_at);
            let settlement = Settlement::of(&job, End::Again { after: self.settings.lease, hold: false });
            let Ok(taken) = self.taken(job) else {
                self.storage.settle(&settlement).await?;
                continue;
            };
            if attempts == 1 {
                metrics::lane_wait(lane, clock::now().since(queued_at));
            }
            let dialog = self.storage.turns(key, MEMORY_MAX as usize).await?;
            given.push(Given { taken, dialog });
        }
        Ok(given)
    }

    pub(super) fn taken(&self, job: LeasedJob) -> Result<Taken, Error> {
        let (id, bot) = (job.id.0, job.key.bot);
        let order = match &job.work {
            Work::Task(payload) => serde_json::from_str(payload).ok(),
            Work::Screen(_) => None,
        };
        let Some(order) = order else {
            // A newer version's, in the middle of a rolling restart: one of those will take it.
            warn!(job.id = id, lane = %job.lane, "job {id} has a payload that this version does not know, it waits");
            return Err(Error::Lost);
        };
        // A bot that was added a moment ago is known within a second.
        let bot = self.roster.get(bot).ok_or_else(|| Error::NoFlow(bot.to_string()))?;
        Ok(Taken { job, order, bot })
    }
}
