//! `botctl jobs drop`: a message that will not be sent. It is as if Telegram had refused it: the user's row goes back to
//! the screen that they see.

use super::done::{Done, GONE, print};
use crate::cli::context::{self, Setup};
use crate::cli::{Failure, store};
use crate::ending::{self, Ended};
use crate::storage::{End, JobId, LeasedJob, Reach, Settled, Settlement, Storage, Work};
use anyhow::anyhow;
use clap::Args;
use std::time::Duration;

/// How long the job is held for it. A command that dies in between leaves it to the sender again.
const LEASE: Duration = Duration::from_secs(15);

/// Give jobs up: what they were to show will not be shown
#[derive(Args, Debug)]
#[command(after_help = "\
The user stays on the screen that they see, and their row says so. A job that is in work at this moment is left alone.

Examples:
  botctl jobs drop 4711
  botctl jobs drop 4711 4712 --bot shop --json")]
pub(in crate::cli) struct Drop {
    /// Their ids, as `botctl jobs list` has them
    #[arg(value_name = "ID", required = true)]
    ids: Vec<i64>,
    /// The bot's name; may be left out when there is one bot
    #[arg(long, value_name = "NAME")]
    bot: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) async fn run(setup: &Setup<'_>, arguments: &Drop) -> Result<(), Failure> {
    let storage = store::open(setup).await?;
    let bot = store::bot(&storage, arguments.bot.as_deref()).await?;
    let dialogue = context::dialogue(&setup.library()?, &bot)?;
    let mut done = Vec::with_capacity(arguments.ids.len());
    for id in arguments.ids.iter().copied() {
        let (outcome, said) = match storage.lease_one(bot.id, JobId(id), LEASE).await? {
            Some(job) => {
                give_up(&storage, &*dialogue, &job).await?;
                ("dropped", "is dropped")
            }
            None if storage.job(bot.id, JobId(id)).await?.is_some() => {
                ("leased", "is in work: try again when `botctl jobs show` says otherwise")
            }
            None => ("gone", GONE),
        };
        done.push(Done { id, outcome, said });
    }
    print(&done, arguments.json)?;
    match done.iter().filter(|done| done.outcome != "dropped").count() {
        0 => Ok(()),
        left => Err(anyhow!("{left} of {} jobs were not dropped", done.len()).into()),
    }
}

/// Ends a job that is held: by the event that it will not be done, where that changes anything.
async fn give_up(storage: &Storage, dialogue: &dyn crate::flow::Dialogue, job: &LeasedJob) -> Result<(), Failure> {
    let ended = match ending::undone(storage, job).await? {
        Some(happened) => ending::end(storage, dialogue, job, happened, Reach::Reachable).await?,
        None => Ended::Unchanged,
    };
    let contended = || Failure::from(anyhow!("the chat of job {} changes all the time: try again", job.id.0));
    match ended {
        Ended::Applied | Ended::Lost => return Ok(()),
        // What it took from the balance has still to be given back.
        Ended::Panicked if matches!(job.work, Work::Task(_)) => {
            return Err(anyhow!("the flow panics at the end of job {}: mend it first", job.id.0).into());
        }
        Ended::Unchanged | Ended::Panicked => {}
        Ended::Contended => return Err(contended()),
    }
    match storage.settle(&Settlement::of(job, End::Refused { reach: Reach::Reachable })).await? {
        Settled::Busy => Err(contended()),
        Settled::Ended | Settled::Renewed | Settled::Lost => Ok(()),
    }
}
