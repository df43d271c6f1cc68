//! `botctl health`: what the ops listener of a server says of itself. Needs neither its store nor its Redis.

use super::{Failure, output};
use crate::config::Config;
use anyhow::{Context as _, anyhow};
use clap::Args;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

/// How long a probe waits. A container's health check has no more.
const TIMEOUT: Duration = Duration::from_secs(2);

/// Whether the server at the ops listener takes updates
#[derive(Args, Debug)]
#[command(after_help = "\
Exit code 1 where it is not ready or does not answer, so that a container's health check and a script may run it.

Examples:
  botctl health
  botctl health --live
  botctl health --ops-listen 127.0.0.1:9181")]
pub(super) struct Health {
    /// Only whether the process runs and answers
    #[arg(long)]
    live: bool,
    /// Where its metrics and health are, ADDRESS:PORT [env: TAPGATE_OPS_LISTEN] [default: 127.0.0.1:9180]
    #[arg(long, value_name = "ADDRESS", help_heading = "Settings")]
    pub ops_listen: Option<String>,
}

pub(super) async fn run(config: &Config, arguments: &Health) -> Result<(), Failure> {
    let path = if arguments.live { "/health/live" } else { "/health/ready" };
    let (status, body) = page(config.ops_listen, path).await?;
    output::line(body.trim_end())?;
    if status == 200 {
        return Ok(());
    }
    let what = "the server is not ready: what it says is not `up` above, and its log, say why";
    Err(anyhow!("{what} (status {status})").into())
}

/// Status and body of a page of the ops listener at `address`.
pub(super) async fn page(address: SocketAddr, path: &str) -> Result<(u16, String), Failure> {
    let url = format!("http://{}{path}", reachable(address));
    let client = reqwest::Client::builder().no_proxy().timeout(TIMEOUT).build()?;
    let absent =
        || format!("no server answers at {url}: is `botctl serve` running, and is this its TAPGATE_OPS_LISTEN?");
    let response = client.get(&url).send().await.map_err(reqwest::Error::without_url).with_context(absent)?;
    let status = response.status().as_u16();
    Ok((status, response.text().await.map_err(reqwest::Error::without_url).with_context(absent)?))
}

/// Who listens on all addresses is asked on this machine's own.
fn reachable(address: SocketAddr) -> SocketAddr {
    let ip = match address {
        SocketAddr::V4(v4) if v4.ip().is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        SocketAddr::V6(v6) if v6.ip().is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        address => address.ip(),
    };
    SocketAddr::new(ip, address.port())
}
