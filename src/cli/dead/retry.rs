//! `botctl dead retry`: updates that were given up are handled again, in this process, by the server's own handler over
//! the same store.
//!
//! Why not posted to a server: there the dedup gate stands first, and answers with what it recorded, the error text. Here
//! the handler is called behind that gate, so nothing recorded in Redis is asked, and Redis need not be there; a paused
//! bot stays paused for everybody else. What makes it happen once is what always does: the fence in the chat's row, and
//! a commit under the version that was read. An update that was applied after all is recognised, and two retries at the
//! same moment are one. Its letter goes only after its commit, so that a crash in between repeats what the fence knows.
//!
//! What it queues is sent by the sender of a server. An answer that would have ridden in the response is not sent: all
//! that may ride there is harmless to lose, and mostly too late (a press is answered within a minute or never).

use super::key::Which;
use crate::bot::Bot;
use crate::cli::context::{self, Setup};
use crate::cli::{Failure, output, store};
use crate::config::Config;
use crate::lanes::Bells;
use crate::roster::Known;
use crate::shutdown::Tasks;
use crate::storage::{Gathered, Gathering, Letter, Storage};
use crate::telegram::update::{Kind, envelope};
use crate::telemetry::metrics::Outcome;
use crate::telemetry::panics;
use crate::webhook::handler::Handler;
use crate::webhook::{Delivery, Reply};
use anyhow::anyhow;
use clap::Args;
use serde::Serialize;
use std::sync::Arc;
use tokio::time::Instant;
use tower::ServiceExt;

/// Handle updates again that were given up
#[derive(Args, Debug)]
#[command(after_help = "\
Once what broke them is mended. Updates are handled in the order in which they failed first, each at most once: one that \
was applied after all is recognised. Those that succeed are no longer listed. What they queue is sent by `serve` or \
`sender`; notices that would have ridden in the answer to Telegram are not sent. Run it with the settings of `serve`.

Examples:
  botctl dead retry 123456789
  botctl dead retry --all --bot shop")]
pub(in crate::cli) struct Retry {
    #[command(flatten)]
    which: Which,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Done {
    key: String,
    outcome: Retried,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

/// What became of an update.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Retried {
    Applied,
    /// It had been applied already.
    Known,
    /// It was handled, and there was nothing to change.
    Unchanged,
    /// Somebody else retried or dropped it meanwhile.
    Gone,
    /// It fails as before.
    Failed,
    /// The store or the chat was busy: nothing is known of the update.
    Later,
}

impl Retried {
    const fn said(self) -> &'static str {
        match self {
            Self::Applied => "is applied",
            Self::Known => "had been applied already",
            Self::Unchanged => "is handled, and there was nothing to change",
            Self::Gone => "is no longer there: somebody else retried or dropped it",
            Self::Failed => "failed again",
            Self::Later => "could not be handled now",
        }
    }

    const fn is_over(self) -> bool {
        matches!(self, Self::Applied | Self::Known | Self::Unchanged | Self::Gone)
    }
}

pub(super) async fn run(setup: &Setup<'_>, arguments: &Retry) -> Result<(), Failure> {
    // As in a server: what a panic says may quote a user.
    panics::say_only_where();
    let storage = store::open(setup).await?;
    // What a commit promises must hold here too.
    storage.check().await?;
    let bot = store::bot(&storage, arguments.which.bot.as_deref()).await?;
    let keys = arguments.which.keys(&storage, &bot).await?;
    let again = Again::open(setup, storage, bot).await?;
    let mut all = Vec::with_capacity(keys.len());
    for key in keys {
        let done = again.handle(setup, key).await?;
        if !arguments.json {
            let reason = done.reason.as_ref().map(|reason| format!(" ({reason})")).unwrap_or_default();
            output::line(&format!("update {} {}{reason}", done.key, done.outcome.said()))?;
        }
        all.push(done);
    }
    if arguments.json {
        output::json(&all)?;
    } else if all.is_empty() {
        output::line("no update was given up")?;
    }
    let left = all.iter().filter(|done| !done.outcome.is_over()).count();
    if left == 0 {
        return Ok(());
    }
    let total = all.len();
    Err(anyhow!("{left} of {total} updates are still there: `botctl dead show` has what came, mend it and try again")
        .into())
}

/// The server's handler, without a server around it.
struct Again {
    storage: Storage,
    bot: Arc<Known>,
    handler: Handler,
}

impl Again {
    async fn open(setup: &Setup<'_>, storage: Storage, bot: Bot) -> Result<Self, Failure> {
        let library = setup.library()?;
        context::dialogue(&library, &bot)?;
        let gathering = Gathering { loaders: 1, committers: 1, ..setup.gathering };
        let gathered = Gathered::start(&storage, gathering, &Tasks::new("gatherers")).await?;
        let handler = Handler::new(
            gathered,
            storage.clone(),
            Arc::new(library),
            Tasks::new("requests"),
            Bells::default(),
            setup.webhook.retry_after,
        );
        let label = bot.name.as_str().into();
        Ok(Self { storage, bot: Arc::new(Known::new(bot, label)), handler })
    }

    async fn handle(&self, config: &Config, key: String) -> Result<Done, Failure> {
        let bot = self.bot.bot.id;
        let Some(Letter { body, .. }) = self.storage.letter(bot, &key).await? else {
            return Ok(Done { key, outcome: Retried::Gone, reason: None });
        };
        let envelope = envelope(&body);
        let delivery = Delivery {
            bot: Arc::clone(&self.bot),
            update: envelope.map(|envelope| envelope.update),
            kind: envelope.map_or(Kind::Unreadable, |envelope| envelope.kind),
            body: body.into(),
            deadline: Instant::now() + config.webhook.deadline,
            permits: Vec::new(),
        };
        let Ok(reply) = self.handler.clone().oneshot(delivery).await;
        let outcome = match reply {
            Reply::Answered { outcome: Outcome::Applied, .. } => Retried::Applied,
            Reply::Answered { outcome: Outcome::Replayed, .. } => Retried::Known,
            Reply::Answered { outcome: Outcome::Unchanged, .. } => Retried::Unchanged,
            Reply::Answered { .. } => Retried::Failed,
            Reply::Later { .. } => Retried::Later,
        };
        if outcome.is_over() {
            self.storage.drop_failure(bot, &key).await?;
            return Ok(Done { key, outcome, reason: None });
        }
        // The handler has counted the failure, and written why.
        let reason = self.storage.letter(bot, &key).await?.map(|letter| letter.listed.reason);
        Ok(Done { key, outcome, reason: reason.filter(|_| outcome == Retried::Failed) })
    }
}
