//! The sandbox's composition root: the real server and the simulated Telegram, made, joined, and stopped in order.

use super::api::{Api, Mode, Setup};
use super::bot::{self, Hook};
use super::clock::Clock;
use super::faults::Faults;
use super::options::{DemoWorker, Options, PageAt};
use super::page::{self, Page};
use super::reload::{self, Report};
use super::seed::Seed;
use super::updates::Updates;
use super::wire::Wire;
use super::world::World;
use crate::app::{self, Listeners, Running, Server};
use crate::bot_api::Client;
use crate::clock;
use crate::config::{self, Address, Config};
use crate::library::Library;
use crate::secret::Secret;
use crate::shutdown::Tasks;
use crate::storage::{Lane, Storage, StorageUrl};
use crate::telegram::id::BotId;
use crate::webhook::listener::Listener;
use crate::worker::{Demo, Runner};
use anyhow::Context;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::sync::watch;

/// How often the sender looks for jobs that no commit of its own told it of: redraws of a saved flow.
const POLL_INTERVAL: Duration = Duration::from_millis(250);
/// How many jobs of a lane the demo worker does at once.
const DEMO_JOBS: usize = 4;
/// How many ports are tried for the page after the first.
const PORTS_TRIED: u16 = 20;

/// A real server and a simulated Telegram that speak HTTP to each other.
#[derive(Debug)]
pub struct Sandbox {
    /// The users, and what they see.
    pub world: World,
    /// The simulated Bot API.
    pub api: Api,
    /// What waits for delivery.
    pub updates: Updates,
    /// What went over the wire.
    pub wire: Wire,
    /// What shall go wrong.
    pub faults: Faults,
    /// The simulated time.
    pub clock: Clock,
    /// From which all chance follows.
    pub seed: Seed,
    /// The real server.
    pub running: Running,
    /// Its bot.
    pub bot: BotId,
    /// Where everything listens.
    pub addresses: Addresses,
    /// What the last reading of the flows led to.
    pub flows: watch::Receiver<Report>,
    pub(super) hook: Arc<Hook>,
    /// Whether the jobs of the lanes are done at once, so that the world does not rest before them.
    pub(super) lanes_rest: bool,
    page: Tasks,
    telegram: Tasks,
    worker: Tasks,
    bot_api: Tasks,
    _folder: TempDir,
}

/// Where everything listens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Addresses {
    /// The page, if there is one.
    pub page: Option<SocketAddr>,
    /// The real server's webhook.
    pub webhook: SocketAddr,
    /// The real server's metrics and health.
    pub ops: SocketAddr,
    /// The simulated Bot API.
    pub api: SocketAddr,
}

