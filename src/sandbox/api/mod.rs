//! The Bot API server: one call in, one answer out, as Telegram would word it.
//! Never laxer than Telegram. What the sandbox has not learnt (Markdown, media but photos, currencies but Stars) it refuses.
//!
//! A call is read by [`arguments`], checked and done by one of the [`methods`], worded by [`outcome`]; [`front`] is its HTTP.

mod arguments;
mod bot;
mod file;
mod flood;
mod front;
mod markup;
mod methods;
mod outcome;
mod record;
mod text;
mod webhook;

pub use outcome::Answer;
pub use webhook::WebhookState;

use super::clock::Clock;
use super::deliver::InlineCall;
use super::faults::{ApiFault, Faults};
use super::parameters::Parameters;
use super::seed::Seed;
use super::updates::Updates;
use super::wire::Wire;
use super::world::World;
use crate::secret::Secret;
use crate::shutdown::Tasks;
use crate::telegram::id::{BotId, UpdateId};
use arguments::Arguments;
use bot::Bot;
use outcome::Failure;
use record::Record;
use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};
use tokio::net::TcpListener;

/// The simulated Bot API for the bots of the sandbox. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Api(Arc<Inner>);

/// What the Bot API works with.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The time it goes by.
    pub clock: Clock,
    /// Where it writes down what it is asked.
    pub wire: Wire,
    /// What it is asked to do wrong.
    pub faults: Faults,
    /// Its chance, and that of the senders it starts.
    pub seed: Seed,
    /// Whose rules for webhooks hold.
    pub mode: Mode,
}

/// Whose rules for webhooks hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Those of api.telegram.org: https, four ports, public addresses. Nothing is delivered to such a webhook.
    Public,
    /// Those of a Bot API server of one's own (`--local`): any address and port, http too.
    Local,
}

#[derive(Debug)]
struct Inner {
    setup: Setup,
    tasks: Tasks,
    bots: RwLock<BTreeMap<BotId, Arc<Bot>>>,
}

/// How a call came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    /// As a request.
    Request,
    /// In the answer to an update: nobody sees what becomes of it.
    Webhook(UpdateId),
}

/// What becomes of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Reply {
    Sent(Answer),
    /// It was done, and the connection is cut instead, by a fault.
    Cut(Answer),
}

impl Api {
    /// A server without bots. Senders of updates and late calls run in `tasks`.
    pub fn new(setup: Setup, tasks: &Tasks) -> Self {
        Self(Arc::new(Inner { setup, tasks: tasks.clone(), bots: RwLock::default() }))
    }

    /// Serves the bot of `world` under `token`. Its webhook is not set.
    pub fn add_bot(&self, token: Secret, world: World, updates: Updates) -> BotId {
        let id = world.bot().id;
        let bot = Arc::new(Bot::new(token, world, updates));
        self.0.bots.write().unwrap_or_else(PoisonError::into_inner).insert(id, bot);
        id
    }

    /// Runs `method` for `bot`. A wait for a flood limit that Telegram would sleep off is slept off here, at most 8 s.
    pub async fn call(&self, bot: BotId, method: &str, parameters: Parameters) -> Answer {
        match self.run(bot, method, parameters, Origin::Request).await {
            Reply::Sent(answer) | Reply::Cut(answer) => answer,
        }
    }

    /// Serves `/bot<token>/<method>` on `listener` until `tasks` stop.
    pub fn serve(&self, listener: TcpListener, tasks: &Tasks) {
        front::serve(self.clone(), listener, tasks);
    }

    /// How the bot's webhook is set, and how its sender is doing; `None` without webhook.
    pub async fn webhook(&self, bot: BotId) -> Option<WebhookState> {
        webhook::state(&*self.bot(bot)?).await
    }

    /// Ends once no call of the bot is running, nothing is in flight to its webhook, and nothing could be sent there at
    /// this moment of simulated time.
    pub async fn quiet(&self, bot: BotId) {
        if let Some(bot) = self.bot(bot) {
            bot.quiet().await;
        }
    }

    fn bot(&self, id: BotId) -> Option<Arc<Bot>> {
        self.0.bots.read().unwrap_or_else(PoisonError::into_inner).get(&id).cloned()
    }

    /// Runs a method that an answer to the webhook called; the sender does not wait for it.
    fn run_inline(&self, bot: &Arc<Bot>, call: InlineCall) {
        // Counted from here on: between the delivery and its method there is no moment of quiet.
        let running = bot.begin();
        let (api, id) = (self.clone(), bot.world.bot().id);
        self.0.tasks.spawn(async move {
            api.run(id, &call.method, call.parameters, Origin::Webhook(call.update)).await;
            drop(running);
        });
    }

    async fn run(&self, bot: BotId, method: &str, parameters: Parameters, origin: Origin) -> Reply {
        let Some(bot) = self.bot(bot) else { return Reply::Sent(Failure::unauthorized().answer()) };
        let _running = bot.begin();
        let setup = &self.0.setup;
        let arguments = Arguments(&parameters);
        let chat = arguments.chat_concerned();
        let mut record = Record::begin(setup, method, chat, origin, &parameters);

        let (mut refusal, mut cut) = (None, false);
        for fault in setup.faults.take_api(chat) {
            record.note(fault);
            match fault {
                ApiFault::Slow(wait) => setup.clock.sleep(wait).await,
                ApiFault::Fail(status) => refusal = Some(Failure::of_status(status)),
                ApiFault::Flood { retry_after, .. } => refusal = Some(Failure::flood(retry_after)),
                ApiFault::LoseAnswer => cut = true,
            }
        }
        let outcome = match refusal {
            Some(failure) => Err(failure),
            None => methods::run(self, &bot, &method.to_ascii_lowercase(), &arguments).await,
        };
        let unknown = matches!(&outcome, Err(failure) if failure.is_unknown_method());
        let answer = match outcome {
            Ok(done) => done.answer(),
            Err(failure) => failure.answer(),
        };
        record.end(setup, &answer, unknown);
        if cut { Reply::Cut(answer) } else { Reply::Sent(answer) }
    }
}
