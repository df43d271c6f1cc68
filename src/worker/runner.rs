//! What all workers do: take jobs, hold them while they are done, say what became of them, and stop without losing any.

use super::call::{JOBS_MAX, Lease};
use super::client::{Client, Error};
use super::{Again, Completion, Failure, Job, Progress, Worker};
use crate::secret::Secret;
use crate::shutdown::Tasks;
use crate::telemetry::rarely::Rarely;
use futures::FutureExt;
use futures::future::try_join_all;
use std::convert::Infallible;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, sleep};
use tracing::{debug, error, info, warn};
use url::Url;

/// How long one lease waits for a job. The server holds a call for up to a minute; a proxy may cut longer silences.
const WAIT_SECONDS: u64 = 30;
/// The first wait after the server was not there; each further one is twice as long.
const PAUSE_MIN: Duration = Duration::from_millis(250);
/// The longest.
const PAUSE_MAX: Duration = Duration::from_secs(10);
/// How long jobs have to end when the worker is told to stop, before they are given back.
const GRACE: Duration = Duration::from_secs(20);
/// How often it is logged that the server is not there.
const LOG_PERIOD: Duration = Duration::from_secs(60);

/// Runs a [`Worker`] on the jobs of some lanes.
///
/// ```no_run
/// # use tapgate::{Worker, secret::Secret, worker::Runner};
/// # async fn run(worker: impl Worker) -> Result<(), Box<dyn std::error::Error>> {
/// let server = "http://127.0.0.1:9180".parse()?;
/// let runner = Runner::new(&server, Secret::new("the token"))?.lanes(["text"]).at_once(8);
/// runner.run(worker, async { tokio::signal::ctrl_c().await.unwrap_or_default() }).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Runner {
    client: Client,
    lanes: Vec<String>,
    at_once: usize,
    name: String,
    grace: Duration,
}

impl Runner {
    /// One for the server whose ops listener is at `server`, which knows the worker by `token`. It does one job of `text`
    /// at a time.
    ///
    /// # Errors
    /// If the machine has no CA certificates.
    pub fn new(server: &Url, token: Secret) -> Result<Self, reqwest::Error> {
        let client = Client::new(server, token)?;
        Ok(Self { client, lanes: vec!["text".to_owned()], at_once: 1, name: String::new(), grace: GRACE })
    }

    /// The same for these lanes, each by itself: a lane that is empty keeps no other waiting.
    #[must_use]
    pub fn lanes(self, lanes: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { lanes: lanes.into_iter().map(Into::into).collect(), ..self }
    }

    /// The same with so many jobs at once in each lane.
    #[must_use]
    pub fn at_once(self, jobs: usize) -> Self {
        Self { at_once: jobs.max(1), ..self }
    }

    /// The same under this name, for the server's log.
    #[must_use]
    pub fn named(self, name: impl Into<String>) -> Self {
        Self { name: name.into(), ..self }
    }

    /// The same with so much time for its jobs to end when it is told to stop; what has not ended then is given back.
    #[must_use]
    pub fn grace(self, grace: Duration) -> Self {
        Self { grace, ..self }
    }

    /// Runs until `stopping` ends, and then until its jobs have: it takes no more of them, and gives back what takes
    /// too long. A server that is not there is waited for.
    ///
    /// # Errors
    /// If the server refuses the token or a lane: a person has to look.
    pub async fn run(self, worker: impl Worker, stopping: impl Future<Output = ()>) -> Result<(), Error> {
        let jobs = Tasks::new("the jobs of a worker");
        let (runner, worker) = (Arc::new(self), Arc::new(worker));
        let lanes = runner.lanes.iter().map(|lane| Arc::clone(&runner).empty(lane, &worker, &jobs));
        let refused = tokio::select! {
            refused = try_join_all(lanes) => refused.map(drop),
            () = stopping => Ok(()),
        };
        jobs.stop().await;
        refused
    }

    /// The same as a task of `tasks`, until they are told to stop.
    pub fn start(self, worker: impl Worker, tasks: &Tasks) {
        let group = tasks.clone();
        tasks.spawn(async move {
            if let Err(error) = self.run(worker, group.stopping()).await {
                error!(error = &error as &dyn std::error::Error, "a worker has ended");
            }
        });
    }

