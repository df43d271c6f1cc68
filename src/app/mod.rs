//! The composition root: every part of the server made, joined, and stopped in order.

mod reload;
mod server;
mod signal;
mod stages;

pub use server::Server;
pub use signal::StopSignal;

use crate::bot_api;
use crate::config::{Address, Config};
use crate::dedup::Claims;
use crate::lanes::{Bells, Lanes};
use crate::library::{Dialogues, Library};
use crate::ops;
use crate::outbox::Sender;
use crate::roster::{self, Roster};
use crate::storage::{Gathered, Lane, Settler, Storage, StorageUrl};
use crate::telemetry::metrics;
use crate::webhook::handler::Handler;
use crate::webhook::listener::{Keeping, Listener, serve as listen};
use crate::webhook::{Edge, stack};
use anyhow::Context;
use hyper::body::Incoming;
use listenfd::ListenFd;
use stages::Stages;
use std::sync::Arc;
use std::time::Duration;
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

/// The sockets that a server listens on.
#[derive(Debug)]
pub enum Listeners {
    /// Those of the configuration, or an inherited one; opened last, when everything else is there.
    AsConfigured,
    /// These, open already.
    Given {
        /// Where updates come in.
        public: Listener,
        /// Where metrics and health are.
        ops: Listener,
    },
}

/// A server that runs in this process.
#[derive(Debug)]
pub struct Running {
    stages: Stages,
    /// Its flows.
    pub library: Arc<Library>,
    /// Its store.
    pub storage: Storage,
    sender: Option<Sender>,
}

impl Running {
    /// Whether its sender, if it has one, has nothing in its hands.
    pub fn sender_is_idle(&self) -> bool {
        self.sender.as_ref().is_none_or(Sender::is_idle)
    }

    /// Stops it without losing anything: what is in flight finishes. Says whether all of it did, in the time there is.
    pub async fn stop(&self) -> Stopped {
        match timeout(STOP_TIME_MAX, self.stages.stop()).await {
            Ok(()) => Stopped::Clean,
            Err(_) => Stopped::OutOfTime,
        }
    }
}

/// How stopping ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// Everything has ended.
    Clean,
    /// Something has not; it comes again.
    OutOfTime,
}

/// Starts a server in this process. It answers when this returns.
async fn start(config: &Config, role: Role, listeners: Listeners, dialogues: Dialogues) -> anyhow::Result<Running> {
    let stages = Stages::new();
    let recorder = metrics::install().context("metrics cannot be recorded")?;
    let library = Arc::new(Library::with(dialogues, config.flows_dir.as_deref())?);
    reload::record_all(&library);
    let storage = open(config).await?;
    let roster = Roster::load(&storage).await.context("the bots cannot be read")?;
    report(&roster, &library);
    let claims = match &config.redis_url {
        Some(url) if role != Role::Sender => Claims::open(url, &stages.recorders).await?,
        _ => Claims::Off,
    };
    let client = bot_api::Client::new(&config.telegram_api_url, config.sender.call_timeout)?;
    let bells = Bells::default();
    let lanes = Lanes::new(storage.clone(), Arc::clone(&library), roster.clone(), bells.clone(), config.lanes.clone());

    // The listener opens last: whoever is let in finds everything there.
    let (public, operators) = open_listeners(config, role, listeners).await?;
    if let Some(listener) = public {
        let gathered = Gathered::start(&storage, config.gathering, &stages.gatherers)
            .await
            .context("the database cannot be used")?;
        let handler = Handler::new(
            gathered,
            storage.clone(),
            Arc::clone(&library),
            stages.requests.clone(),
            bells.clone(),
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
    let sender = if role == Role::Webhook {
        None
    } else {
        let settler = Settler::start(&storage, config.gathering.batch_max, &stages.settler)
            .await
            .context("the database cannot be used")?;
        let sender = Sender::new(
            storage.clone(),
            settler,
            roster.clone(),
            Arc::clone(&library),
            client.clone(),
            Arc::clone(bells.of(Lane::Outbound)),
            config.sender.clone(),
        );
        sender.start(&stages.sender);
        Some(sender)
    };

    roster::refresh(roster.clone(), storage.clone(), &stages.background);
    ops::start_upkeep(recorder.clone(), &stages.background);
    ops::start_lane_depths(storage.clone(), &stages.background);
    let bots = roster.clone();
    ops::start_capacity(recorder.clone(), move || bots.all(), &stages.background);
    if let Some(period) = config.ops.webhook_info_interval {
        let bots = roster.clone();
        ops::start_webhook_info(client, move || bots.all(), period, &stages.background);
    }
    lanes.start(&stages.background);
    let draining = stages.connections.clone();
    let work = ops::Api::new(lanes, storage.clone(), &config.workers, draining.clone());
    let checks = ops::Checks { storage: storage.clone(), roster, claims, draining };
    let routes = ops::router(recorder, checks, work)
        .map_request(|request: http::Request<Incoming>| request.map(axum::body::Body::new));
    info!(address = %config.ops_listen, "metrics, health and workers at {}", config.ops_listen);
    listen(operators, routes, Keeping::default(), &stages.background);
    Ok(Running { stages, library, storage, sender })
}

/// The public listener, where the role has one, and that for operators.
async fn open_listeners(
    config: &Config,
    role: Role,
    listeners: Listeners,
) -> anyhow::Result<(Option<Listener>, Listener)> {
    if let Listeners::Given { public, ops } = listeners {
        return Ok((Some(public).filter(|_| role != Role::Sender), ops));
    }
    let ops = Listener::bind(&Address::Tcp(config.ops_listen)).await;
    let ops = ops.with_context(|| taken("ops", config.ops_listen))?;
    if role == Role::Sender {
        return Ok((None, ops));
    }
    let public = match Listener::inherited(&mut ListenFd::from_env())? {
        Some(listener) => listener,
        None => Listener::bind(&config.listen).await.with_context(|| taken("public", &config.listen))?,
    };
    Ok((Some(public), ops))
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
    for known in bots.iter().filter(|known| library.dialogue(&known.bot.flow).is_none()) {
        let (bot, flow) = (&known.bot.name, &known.bot.flow);
        error!(bot, flow, "bot {bot} has the flow {flow}, which is not there: its updates are answered 503");
    }
}

fn taken(which: &str, address: impl std::fmt::Display) -> String {
    format!("the {which} listener cannot open {address}: free it or choose another address")
}
