//! Telegram's webhook sender: takes a bot's pending updates and posts them, each queue in order, over as many connections as
//! Telegram would open, until the webhook takes them or they expire.
//! Never what an update means, and never the Bot API: a method in an answer is handed on.

mod key;

pub use key::{lives, queue_key};

use crate::clock::Timestamp;
use crate::sandbox::clock::Clock;
use crate::sandbox::faults::Faults;
use crate::sandbox::parameters::Parameters;
use crate::sandbox::seed::Seed;
use crate::sandbox::updates::Updates;
use crate::sandbox::wire::Wire;
use crate::secret::Secret;
use crate::shutdown::Tasks;
use crate::telegram::id::UpdateId;
use std::sync::Arc;

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

/// What getWebhookInfo tells of the sender.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Info {
    /// The last thing that went wrong; successes do not clear it.
    pub last_error: Option<LastError>,
    /// Connections open now.
    pub connections: usize,
    /// Requests in flight now.
    pub in_flight: usize,
    /// Queues held in memory now.
    pub queues: usize,
    /// Whether the webhook was removed, since it had answered 410 for too long.
    pub removed: bool,
}

/// What went wrong, and when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastError {
    /// `last_error_date`.
    pub at: Timestamp,
    /// `last_error_message`.
    pub message: String,
}

/// A sender at work.
#[derive(Debug)]
pub struct Delivering(());

impl Delivering {
    /// Drops every connection with its request in flight; what was not taken stays pending.
    pub async fn stop(self) {
        todo!()
    }

    /// How it is going.
    pub fn info(&self) -> Info {
        todo!()
    }

    /// Ends once nothing is in flight and nothing could be sent at this moment of simulated time.
    pub async fn quiet(&self) {
        todo!()
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
    let _ = (webhook, surroundings, on_inline_call, tasks);
    todo!()
}

/// The URL is none that the sandbox can post to.
#[derive(Debug, thiserror::Error)]
#[error("the sandbox posts to http:// URLs with a host alone")]
pub struct BadUrl;
