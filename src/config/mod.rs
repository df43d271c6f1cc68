//! What the process was told: files, then environment, then flags; text in, one checked value out.

use crate::secret::Secret;
use crate::storage::{Gathering, StorageUrl};
use ipnet::IpNet;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;
use url::Url;

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
    /// Log lines.
    pub log: Log,
    /// The public edge.
    pub webhook: Webhook,
    /// The gatherers.
    pub gathering: Gathering,
    /// The sender.
    pub sender: Sender,
}

/// Where to listen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// `HOST:PORT`.
    Tcp(SocketAddr),
    /// `unix:/path`.
    Unix(PathBuf),
}

/// Whose `X-Forwarded-For` is believed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrustedProxies {
    /// These networks.
    pub networks: Vec<IpNet>,
    /// Peers on the unix socket.
    pub unix: bool,
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
    /// Most updates in flight; kinds other than presses and checkouts may use three quarters.
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
}
