//! `botctl jobs show`.

use super::view::{View, standing};
use crate::cli::{Failure, output, private, store};
use crate::config::Config;
use crate::storage::JobId;
use anyhow::anyhow;
use clap::Args;
use serde::Serialize;
use serde_json::Value;

/// Show one job
#[derive(Args, Debug)]
#[command(after_help = "\
What users wrote is hidden, unless --texts asks for it.

Examples:
  botctl jobs show 4711
  botctl jobs show 4711 --texts --json")]
pub(in crate::cli) struct Show {
    /// Its id, as `botctl jobs list` has it
    id: i64,
    /// The bot's name; may be left out when there is one bot
    #[arg(long, value_name = "NAME")]
    bot: Option<String>,
    /// Show what users wrote
    #[arg(long)]
    texts: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Shown {
    #[serde(flatten)]
    job: View,
    payload: Option<Value>,
}

pub(super) async fn run(config: &Config, arguments: &Show) -> Result<(), Failure> {
    let storage = store::open(config).await?;
    let bot = store::bot(&storage, arguments.bot.as_deref()).await?;
    let Some(found) = storage.job(bot.id, JobId(arguments.id)).await? else {
        let (name, id) = (&bot.name, arguments.id);
        return Err(anyhow!("{name} has no job {id}: it may be done; `botctl jobs list` lists those there are").into());
    };
    let read = |payload: String| serde_json::from_str(&payload).unwrap_or(Value::String(payload));
    let payload = found.payload.map(read);
    let payload = if arguments.texts { payload } else { payload.map(private::hidden) };
    let shown = Shown { job: View::of(&found.listed), payload };
    if arguments.json {
        return output::json(&shown);
    }
    let View { id, chat, lane, attempts, .. } = &shown.job;
    let payload = shown.payload.as_ref().map_or_else(|| "-".to_owned(), ToString::to_string);
    let rows = [
        ("id", id.to_string()),
        ("bot", bot.name),
        ("chat", chat.to_string()),
        ("lane", (*lane).to_owned()),
        ("what", shown.job.what()),
        ("attempts", attempts.to_string()),
        ("stands", standing(found.listed.standing)),
        ("payload", payload),
    ];
    output::table(&rows.map(|(name, value)| [name.to_owned(), value]))
}
