//! The composition root: every part of the server made, joined, and stopped in order.

use crate::bot_api;
use crate::config::{Address, Config};
use crate::dedup::Claims;
use crate::library::Library;
use crate::ops;
use crate::outbox::Sender;
use crate::roster::{self, Roster};
use crate::shutdown::Tasks;
use crate::storage::{Gathered, Storage, StorageUrl};
use crate::telemetry::{metrics, panics};
use crate::webhook::handler::Handler;
use crate::webhook::listener::{Keeping, Listener, serve as listen};
use crate::webhook::{Edge, stack};
use anyhow::Context;
use hyper::body::Incoming;
use listenfd::ListenFd;
use std::sync::Arc;
use std::time::Duration;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::Notify;
use tokio::time::timeout;
use tower::ServiceExt;
use tracing::{error, info, warn};

/// How long stopping may take: what is in flight finishes well before the 45 s that the shipped service files allow.
const STOP_TIME_MAX: Duration = Duration::from_secs(40);

/// What a process does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It takes updates in and sends what they lead to.
    Everything,
    /// It takes updates in; another process sends.
    Webhook,
    /// It only sends.
    Sender,
}

/// The groups of tasks, in the order in which they are stopped: what is upstream has ended before what it feeds.
struct Stages {
    connections: Tasks,
    requests: Tasks,
    gatherers: Tasks,
    recorders: Tasks,
    sender: Tasks,
    background: Tasks,
}

impl Stages {
    fn new() -> Self {
        Self {
            connections: Tasks::new("connections"),
            requests: Tasks::new("requests"),
            gatherers: Tasks::new("gatherers"),
            recorders: Tasks::new("recorders of answers"),
            sender: Tasks::new("the sender"),
            background: Tasks::new("the background"),
        }
    }

    async fn stop(&self) {
        for stage in
            [&self.connections, &self.requests, &self.gatherers, &self.recorders, &self.sender, &self.background]
        {
            stage.stop().await;
        }
    }
}

/// Runs a server until SIGTERM or SIGINT, and stops it without losing anything.
///
/// # Errors
/// If it cannot start.
pub async fn serve(config: Config, role: Role) -> anyhow::Result<()> {
    panics::say_only_where();
    let mut stop = StopSignal::listen()?;
    let stages = Stages::new();
    start(&config, role, &stages).await?;

    stop.received().await;
    info!("stopping: what is in flight finishes");
    tokio::select! {
        ended = timeout(STOP_TIME_MAX, stages.stop()) => match ended {
            Ok(()) => info!("stopped"),
            Err(_) => warn!("not everything ended in {} s; what is left comes again", STOP_TIME_MAX.as_secs()),
        },
        () = stop.received() => warn!("told to stop again: what is in flight is dropped and comes again"),
    }
    Ok(())
}

async fn start(config: &Config, role: Role, stages: &Stages) -> anyhow::Result<()> {
    let recorder = metrics::install().context("metrics cannot be recorded")?;
    let library = Arc::new(Library::open(config.flows_dir.as_deref())?);
    let storage = open(config).await?;
    let roster = Roster::load(&storage).await.context("the bots cannot be read")?;
    report(&roster, &library);
    let claims = match &config.redis_url {
        Some(url) if role != Role::Sender => Claims::open(url, &stages.recorders).await?,
        _ => Claims::Off,
    };
    let client = bot_api::Client::new(&config.telegram_api_url, config.sender.call_timeout)?;
    let queued = Arc::new(Notify::new());

    // The listener opens last: whoever is let in finds everything there.
    let ops_listener =
        Listener::bind(&Address::Tcp(config.ops_listen)).await.with_context(|| taken("ops", config.ops_listen))?;
    if role != Role::Sender {
        let listener = match Listener::inherited(&mut ListenFd::from_env())? {
            Some(listener) => listener,
            None => Listener::bind(&config.listen).await.with_context(|| taken("public", &config.listen))?,
        };
        let gathered = Gathered::start(&storage, config.gathering, &stages.gatherers)
            .await
            .context("the database cannot be used")?;
        let handler = Handler::new(
            gathered,
            storage.clone(),
            Arc::clone(&library),
            stages.requests.clone(),
            Arc::clone(&queued),
            config.webhook.retry_after,
        );
        let edge = Edge {
            roster: roster.clone(),
            subnets: config.subnets.clone(),
            trusted_proxies: config.trusted_proxies.clone(),
            in_flight_max: config.webhook.in_flight_max,
            deadline: config.webhook.deadline,
            retry_after: config.webhook.retry_after,
            claims: claims.clone(),
        };
        info!(address = %config.listen, "taking updates in at {}", config.listen);
        listen(listener, stack::<_, Incoming>(edge, handler), Keeping::default(), &stages.connections);
    }
    if role != Role::Webhook {
        let sender =
            Sender::new(storage.clone(), roster.clone(), library, client.clone(), queued, config.sender.clone());
        sender.start(&stages.sender);
    }

    roster::refresh(roster.clone(), storage.clone(), &stages.background);
    ops::start_upkeep(recorder.clone(), &stages.background);
    ops::start_lane_depths(storage.clone(), &stages.background);
    let bots = roster.clone();
    ops::start_capacity(recorder.clone(), move || bots.all(), &stages.background);
    if let Some(period) = config.ops.webhook_info_interval {
        let bots = roster.clone();
        ops::start_webhook_info(client, move || bots.all(), period, &stages.background);
    }
    let checks = ops::Checks { storage, roster, claims, draining: stages.connections.clone() };
    let routes = ops::router(recorder, checks)
        .map_request(|request: http::Request<Incoming>| request.map(axum::body::Body::new));
    info!(address = %config.ops_listen, "metrics and health at {}", config.ops_listen);
    listen(ops_listener, routes, Keeping::default(), &stages.background);
    Ok(())
}

/// Opens the store, and refuses one that would break a promise. The embedded one is migrated on the way.
async fn open(config: &Config) -> anyhow::Result<Storage> {
    let storage = Storage::open(&config.database_url).await.context("the database cannot be opened")?;
    if matches!(config.database_url, StorageUrl::Sqlite(_)) {
        storage.migrate().await.context("the database cannot be migrated")?;
    }
    storage.check().await?;
    Ok(storage)
}

fn report(roster: &Roster, library: &Library) {
    let bots = roster.all();
    if bots.is_empty() {
        warn!("there is no bot yet: `botctl bot add` adds one, and it is served within a second");
    }
    for known in bots.iter().filter(|known| library.get(&known.bot.flow).is_none()) {
        let (bot, flow) = (&known.bot.name, &known.bot.flow);
        error!(bot, flow, "bot {bot} has the flow {flow}, which is not there: its updates are answered 503");
    }
}

fn taken(which: &str, address: impl std::fmt::Display) -> String {
    format!("the {which} listener cannot open {address}: free it or choose another address")
}

/// SIGTERM or SIGINT. SIGHUP, which would end the process, is taken and does nothing.
struct StopSignal {
    terminate: tokio::signal::unix::Signal,
    interrupt: tokio::signal::unix::Signal,
    _hang_up: tokio::signal::unix::Signal,
}

impl StopSignal {
    fn listen() -> std::io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            _hang_up: signal(SignalKind::hangup())?,
        })
    }

    async fn received(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}
