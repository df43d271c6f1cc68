//! The sender: the loop that empties `outbound` into the Bot API. Lease, send, settle are three commits, and no
//! transaction is open while the network is waited for. Never writes a column of the handler.

mod content;
mod holds;
mod message;
mod photo;
mod screen;
mod verdict;

use crate::bot_api;
use crate::config;
use crate::ending::{self, Ended};
use crate::flow::chat::{Revision, Shown};
use crate::flow::content::{Content, Reservation};
use crate::flow::event::Happened;
use crate::library::Library;
use crate::roster::{Known, Roster};
use crate::shutdown::Tasks;
use crate::storage::{Allowed, End, LeasedJob, Reach, Settled, Settlement, Settler, Storage, Stored, Work};
use crate::telegram::id::MessageId;
use crate::telemetry::metrics;
use holds::Holds;
use std::convert::Infallible;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, sleep};
use tracing::{debug, error, info, warn};
use verdict::Verdict;

/// How long to wait after the store did not answer.
const STORE_PAUSE: Duration = Duration::from_secs(1);

/// How long a job waits until somebody has mended its chat's row, which does not decode, or its dialogue, which panics.
const UNREADABLE_PAUSE: Duration = Duration::from_secs(60);

/// How long a job waits while another one finds out whether the bot's token is taken again.
const PROBE_PAUSE: Duration = Duration::from_secs(1);

type LoadedChat = Result<Option<Stored>, crate::storage::Error>;

/// What a sender works with.
#[derive(Clone, Debug)]
pub struct Sender(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    storage: Storage,
    settler: Settler,
    roster: Roster,
    library: Arc<Library>,
    client: bot_api::Client,
    uploads: photo::Uploads,
    /// Rung by this process's commits; jobs of other processes are found by looking.
    queued: Arc<Notify>,
    settings: config::Sender,
    calls: Arc<Semaphore>,
    holds: Holds,
}

/// What became of a job.
#[derive(Debug)]
enum Delivered {
    /// Telegram has done it.
    Confirmed(Confirmed),
    /// There was nothing to be done.
    Nothing,
    /// To be tried again after this long; `hold`: and nothing else of the chat before.
    Again { after: Duration, hold: bool },
    /// Telegram has sent the content, for which what this generation cost is spent.
    Sent { spent: Option<String> },
    /// This will never be seen.
    Never { lost: Lost, reach: Reach },
}

/// What will never be seen.
#[derive(Debug)]
enum Lost {
    /// The screen of this revision.
    Screen(Revision),
    /// Content, for which this was taken.
    Content(Option<Reservation>),
}

/// A screen that Telegram confirmed.
#[derive(Debug)]
struct Confirmed {
    shown: Shown,
    /// The messages that are of no use any more: what showed the screen before, what could not be edited.
    superfluous: Vec<MessageId>,
}

impl Delivered {
    fn again(after: Duration) -> Self {
        Self::Again { after, hold: false }
    }
}

impl Sender {
    /// A sender that looks for work when `queued` rings and every `settings.poll_interval`.
    pub fn new(
        storage: Storage,
        settler: Settler,
        roster: Roster,
        library: Arc<Library>,
        client: bot_api::Client,
        queued: Arc<Notify>,
        settings: config::Sender,
    ) -> Self {
        let calls = Arc::new(Semaphore::new(settings.calls_max));
        let (holds, uploads) = (Holds::new(settings.bot_rate_max), photo::Uploads::default());
        Self(Arc::new(Shared { storage, settler, roster, library, client, uploads, queued, settings, calls, holds }))
    }

    /// Whether it has nothing in its hands at this moment: it looks for no work, calls nothing and settles nothing.
    pub fn is_idle(&self) -> bool {
        self.0.calls.available_permits() == self.0.settings.calls_max
    }

    /// Starts it in `tasks`. Told to stop, it leases nothing more and settles what it has sent.
    pub fn start(&self, tasks: &Tasks) {
        let (shared, group) = (Arc::clone(&self.0), tasks.clone());
        tasks.spawn(async move {
            while !group.is_stopping() {
                tokio::select! {
                    () = group.stopping() => break,
                    permits = shared.free_calls() => shared.round(permits, &group).await,
                }
            }
        });
    }
}

impl Shared {
    /// Waits until a call may be made, and takes all the places that are free.
    async fn free_calls(&self) -> OwnedSemaphorePermit {
        let free = u32::try_from(self.calls.available_permits()).unwrap_or(u32::MAX).max(1);
        Arc::clone(&self.calls).acquire_many_owned(free).await.expect("the semaphore is never closed")
    }

