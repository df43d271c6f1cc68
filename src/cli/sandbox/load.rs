//! `botctl sandbox load`: users who tap as fast as the webhook takes it, and the proof that each tap counted once.

use crate::cli::{Failure, output};
use crate::sandbox::Sandbox;
use crate::sandbox::load::{Load as Taps, run};
use crate::sandbox::options::{DemoWorker, Options};
use anyhow::anyhow;
use clap::Args;
use std::time::Duration;

/// Let many users tap as fast as the webhook takes it, and check that every tap counted once
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  botctl sandbox load
  botctl sandbox load --users 1000 --seconds 30 --json")]
pub(super) struct Load {
    /// How many users tap
    #[arg(long, value_name = "N", default_value_t = 400, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    users: u32,
    /// For how long
    #[arg(long, value_name = "S", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=3600))]
    seconds: u64,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) async fn tap(load: Load, options: Options) -> Result<(), Failure> {
    let max_connections = options.max_connections.into();
    let sandbox = Sandbox::start(Options { users: Vec::new(), demo: DemoWorker::Absent, ..options }).await?;
    let users = usize::try_from(load.users).unwrap_or(usize::MAX);
    let taps = Taps { users, length: Duration::from_secs(load.seconds), max_connections };
    let report = run(&sandbox, taps).await;
    sandbox.stop().await;
    let report = report.map_err(anyhow::Error::from)?;
    if load.json {
        output::json(&report)?
    } else {
        output::line(&report.to_string())?
    }
    if report.is_right() {
        return Ok(());
    }
    let (miscounted, unseen) = (report.miscounted.len(), report.unseen.len());
    Err(anyhow!("{miscounted} rows count other than what was done, {unseen} users do not see what their row says")
        .into())
}
