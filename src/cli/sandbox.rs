//! `botctl sandbox`: the real server, a simulated Telegram, and a page to play with.

use super::context::Context;
use super::{Failure, output};
use crate::app::StopSignal;
use crate::sandbox::Sandbox;
use crate::sandbox::options::{Options, PageAt};
use crate::sandbox::seed::Seed;
use crate::storage::StorageUrl;
use crate::telemetry::{log, panics};
use clap::Args;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::Stdio;

/// Where the page is, or at the next port that is free.
const LISTEN: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 8090);
/// Programs that open a URL in the user's browser.
const OPENERS: [&str; 2] = if cfg!(target_os = "macos") { ["open", "xdg-open"] } else { ["xdg-open", "open"] };

/// Run everything on this machine with a simulated Telegram
#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// Where the page is [default: 127.0.0.1:8090, or the next port that is free]
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<SocketAddr>,
    /// A folder with flow.toml and its texts, or of such folders; what is saved there is read anew
    #[arg(long, value_name = "DIR")]
    flow: Option<PathBuf>,
    /// From which all chance follows
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
    /// Do not open a browser
    #[arg(long)]
    no_open: bool,
    /// A level, or TARGET=LEVEL pairs [env: TAPGATE_LOG] [default: warn]
    #[arg(long, value_name = "FILTER", help_heading = "Settings")]
    log: Option<String>,
}

/// Whose database it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Database {
    /// The one that a flag names.
    Named,
    /// A temporary one.
    Temporary,
}

impl Database {
    /// By the value of `--database-url`.
    pub(super) fn of(flag: Option<&str>) -> Self {
        if flag.is_some() { Self::Named } else { Self::Temporary }
    }
}

/// The database of a flag alone is used: the environment names `serve`'s, which is never touched here.
pub(super) fn run(context: Context<'_>, arguments: Arguments, database: Database) -> Result<(), Failure> {
    let quiet = || (context.sources.environment)("TAPGATE_LOG").is_none().then(|| "warn".to_owned());
    let filter = arguments.log.clone().or_else(quiet);
    let config = context.flag("log.filter", "--log", filter).config()?;
    log::init(&config.log)?;
    panics::say_only_where();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let database_url = (database == Database::Named).then_some(config.database_url);
    runtime.block_on(play(arguments, database_url))
}

async fn play(arguments: Arguments, database_url: Option<StorageUrl>) -> Result<(), Failure> {
    let mut stop = StopSignal::listen()?;
    let sandbox = Sandbox::start(Options {
        page: arguments.listen.map_or(PageAt::From(LISTEN), PageAt::Exactly),
        database_url,
        flows: arguments.flow,
        seed: Seed::new(arguments.seed),
        users: vec![("Ann".to_owned(), Some("en".to_owned())), ("Борис".to_owned(), Some("ru".to_owned()))],
        ..Options::default()
    })
    .await?;
    if let Some(address) = sandbox.addresses.page {
        let url = format!("http://{address}/");
        output::line(&format!("The sandbox is at {url}\nCtrl-C stops it."))?;
        if !arguments.no_open {
            open(&url);
        }
    }
    stop.received().await;
    tokio::select! {
        _ = sandbox.stop() => {}
        () = stop.received() => {}
    }
    Ok(())
}

/// Opens a browser, if there is one. The URL is printed already, so that nothing is lost where there is none.
fn open(url: &str) {
    for program in OPENERS {
        let mut command = tokio::process::Command::new(program);
        let command = command.arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        if command.spawn().is_ok() {
            return;
        }
    }
}