impl Sandbox {
    /// Starts everything; the webhook is set and the first update is delivered as soon as there is one.
    ///
    /// # Errors
    /// If something cannot start: an address is taken, the flow is broken, the database does not answer.
    pub async fn start(options: Options) -> anyhow::Result<Self> {
        let page = open_page(options.page).await?;
        let (public, webhook) = loopback().await?;
        let (operators, ops) = loopback().await?;
        let bot_api_listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let api_address = bot_api_listener.local_addr()?;
        let addresses =
            Addresses { page: page.as_ref().and_then(Listener::local_address), webhook, ops, api: api_address };
        let folder = tempfile::Builder::new().prefix("tapgate-sandbox-").tempdir().context("no temporary folder")?;
        let mut config = configure(&options, addresses, &folder)?;
        let token = Secret::generate();
        let lanes = Lane::OF_WORKERS.into();
        config.workers.push(config::Worker { name: "demo".to_owned(), token: token.clone(), lanes });

        let library = Library::with(options.dialogues.clone(), config.flows_dir.as_deref())?;
        let written = options.dialogues.names().next().filter(|_| options.flows.is_none());
        let asked = options.flow.as_deref().or(written);
        let flow = bot::choose_flow(&library, asked, config.flows_dir.as_deref())?;
        drop(library);
        let bot = bot::new(&flow, options.max_connections);
        let storage = Storage::open(&config.database_url).await.context("the database cannot be opened")?;
        storage.migrate().await.context("the database cannot be migrated")?;
        bot::keep(&storage, &bot, options.earlier).await?;

        let telegram = Tasks::new("the deliveries");
        let clock = Clock::new(options.from.unwrap_or_else(clock::now), options.speed);
        // A database that is used again remembers the updates of the last time: those of this time are no repeats.
        let bots_updates = match options.database_url {
            Some(_) => format!("{} since {}", bot.name, clock::now().unix_millis()),
            None => bot.name.clone(),
        };
        let updates = Updates::new(clock.clone(), options.seed, &bots_updates);
        let world = World::new(bot::in_world(&bot), updates.clone(), clock.clone(), options.seed, &telegram);
        let (wire, faults) = (Wire::default(), Faults::default());
        let setup = Setup {
            clock: clock.clone(),
            wire: wire.clone(),
            faults: faults.clone(),
            seed: options.seed,
            mode: Mode::Local,
        };
        let api = Api::new(setup, &telegram);
        api.add_bot(bot.token.clone(), world.clone(), updates.clone());
        let bot_api = Tasks::new("the simulated Bot API");
        api.serve(bot_api_listener, &bot_api);

        let listeners = Listeners::Given { public, ops: operators };
        let server = Server::new(config.clone()).listeners(listeners).dialogues(options.dialogues.clone());
        let running = server.start().await?;
        let worker = Tasks::new("the demo worker");
        if let DemoWorker::Takes(time) = options.demo.clone() {
            let server = format!("http://{ops}").parse()?;
            let lanes = [Lane::Text, Lane::Image, Lane::Default].map(Lane::name);
            Runner::new(&server, token)?
                .named("demo")
                .lanes(lanes)
                .at_once(DEMO_JOBS)
                .start(Demo::taking(time), &worker);
        }
        let client = Client::new(&config.telegram_api_url, config.sender.call_timeout)?;
        let hook = Arc::new(Hook::new(client, running.storage.clone(), bot.clone(), webhook));
        hook.set(options.max_connections).await?;
        if let Some(flow) = running.library.dialogue(&flow) {
            hook.name_commands(&*flow).await.context("setMyCommands")?;
        }
        for (name, language) in &options.users {
            world.add_user(name, language.as_deref());
        }
        let pages = Tasks::new("the page");
        let screens =
            reload::Screens { storage: running.storage.clone(), world: world.clone(), bot: bot.id, flow: flow.clone() };
        let flows = reload::start(&running.library, screens, Arc::clone(&hook), &pages)?;
        let sandbox = Self {
            world,
            api,
            updates,
            wire,
            faults,
            clock,
            seed: options.seed,
            running,
            bot: bot.id,
            addresses,
            flows,
            hook,
            lanes_rest: options.demo == DemoWorker::FAST,
            page: pages,
            telegram,
            worker,
            bot_api,
            _folder: folder,
        };
        if let Some(listener) = page {
            page::serve(listener, Page::of(&sandbox, &bot, &config), &sandbox.page);
        }
        Ok(sandbox)
    }

    /// Stops everything: the page, what delivers, the server, and last the Bot API, so that the server can settle what
    /// it has sent.
    pub async fn stop(self) -> app::Stopped {
        self.page.stop().await;
        self.telegram.stop().await;
        self.worker.stop().await;
        let stopped = self.running.stop().await;
        self.bot_api.stop().await;
        stopped
    }
}

/// The server's settings: the defaults, on this machine alone.
fn configure(options: &Options, addresses: Addresses, folder: &TempDir) -> anyhow::Result<Config> {
    let mut config = config::load(&config::Sources::NONE)?;
    let temporary = || StorageUrl::Sqlite(folder.path().join("sandbox.db"));
    config.database_url = options.database_url.clone().unwrap_or_else(temporary);
    config.listen = Address::Tcp(addresses.webhook);
    config.ops_listen = addresses.ops;
    config.telegram_api_url = format!("http://{}", addresses.api).parse()?;
    config.subnets = vec!["127.0.0.0/8".parse()?];
    config.flows_dir = options.flows.clone();
    config.workers = options.workers.clone();
    config.sender.poll_interval = POLL_INTERVAL;
    // The store's clock is a real one, and a script waits for no time.
    config.sender.chat_interval = Duration::ZERO;
    Ok(config)
}

async fn loopback() -> anyhow::Result<(Listener, SocketAddr)> {
    let any = Address::Tcp(SocketAddr::from(([127, 0, 0, 1], 0)));
    let listener = Listener::bind(&any).await.context("no port of this machine can be opened")?;
    let address = listener.local_address().context("a listener on TCP has an address")?;
    Ok((listener, address))
}

async fn open_page(at: PageAt) -> anyhow::Result<Option<Listener>> {
    let (first, tries) = match at {
        PageAt::Nowhere => return Ok(None),
        PageAt::Exactly(address) => (address, 1),
        PageAt::From(address) => (address, PORTS_TRIED),
    };
    let mut last = None;
    for port in (first.port()..=u16::MAX).take(tries.into()) {
        match Listener::bind(&Address::Tcp(SocketAddr::new(first.ip(), port))).await {
            Ok(listener) => return Ok(Some(listener)),
            Err(error) => last = Some(error),
        }
    }
    let why = last.map_or_else(String::new, |error| format!(": {error}"));
    anyhow::bail!("the page cannot be opened at {first}{why}; choose another --listen")
}
