//! `botctl jobs retry`: jobs are made due; who does them is the sender or a worker, as ever.

use super::done::{Done, GONE, print};
use crate::cli::{Failure, output, store};
use crate::config::Config;
use crate::storage::{JobId, Retried, Standing};
use anyhow::anyhow;
use clap::Args;

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
        let (outcome, said) = match storage.retry_job(bot.id, JobId(id)).await? {
            Retried::Due => ("due", "is due now"),
            Retried::Leased => ("leased", "is in work already"),
            Retried::Gone => ("gone", GONE),
        };
        done.push(Done { id, outcome, said });
    }
    print(&done, arguments.json)?;
    if done.is_empty() && !arguments.json {
        output::line("no job waits")?;
    }
    match done.iter().filter(|done| done.outcome == "gone").count() {
        0 => Ok(()),
        gone => {
            Err(anyhow!("{} has no such jobs, {gone} in number: `botctl jobs list` lists those there are", bot.name)
                .into())
        }
    }
}