    /// Leases as many jobs as there are places and starts them; waits if there is nothing to do.
    async fn round(self: &Arc<Self>, mut places: OwnedSemaphorePermit, tasks: &Tasks) {
        let mut queued = pin!(self.queued.notified());
        // Registered before looking: a job that is queued from here on is not missed.
        queued.as_mut().enable();
        let leased_at = Instant::now();
        let pause = match self.lease(places.num_permits()).await {
            Ok(leased) if !leased.is_empty() => {
                fail::fail_point!("after_lease");
                for (job, stored) in leased {
                    let place = places.split(1).expect("no more jobs than places were leased");
                    let shared = Arc::clone(self);
                    tasks.spawn(async move {
                        shared.work(job, stored, leased_at).await;
                        drop(place);
                    });
                }
                return;
            }
            Ok(_) => self.settings.poll_interval,
            Err(error) => {
                warn!(error = &error as &dyn std::error::Error, "the sender cannot reach the store");
                STORE_PAUSE
            }
        };
        drop(places);
        tokio::select! {
            () = queued => {}
            () = sleep(pause) => {}
            () = tasks.stopping() => {}
        }
    }

    /// Jobs with their chats. The chats are read after the lease: never older than what the leased serial stands for.
    async fn lease(&self, limit: usize) -> Result<Vec<(LeasedJob, LoadedChat)>, crate::storage::Error> {
        let burst = u32::try_from(self.settings.chat_burst.saturating_sub(1)).unwrap_or(u32::MAX);
        let allowed = Allowed {
            ahead: self.settings.chat_interval.saturating_mul(burst),
            except: self.holds.held(Instant::now()),
        };
        let jobs = self.storage.lease_outbound(limit, self.settings.lease, &allowed).await?;
        if jobs.is_empty() {
            return Ok(Vec::new());
        }
        let keys: Vec<_> = jobs.iter().map(|job| job.key).collect();
        // The lease of jobs whose chats cannot be read runs out, and they are leased again.
        let chats = self.storage.load(&keys).await?;
        Ok(jobs.into_iter().zip(chats).collect())
    }

    /// One job from its lease to its settle.
    async fn work(&self, job: LeasedJob, stored: LoadedChat, leased_at: Instant) {
        // A process that was frozen must not send what it knew: somebody else has the job by now.
        if leased_at.elapsed() >= self.settings.lease {
            warn!("a lease ran out before its job was sent");
            return;
        }
        let delivered = tokio::select! {
            delivered = self.deliver(&job, stored) => delivered,
            never = self.keep_renewing(&job) => match never {},
        };
        self.settle(&job, delivered, leased_at).await;
    }

    /// Sends a job, then takes away what that made superfluous: under the lease, since the chat's next job may be about
    /// the same messages.
    async fn deliver(&self, job: &LeasedJob, stored: LoadedChat) -> Delivered {
        let delivered = self.send(job, stored).await;
        fail::fail_point!("after_send");
        if let (Delivered::Confirmed(confirmed), Some(bot)) = (&delivered, self.roster.get(job.key.bot)) {
            for message in &confirmed.superfluous {
                self.remove(&bot.bot, job.key.chat, *message).await;
            }
        }
        delivered
    }

    /// Beside the call, which a store that does not answer must not hold up.
    async fn keep_renewing(&self, job: &LeasedJob) -> Infallible {
        loop {
            sleep(self.settings.lease / 3).await;
            match self.storage.renew(&[(job.id, job.token)], self.settings.lease).await {
                Ok(held) if held == [true] => {}
                Ok(_) => debug!("a job was leased by somebody else while it was sent"),
                Err(error) => warn!(error = &error as &dyn std::error::Error, "a lease could not be renewed"),
            }
        }
    }

    async fn send(&self, job: &LeasedJob, stored: LoadedChat) -> Delivered {
        let stored = match stored {
            Ok(Some(stored)) => stored,
            Ok(None) => {
                debug!("a job's chat is gone, the job goes too");
                return Delivered::Nothing;
            }
            Err(error) => {
                error!(error = &error as &dyn std::error::Error, bot = %job.key.bot, "a chat cannot be read, its screen waits");
                return Delivered::again(UNREADABLE_PAUSE);
            }
        };
        let Some(bot) = self.roster.get(job.key.bot) else {
            warn!(bot = %job.key.bot, "a job's bot is not known, the job waits");
            return Delivered::again(self.settings.lease);
        };
        let Some(_leave) = self.holds.leave(job.key.bot) else { return Delivered::again(PROBE_PAUSE) };
        match &job.work {
            Work::Screen(place) => self.send_screen(&bot, job, *place, &stored.chat).await,
            Work::Task(payload) => match serde_json::from_str::<Content>(payload) {
                // Telegram said so of something that was queued later: this goes the same way.
                Ok(content) if stored.unreachable.is_some_and(|unreachable| job.serial <= unreachable) => {
                    Delivered::Never { lost: Lost::Content(content.reservation), reach: Reach::Unreachable }
                }
                Ok(content) => self.send_content(&bot, job, content).await,
                Err(_) => {
                    // A newer version's, in the middle of a rolling restart: one of those will take it.
                    warn!("a job of lane outbound has a payload that this version does not know, it waits");
                    Delivered::again(self.settings.lease)
                }
            },
        }
    }

