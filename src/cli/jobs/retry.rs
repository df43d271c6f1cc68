//! `botctl jobs retry`: jobs are made due; who does them is the sender or a worker, as ever.

use crate::cli::{Failure, output, store};
use crate::config::Config;
use crate::storage::{JobId, Retried, Standing};
use anyhow::anyhow;
use clap::Args;
use serde::Serialize;

/// Try jobs at once that wait for their next attempt
#[derive(Args, Debug)]
#[command(after_help = "\
A chat that Telegram put on hold (429) stays on hold, and the jobs of a chat keep their order.

Examples:
  botctl jobs retry 4711
  botctl jobs retry --all --bot shop")]
pub(in crate::cli) struct Retry {
    /// Their ids, as `botctl jobs list` has them
    #[arg(value_name = "ID", required_unless_present = "all")]
    ids: Vec<i64>,
    /// All jobs of the bot that wait
    #[arg(long, conflicts_with = "ids")]
    all: bool,
    /// The bot's name; may be left out when there is one bot
    #[arg(long, value_name = "NAME")]
    bot: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Done {
    id: i64,
    /// `due`, `leased`, `gone`.
    outcome: &'static str,
}

pub(super) async fn run(config: &Config, arguments: &Retry) -> Result<(), Failure> {
    let storage = store::open(config).await?;
    let bot = store::bot(&storage, arguments.bot.as_deref()).await?;
    let waits = |standing| matches!(standing, Standing::Waits(_));
    let ids: Vec<i64> = if arguments.all {
        let jobs = storage.jobs(bot.id, usize::MAX).await?;
        jobs.into_iter().filter(|job| waits(job.standing)).map(|job| job.id.0).collect()
    } else {
        arguments.ids.clone()
    };
    let mut done = Vec::with_capacity(ids.len());
    for id in ids {
        let outcome = match storage.retry_job(bot.id, JobId(id)).await? {
            Retried::Due => "due",
            Retried::Leased => "leased",
            Retried::Gone => "gone",
        };
        done.push(Done { id, outcome });
    }
    if arguments.json {
        output::json(&done)?;
    } else {
        for Done { id, outcome } in &done {
            let said = match *outcome {
                "due" => "is due now",
                "leased" => "is in work already",
                _ => "is not there: it may be done",
            };
            output::line(&format!("job {id} {said}"))?;
        }
        if done.is_empty() {
            output::line("no job waits")?;
        }
    }
    match done.iter().filter(|done| done.outcome == "gone").count() {
        0 => Ok(()),
        gone => {
            Err(anyhow!("{} has no such jobs, {gone} in number: `botctl jobs list` lists those there are", bot.name)
                .into())
        }
    }
}
