//! Telegram's webhook sender: takes a bot's pending updates and posts them, each queue in order, over as many connections as
//! Telegram would open, until the webhook takes them or they expire.
//! Never what an update means, and never the Bot API: a method in an answer is handed on.

mod body;
mod connection;
mod flight;
mod growth;
mod inline;
mod key;
mod loaded;
mod pool;
mod request;
mod response;
mod retry;
mod rows;
mod sender;
mod status;
mod target;

pub use key::{lives, queue_id, queue_key};
pub use status::{Info, LastError};

use crate::sandbox::clock::Clock;
use crate::sandbox::faults::Faults;
use crate::sandbox::parameters::Parameters;
use crate::sandbox::seed::Seed;
use crate::sandbox::updates::Updates;
use crate::sandbox::wire::Wire;
use crate::secret::Secret;
use crate::shutdown::Tasks;
use crate::telegram::id::UpdateId;
use sender::{Sender, Until, Waiter};
use status::Status;
use std::fmt;
use std::sync::Arc;
use target::Target;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio_util::sync::{CancellationToken, DropGuard};

/// Where updates are posted.
#[derive(Clone, Debug)]
pub struct Webhook {
    /// The URL, as it was set; only `http://`.
    pub url: String,
    /// What `X-Telegram-Bot-Api-Secret-Token` says.
    pub secret_token: Option<Secret>,
    /// Most connections at once.
    pub max_connections: usize,
}

/// What the sender works with.
#[derive(Clone, Debug)]
pub struct Surroundings {
    /// The updates it takes.
    pub updates: Updates,
    /// The time it goes by.
    pub clock: Clock,
    /// Where it writes down what it does.
    pub wire: Wire,
    /// What it is asked to do wrong.
    pub faults: Faults,
    /// Its chance.
    pub seed: Seed,
}

/// A method that an answer to the webhook called. What becomes of it nobody learns.
#[derive(Clone, Debug)]
pub struct InlineCall {
    /// The update that was answered.
    pub update: UpdateId,
    /// The method, lower-cased.
    pub method: String,
    /// All parameters, `method` among them.
    pub parameters: Parameters,
}

/// Takes a method out of an answer; called before the update counts as delivered, so it must not wait.
pub type OnInlineCall = Arc<dyn Fn(InlineCall) + Send + Sync>;

/// The URL is none that the sandbox can post to.
#[derive(Debug, thiserror::Error)]
#[error("the sandbox posts to http:// URLs alone")]
pub struct BadUrl;

/// A sender at work; dropped, it stops by itself.
pub struct Delivering {
    status: Status,
    waiters: mpsc::UnboundedSender<Waiter>,
    stopping: DropGuard,
    ended: JoinHandle<()>,
}

impl fmt::Debug for Delivering {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Delivering").field(&self.info()).finish()
    }
}

/// Begins to deliver, and opens the first connection.
///
/// # Errors
/// If the URL is none that this sender can post to.
pub fn start(
    webhook: Webhook,
    surroundings: Surroundings,
    on_inline_call: OnInlineCall,
    tasks: &Tasks,
) -> Result<Delivering, BadUrl> {
    let target = Target::parse(&webhook.url)?;
    let status = Status::default();
    let stopping = CancellationToken::new();
    let (waiters, waiting) = mpsc::unbounded_channel();
    let (sender, told) = Sender::new(webhook, target, surroundings, on_inline_call, status.clone(), tasks);
    let guard = stopping.clone().drop_guard();
    let group = tasks.clone();
    let ended = tasks.spawn(async move {
        let work = sender.run(told, waiting, stopping.clone());
        tokio::pin!(work);
        tokio::select! {
            () = &mut work => return,
            () = group.stopping() => stopping.cancel(),
        }
        work.await;
    });
    Ok(Delivering { status, waiters, stopping: guard, ended })
}

impl Delivering {
    /// Drops every connection with its request in flight. What was not taken stays pending, for the next sender.
    pub async fn stop(self) {
        drop(self.stopping);
        // It ends by itself, and a panic in it has been told already.
        let _ = self.ended.await;
    }

    /// How it is going.
    pub fn info(&self) -> Info {
        self.status.info()
    }

    /// Ends once all is done that is due at this moment of simulated time, answers not waited for.
    pub async fn settled(&self) {
        self.waits(Until::Settled).await;
    }

    /// Ends once besides nothing is in flight.
    pub async fn quiet(&self) {
        self.waits(Until::Quiet).await;
    }

    async fn waits(&self, until: Until) {
        let (tell, told) = oneshot::channel();
        // A sender that has ended is as settled and quiet as it will be.
        if self.waiters.send(Waiter { until, tell }).is_ok() {
            let _ = told.await;
        }
    }
}