    /// Telegram took the bot's token.
    fn accept(&self, bot: &Known) {
        if self.holds.accepted(bot.bot.id) {
            metrics::token_refused(&bot.label, false);
        }
    }

    /// What a failed call means, for the job, its chat and its bot.
    fn judge(&self, bot: &Known, job: &LeasedJob, lost: Lost, error: &bot_api::Error) -> Delivered {
        let name = &bot.bot.name;
        match Verdict::of(error, job.attempts) {
            Verdict::Again(after) => {
                warn!(bot = %name, error = error as &dyn std::error::Error, job.attempts, "a call failed and is tried again");
                Delivered::again(after)
            }
            Verdict::Flooded(after) => {
                metrics::rate_limit_wait(after);
                if let Some(wait) = self.holds.flooded(bot.bot.id, job.key.chat, after, Instant::now()) {
                    warn!(bot = %name, "Telegram slows down many chats of bot {name}: all of them wait {} s", wait.as_secs());
                }
                Delivered::Again { after, hold: true }
            }
            Verdict::TokenRefused => {
                let wait = self.holds.refused(bot.bot.id, Instant::now());
                metrics::token_refused(&bot.label, true);
                error!(bot = %name, "Telegram does not take the token of bot {name}: its messages wait {} s, then it is asked \
                       again; `botctl bot set --token` changes the token", wait.as_secs());
                Delivered::again(Duration::ZERO)
            }
            Verdict::Never(reach) => {
                if error.migrated() {
                    metrics::note("migrated");
                }
                match reach {
                    Reach::Unreachable => info!(bot = %name, error = %error, "a user cannot be reached"),
                    Reach::Reachable => {
                        warn!(bot = %name, error = %error, "Telegram refuses a message for good: its chat is as before");
                    }
                }
                Delivered::Never { lost, reach }
            }
        }
    }

    /// Ends the lease as the job was delivered.
    async fn settle(&self, job: &LeasedJob, delivered: Delivered, leased_at: Instant) {
        let sent = matches!(delivered, Delivered::Confirmed(_) | Delivered::Sent { .. });
        let mut spends = None;
        let end = match delivered {
            Delivered::Confirmed(confirmed) => End::Done { shown: Some(confirmed.shown) },
            Delivered::Sent { spent } => {
                spends = spent;
                End::Done { shown: None }
            }
            Delivered::Nothing => End::Done { shown: None },
            Delivered::Again { after, hold } => End::Again { after, hold },
            Delivered::Never { lost, reach } => match self.refuse(job, &lost, reach).await {
                Ok(Ended::Applied) => {
                    metrics::outbound_settled(leased_at.elapsed());
                    return;
                }
                // What it took from the balance has still to be given back.
                Ok(Ended::Panicked) if matches!(lost, Lost::Content(Some(_))) => {
                    End::Again { after: UNREADABLE_PAUSE, hold: false }
                }
                Ok(Ended::Unchanged | Ended::Lost | Ended::Panicked) => End::Refused { reach },
                Ok(Ended::Contended) => End::Again { after: Duration::ZERO, hold: false },
                Err(error) => {
                    warn!(
                        error = &error as &dyn std::error::Error,
                        "a refusal could not be written, its job is leased again"
                    );
                    return;
                }
            },
        };
        let pace = if sent { self.settings.chat_interval } else { Duration::ZERO };
        let settlement = Settlement { pace, spent: spends, ..Settlement::of(job, end) };
        if sent {
            self.holds.spent(job.key.bot, 1, Instant::now());
        }
        // By then the lease is over, and the job in other hands.
        let deadline = Instant::now() + self.settings.lease;
        match self.settler.settle(settlement, deadline).await {
            Ok(Settled::Ended) => {}
            Ok(Settled::Renewed) => self.queued.notify_one(),
            Ok(Settled::Lost) => {
                warn!("a lease ran out before its job was settled: what is desired is shown once more");
                self.queued.notify_one();
                return;
            }
            Ok(Settled::Busy) => {
                warn!(
                    "a job could not be settled because its chat was locked, it is sent again when its lease has run out"
                );
                return;
            }
            Err(error) => {
                warn!(
                    error = &error as &dyn std::error::Error,
                    "a job could not be settled, it is sent again when its lease has run out"
                );
                return;
            }
        }
        fail::fail_point!("after_settle");
        metrics::outbound_settled(leased_at.elapsed());
    }

    async fn refuse(&self, job: &LeasedJob, lost: &Lost, reach: Reach) -> Result<Ended, crate::storage::Error> {
        let bot = self.roster.get(job.key.bot);
        let Some(flow) = bot.and_then(|bot| self.library.dialogue(&bot.bot.flow)) else {
            return Ok(Ended::Unchanged);
        };
        let happened = match lost {
            Lost::Screen(revision) => Happened::Refused { revision: *revision },
            Lost::Content(Some(reservation)) => Happened::Undelivered(reservation.clone()),
            Lost::Content(None) => return Ok(Ended::Unchanged),
        };
        ending::end(&self.storage, &*flow, job, happened, reach).await
    }
}
