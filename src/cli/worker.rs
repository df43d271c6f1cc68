//! `botctl worker`: empties lanes over a server's API, with a language model or with canned answers.

use super::Failure;
use super::context::Context;
use crate::app::StopSignal;
use crate::config::Config;
use crate::secret::Secret;
use crate::storage::Lane;
use crate::telemetry::{log, panics};
use crate::worker::{Demo, OpenAi, Runner, Settings, Worker as Works};
use anyhow::{Context as _, anyhow};
use clap::{ArgGroup, Args};
use std::pin::pin;
use tracing::{info, warn};
use url::Url;

/// Do the jobs of lanes: with a language model, or with canned answers
#[derive(Args, Debug)]
#[command(
    group = ArgGroup::new("kind").required(true),
    after_help = "\
It shows the server the token in TAPGATE_WORKER_TOKEN; OPENAI_API_KEY is for the model's server. SIGTERM stops it: what
it is doing is finished within 20 s, or given back.

Examples:
  botctl worker --demo
  botctl worker --openai-url http://127.0.0.1:11434/v1 --model llama3.2
  botctl worker --openai-url https://api.openai.com/v1 --model gpt-5-mini --system @prompt.txt"
)]
pub(super) struct Worker {
    /// The server's ops listener [default: that of the settings, http://127.0.0.1:9180]
    #[arg(long, value_name = "URL")]
    url: Option<Url>,
    /// A lane to take jobs from, as often as there are lanes [default: text; with --demo text, image and default]
    #[arg(long = "lane", value_name = "LANE")]
    lanes: Vec<String>,
    /// Jobs at once, in each lane
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..=256))]
    concurrency: u16,
    /// Canned answers after 3 to 10 s, all of them marked as such
    #[arg(long, group = "kind")]
    demo: bool,
    /// Answers of a language model: what stands before /chat/completions of an OpenAI-compatible server
    #[arg(long, value_name = "URL", group = "kind", requires = "model")]
    openai_url: Option<Url>,
    /// The model's name there
    #[arg(long, value_name = "NAME", requires = "openai_url")]
    model: Option<String>,
    /// What the model is told first, or @FILE; {name} is the job's argument or variable of that name, {locale} its language
    #[arg(long, value_name = "TEXT", requires = "openai_url")]
    system: Option<String>,
    /// A level, or TARGET=LEVEL pairs [env: TAPGATE_LOG] [default: info]
    #[arg(long, value_name = "FILTER", help_heading = "Settings")]
    log: Option<String>,
}

pub(super) fn run(context: Context<'_>, mut arguments: Worker) -> Result<(), Failure> {
    let key = (context.sources.environment)("OPENAI_API_KEY").filter(|key| !key.is_empty()).map(Secret::new);
    let config = context.flag("log.filter", "--log", arguments.log.take()).config()?;
    log::init(&config.log)?;
    let runner = runner(&config, &arguments)?;
    let (url, model) = (arguments.openai_url, arguments.model);
    let model = match url.zip(model) {
        Some((url, model)) => {
            let system = arguments.system.map(|system| told(&system)).transpose()?;
            Some(OpenAi::new(Settings { url, model, key, system })?)
        }
        None => None,
    };
    panics::say_only_where();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        match model {
            Some(model) => until_stopped(runner, model).await,
            None => until_stopped(runner, Demo::default()).await,
        }
    })
}

fn runner(config: &Config, arguments: &Worker) -> Result<Runner, Failure> {
    let lanes = match arguments.lanes.as_slice() {
        [] if arguments.demo => vec!["text".to_owned(), "image".to_owned(), "default".to_owned()],
        [] => vec!["text".to_owned()],
        lanes => lanes.to_vec(),
    };
    let names = Lane::OF_WORKERS.map(Lane::name);
    if let Some(unknown) = lanes.iter().find(|lane| !names.contains(&lane.as_str())) {
        return Err(Failure::usage(format!("there is no lane {unknown}: --lane takes one of {}", names.join(", "))));
    }
    let Some(worker) = config.workers.iter().find(|worker| worker.name == "default") else {
        return Err(
            anyhow!("there is no token: set TAPGATE_WORKER_TOKEN to what the server has for this worker").into()
        );
    };
    let own = || format!("http://{}", config.ops_listen).parse().context("the ops listener has no URL; give --url");
    let url = arguments.url.clone().map_or_else(own, Ok)?;
    info!(%url, "doing the jobs of {}", lanes.join(", "));
    Ok(Runner::new(&url, worker.token.clone())?.lanes(lanes).at_once(arguments.concurrency.into()))
}

/// `system`, or what is in the file that it names.
fn told(system: &str) -> Result<String, Failure> {
    match system.strip_prefix('@') {
        None => Ok(system.to_owned()),
        Some(file) => Ok(std::fs::read_to_string(file).with_context(|| format!("--system: {file} cannot be read"))?),
    }
}

async fn until_stopped(runner: Runner, worker: impl Works) -> Result<(), Failure> {
    let mut stop = StopSignal::listen()?;
    let (tell, told) = tokio::sync::oneshot::channel();
    let mut running = pin!(runner.run(worker, async { told.await.unwrap_or_default() }));
    tokio::select! {
        ended = &mut running => return Ok(ended?),
        () = stop.received() => info!("stopping: what is under way is finished, or given back"),
    }
    let _ = tell.send(());
    tokio::select! {
        ended = running => Ok(ended?),
        () = stop.received() => {
            warn!("told to stop again: what is under way comes again when its lease has run out");
            Ok(())
        }
    }
}
