//! `botctl sandbox`: the real server, a simulated Telegram, and a page to play with.

mod load;
mod script;

use super::context::Context;
use super::{Failure, output};
use crate::app::StopSignal;
use crate::sandbox::Sandbox;
use crate::sandbox::options::{DemoWorker, Options, PageAt};
use crate::sandbox::seed::Seed;
use crate::telegram::webhook::{MAX_CONNECTIONS_DEFAULT, MAX_CONNECTIONS_MAX};
use crate::telemetry::{log, panics};
use clap::{Args, Subcommand};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::Stdio;

/// Where the page is, or at the next port that is free.
const LISTEN: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 8090);
/// Programs that open a URL in the user's browser.
const OPENERS: [&str; 2] = if cfg!(target_os = "macos") { ["open", "xdg-open"] } else { ["xdg-open", "open"] };

/// Run everything on this machine with a simulated Telegram
#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true)]
pub(super) struct Arguments {
    #[command(subcommand)]
    instead: Option<Instead>,
    /// Play this script and print its transcript, without a page; - is stdin. Exit code 1 where it expects what is not so
    #[arg(long, value_name = "FILE", conflicts_with_all = ["listen", "no_open"])]
    script: Option<PathBuf>,
    /// Where the page is [default: 127.0.0.1:8090, or the next port that is free]
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<SocketAddr>,
    /// A folder with flow.toml and its texts, or of such folders; what is saved there is read anew
    #[arg(long, value_name = "DIR", global = true)]
    flow: Option<PathBuf>,
    /// From which all chance follows
    #[arg(long, value_name = "NUMBER", default_value_t = 1, global = true)]
    seed: u64,
    /// How many updates Telegram may post at once, 1 to 100
    #[arg(long, value_name = "N", default_value_t = MAX_CONNECTIONS_DEFAULT, global = true,
          value_parser = clap::value_parser!(u16).range(1..=i64::from(MAX_CONNECTIONS_MAX)))]
    max_connections: u16,
    /// Leave the lanes to workers of yours, which TAPGATE_WORKER_TOKEN lets in, instead of canned answers
    #[arg(long, global = true)]
    no_demo: bool,
    /// Do not open a browser
    #[arg(long)]
    no_open: bool,
    /// A level, or TARGET=LEVEL pairs [env: TAPGATE_LOG] [default: warn]
    #[arg(long, value_name = "FILTER", help_heading = "Settings", global = true)]
    log: Option<String>,
}

/// What a sandbox without a page is for.
#[derive(Debug, Subcommand)]
enum Instead {
    Load(load::Load),
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
    let dialogues = context.dialogues.clone();
    let config = context.flag("log.filter", "--log", filter).config()?;
    log::init(&config.log)?;
    panics::say_only_where();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let database_url = (database == Database::Named).then_some(config.database_url);
    let options = Options {
        database_url,
        flows: arguments.flow,
        dialogues,
        seed: Seed::new(arguments.seed),
        max_connections: arguments.max_connections,
        demo: if arguments.no_demo { DemoWorker::Absent } else { DemoWorker::SLOW },
        workers: config.workers,
        ..Options::default()
    };
    match (arguments.instead, arguments.script) {
        (Some(Instead::Load(load)), _) => runtime.block_on(load::tap(load, options)),
        (None, Some(file)) => runtime.block_on(script::play(&script::read(&file)?, options)),
        (None, None) => {
            let page = arguments.listen.map_or(PageAt::From(LISTEN), PageAt::Exactly);
            let opening = if arguments.no_open { Opening::Never } else { Opening::Once };
            runtime.block_on(play(Options { page, ..options }, opening))
        }
    }
}

/// Whether the page opens by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Opening {
    Once,
    Never,
}

async fn play(options: Options, opening: Opening) -> Result<(), Failure> {
    let mut stop = StopSignal::listen()?;
    let users = vec![("Ann".to_owned(), Some("en".to_owned())), ("Борис".to_owned(), Some("ru".to_owned()))];
    let sandbox = Sandbox::start(Options { users, ..options }).await?;
    if let Some(address) = sandbox.addresses.page {
        let url = format!("http://{address}/");
        let workers =
            format!("Workers of yours find their jobs at http://{} (`botctl worker --url`).", sandbox.addresses.ops);
        output::line(&format!("The sandbox is at {url}\n{workers}\nCtrl-C stops it."))?;
        if opening == Opening::Once {
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
