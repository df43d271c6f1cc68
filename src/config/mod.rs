//! What the process was told: files, then environment, then flags; text in, one checked value out.

mod check;
mod effective;
mod key;
mod origin;
mod quote;
mod raw;
mod sources;
mod value;
mod worker;

pub use effective::{Effective, Shown, starred};
pub use key::{KEYS, Key};
pub use origin::Origin;
pub use sources::{File, Flag, Sources};
pub use value::Complaint;

use crate::problem::{Problem, Problems};
use crate::secret::Secret;
use crate::storage::{Gathering, Lane, StorageUrl};
use ipnet::IpNet;
use std::collections::BTreeSet;
use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;
use url::Url;

/// Every key with its unit and its default, explained: the lowest source of settings, and the reference for people.
pub const MANUAL: &str = include_str!("../../config/default.toml");

/// All of it, checked.
#[derive(Clone, Debug)]
pub struct Config {
    /// `DATABASE_URL`.
    pub database_url: StorageUrl,
    /// `REDIS_URL`; it may hold a password.
    pub redis_url: Option<Secret>,
    /// `TAPGATE_LISTEN`.
    pub listen: Address,
    /// `TAPGATE_OPS_LISTEN`.
    pub ops_listen: SocketAddr,
    /// `TAPGATE_TELEGRAM_API_URL`.
    pub telegram_api_url: Url,
    /// `TAPGATE_TRUSTED_PROXIES`.
    pub trusted_proxies: TrustedProxies,
    /// `TAPGATE_SUBNETS`.
    pub subnets: Vec<IpNet>,
    /// `TAPGATE_FLOWS_DIR`.
    pub flows_dir: Option<PathBuf>,
    /// How flows are kept up to date.
    pub flows: Flows,
    /// Log lines.
    pub log: Log,
    /// The public edge.
    pub webhook: Webhook,
    /// The gatherers.
    pub gathering: Gathering,
    /// The sender.
    pub sender: Sender,
    /// The lanes of workers.
    pub lanes: Lanes,
    /// Who may take work from the lanes, by name.
    pub workers: Vec<Worker>,
    /// What operators see beside metrics of our own.
    pub ops: Ops,
}

/// Where to listen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// `HOST:PORT`.
    Tcp(SocketAddr),
    /// `unix:/path`.
    Unix(PathBuf),
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(address) => address.fmt(f),
            Self::Unix(path) => write!(f, "unix:{}", path.display()),
        }
    }
}

/// Whose `X-Forwarded-For` is believed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrustedProxies {
    /// These networks.
    pub networks: Vec<IpNet>,
    /// Peers on the unix socket.
    pub unix: bool,
}

/// How flows are kept up to date.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Flows {
    /// Whether what is saved in the flows folder is read anew at once, not only on SIGHUP.
    pub watch: bool,
}

/// How to log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Log {
    /// `TAPGATE_LOG`: a level, or `tracing`'s directives.
    pub filter: String,
    /// As lines for people or as JSON.
    pub format: LogFormat,
}

/// The form of log lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// For people.
    Text,
    /// For machines.
    Json,
}

/// The public edge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Webhook {
    /// Most updates in flight; a quarter is for presses and checkouts, a sixteenth for checkouts alone.
    pub in_flight_max: usize,
    /// For the handling of one update, less than 55 s.
    pub deadline: Duration,
    /// What `Retry-After` says.
    pub retry_after: Duration,
}

/// The sender.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sender {
    /// Most Bot API calls at once.
    pub calls_max: usize,
    /// How long a lease holds; it is renewed after a third of it.
    pub lease: Duration,
    /// How often to look for jobs of other processes.
    pub poll_interval: Duration,
    /// How long a Bot API call may take; Telegram itself sleeps up to 8 s on short flood waits.
    pub call_timeout: Duration,
    /// How long a chat takes to read a message, on average; zero: no pacing.
    pub chat_interval: Duration,
    /// How many messages a chat may get at once.
    pub chat_burst: usize,
    /// Most messages a second of one bot, from this process; none: no limit.
    pub bot_rate_max: Option<usize>,
}

/// The lanes of workers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lanes {
    /// How long a worker's lease holds, unless it is renewed.
    pub lease: Duration,
    /// How often a job is leased before it has failed.
    pub attempts_max: u32,
    /// One of so many jobs of a pair is taken from the ordinary lane first, the others from the priority lane.
    pub floor: u32,
}

/// Somebody who may take work from the lanes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Worker {
    /// What the log and the metrics call it.
    pub name: String,
    /// By which it is known.
    pub token: Secret,
    /// Those it may take work from; never `outbound`.
    pub lanes: BTreeSet<Lane>,
}

/// What operators see beside metrics of our own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ops {
    /// How often to ask `getWebhookInfo` for each bot; none: never.
    pub webhook_info_interval: Option<Duration>,
}

/// Reads and checks all settings.
///
/// # Errors
/// Everything that is wrong with any of them.
pub fn load(sources: &Sources<'_>) -> Result<Config, Problems> {
    let mut problems = Problems::default();
    let settings = raw::collect(sources, &mut problems);
    let config = check::check(&settings, &mut problems);
    problems.0.sort_by(|one, other| (&one.origin, one.position).cmp(&(&other.origin, other.position)));
    if let Some(file) = &sources.file {
        quote::add(file, &mut problems);
    }
    match config {
        Some(config) => problems.or(config),
        None => Err(problems),
    }
}

/// The settings as they stand, for people; what is wrong with them only `load` says.
pub fn effective(sources: &Sources<'_>) -> Vec<Effective> {
    effective::effective(&raw::collect(sources, &mut Problems::default()))
}

impl Config {
    /// What `serve` wants beyond what every command does. Other commands never talk to Redis, so `load` does not ask.
    ///
    /// # Errors
    /// If the profile is incomplete.
    pub fn check_for_serving(&self) -> Result<(), Problems> {
        match (&self.database_url, &self.redis_url) {
            (StorageUrl::Postgres(_), None) => Err(Problems(vec![
                Problem::new(
                    "redis_url",
                    "PostgreSQL without Redis: every repeat of an update would reach the database",
                )
                .help("set REDIS_URL, or use an sqlite:// DATABASE_URL, which needs none"),
            ])),
            _ => Ok(()),
        }
    }
}