    /// Takes the jobs of a lane, and waits for more.
    async fn empty<W: Worker>(self: Arc<Self>, lane: &str, worker: &Arc<W>, jobs: &Tasks) -> Result<Infallible, Error> {
        let places = Arc::new(Semaphore::new(self.at_once));
        let (outages, mut pause) = (Rarely::every(LOG_PERIOD), PAUSE_MIN);
        loop {
            let mut free = free(&places).await;
            let lease = Lease { worker: self.name.clone(), max: free.num_permits(), wait_seconds: WAIT_SECONDS };
            match self.client.lease(lane, &lease).await {
                Ok(leased) => {
                    pause = PAUSE_MIN;
                    for job in leased {
                        let place = free.split(1);
                        let (runner, worker, group) = (Arc::clone(&self), Arc::clone(worker), jobs.clone());
                        jobs.spawn(async move {
                            runner.work(&*worker, job, &group).await;
                            drop(place);
                        });
                    }
                }
                Err(ref error @ Error::Unavailable { retry_after, .. }) => {
                    if outages.due().is_some() {
                        warn!(lane, error = error as &dyn std::error::Error, "no jobs can be asked for, trying again");
                    }
                    drop(free);
                    sleep(retry_after.unwrap_or(pause)).await;
                    pause = PAUSE_MAX.min(pause * 2);
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// One job from its lease to its end.
    async fn work(&self, worker: &impl Worker, job: Job, tasks: &Tasks) {
        let progress = Progress::of(self.client.clone(), job.clone());
        let work = AssertUnwindSafe(worker.work(job.clone(), progress.clone())).catch_unwind();
        let made = tokio::select! {
            made = work => made.unwrap_or_else(|_| Err(Failure::retry("the worker panicked"))),
            never = progress.keep_telling() => match never {},
            () = self.keep_holding(&job) => {
                info!(job.id, "job {} is lost: somebody else has it, or nobody waits for it any more", job.id);
                return;
            }
            () = self.out_of_time(tasks) => Err(Failure::retry("the worker stops")),
        };
        self.give_back(&job, made).await;
    }

    /// Ends when the worker was told to stop and its jobs have had their time.
    async fn out_of_time(&self, tasks: &Tasks) {
        tasks.stopping().await;
        sleep(self.grace).await;
    }

    /// Ends when the job is lost.
    async fn keep_holding(&self, job: &Job) {
        loop {
            sleep(Duration::from_secs(job.lease_seconds) / 3).await;
            match self.client.heartbeat(job).await {
                Ok(()) => {}
                Err(Error::Lost) => return,
                Err(error) => {
                    warn!(job.id, error = &error as &dyn std::error::Error, "job {} could not be held on to", job.id);
                }
            }
        }
    }

    /// Says what became of a job, as often as it takes while the job may still be held.
    async fn give_back(&self, job: &Job, made: Result<Completion, Failure>) {
        let end = Instant::now() + Duration::from_secs(job.lease_seconds);
        let mut made = made.map(|completion| Completion { lease: job.lease.clone(), ..completion });
        let mut pause = PAUSE_MIN;
        loop {
            let told = match &made {
                Ok(completion) => self.client.complete(job, completion).await,
                Err(Failure { reason, again }) => self.client.fail(job, reason, *again == Again::Retry).await,
            };
            match told {
                Ok(()) => return debug!(job.id, "job {} has ended", job.id),
                // Where an answer was lost, it has ended the first time.
                Err(Error::Lost) => return info!(job.id, "job {} had ended already, or was lost", job.id),
                Err(Error::Unavailable { retry_after, .. }) if Instant::now() < end => {
                    sleep(retry_after.unwrap_or(pause)).await;
                    pause = PAUSE_MAX.min(pause * 2);
                }
                Err(Error::Refused(detail)) if made.is_ok() => {
                    error!(job.id, "what was made of job {} is refused: {detail}", job.id);
                    made = Err(Failure::for_good("what was made is refused"));
                }
                Err(error) => {
                    return warn!(
                        job.id,
                        error = &error as &dyn std::error::Error,
                        "what became of job {} could not be said: it comes again",
                        job.id
                    );
                }
            }
        }
    }
}

/// Waits until a job can be done, and takes all the places that are free.
async fn free(places: &Arc<Semaphore>) -> OwnedSemaphorePermit {
    let free = places.available_permits().clamp(1, JOBS_MAX);
    let free = u32::try_from(free).unwrap_or(1);
    Arc::clone(places).acquire_many_owned(free).await.expect("the semaphore is never closed")
}
