//! The page: served by the program itself, without a build step and without any network.
//! Never does anything of its own: users act in the world, faults strike, the webhook is set, and the page shows what came
//! of it.
//!
//! [`routes`] is the table of everything it can be asked; [`events`] is what it is told without asking.

mod assets;
mod events;
mod guard;
mod inside;
mod measure;
mod people;
mod refusal;
mod routes;
mod rows;
mod traffic;
mod trouble;

pub use measure::Sample;

use super::bot::Hook;
use super::composition::{Addresses, Sandbox};
use super::faults::Faults;
use super::reload::Report;
use super::seed::Seed;
use super::updates::Updates;
use super::wire::Wire;
use super::world::{User, World};
use crate::bot::Bot;
use crate::config::Config;
use crate::shutdown::Tasks;
use crate::storage::{Storage, StorageUrl};
use crate::telegram::id::{BotId, ChatId};
use crate::webhook::listener::{Keeping, Listener, serve as listen};
use hyper::body::Incoming;
use measure::Measured;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::watch;
use tower::ServiceExt;
use traffic::Traffic;

/// What the page shows and touches. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Page(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    world: World,
    updates: Updates,
    wire: Wire,
    faults: Faults,
    seed: Seed,
    storage: Storage,
    /// Which profile the store is of.
    database: &'static str,
    bot: BotId,
    bot_name: String,
    flow: String,
    flows_dir: Option<PathBuf>,
    flows: watch::Receiver<Report>,
    hook: Arc<Hook>,
    addresses: Addresses,
    traffic: Traffic,
    measured: Measured,
}

impl Page {
    /// The page of `sandbox`.
    pub(super) fn of(sandbox: &Sandbox, bot: &Bot, config: &Config) -> Self {
        Self(Arc::new(Inner {
            world: sandbox.world.clone(),
            updates: sandbox.updates.clone(),
            wire: sandbox.wire.clone(),
            faults: sandbox.faults.clone(),
            seed: sandbox.seed,
            storage: sandbox.running.storage.clone(),
            database: match config.database_url {
                StorageUrl::Sqlite(_) => "SQLite",
                StorageUrl::Postgres(_) => "PostgreSQL",
            },
            bot: bot.id,
            bot_name: bot.name.clone(),
            flow: bot.flow.clone(),
            flows_dir: config.flows_dir.clone(),
            flows: sandbox.flows.clone(),
            hook: Arc::clone(&sandbox.hook),
            addresses: sandbox.addresses,
            traffic: Traffic::new(sandbox.world.clone(), sandbox.seed),
            measured: Measured::default(),
        }))
    }

    /// Those whose telephones the page shows: everybody but the traffic.
    fn people(&self) -> Vec<User> {
        self.0.world.users().into_iter().filter(|user| !self.is_traffic(user.id)).collect()
    }

    fn is_traffic(&self, user: ChatId) -> bool {
        self.0.traffic.contains(user)
    }
}

/// Serves `page` on `listener` until `tasks` stop.
pub(super) fn serve(listener: Listener, page: Page, tasks: &Tasks) {
    measure::start(&page, tasks);
    page.0.traffic.start(tasks);
    let routes = routes::all(page, tasks.clone())
        .map_request(|request: http::Request<Incoming>| request.map(axum::body::Body::new));
    listen(listener, routes, Keeping::default(), tasks);
}
