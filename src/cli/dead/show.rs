//! `botctl dead show`.

use super::key;
use crate::cli::{Failure, output, private, store};
use crate::config::Config;
use crate::storage::{Letter, ListedFailure};
use anyhow::anyhow;
use clap::Args;
use serde::Serialize;
use serde_json::Value;

/// Show one, what users wrote hidden
#[derive(Args, Debug)]
#[command(after_help = "\
Texts, names and places of users are hidden, unless --texts asks for them.

Examples:
  botctl dead show 123456789
  botctl dead show sha256:9f86d081 --texts")]
pub(in crate::cli) struct Show {
    /// Its key, as `botctl dead list` has it: an update's id, or sha256:… or its beginning
    key: String,
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
struct Shown<'a> {
    bot: &'a str,
    #[serde(flatten)]
    failure: &'a ListedFailure,
    /// A text where the body is no JSON.
    body: Value,
}

pub(super) async fn run(config: &Config, arguments: &Show) -> Result<(), Failure> {
    let storage = store::open(config).await?;
    let bot = store::bot(&storage, arguments.bot.as_deref()).await?;
    let key = key::find(&storage, &bot, &arguments.key).await?;
    let letter = storage.letter(bot.id, &key).await?;
    let Letter { listed, body } = letter.ok_or_else(|| anyhow!("the failed update {key} is gone"))?;
    let body = serde_json::from_slice(&body).unwrap_or_else(|_| String::from_utf8_lossy(&body).into_owned().into());
    let body = if arguments.texts { body } else { private::hidden(body) };
    if arguments.json {
        return output::json(&Shown { bot: &bot.name, failure: &listed, body });
    }
    let given_up = listed.dead_at.map_or_else(|| "no, it comes again".to_owned(), output::moment);
    let rows = [
        ("bot", bot.name),
        ("key", listed.key),
        ("reason", listed.reason),
        ("failures", listed.failures.to_string()),
        ("first", output::moment(listed.first_at)),
        ("last", output::moment(listed.last_at)),
        ("given_up", given_up),
    ];
    output::table(&rows.map(|(name, value)| [name.to_owned(), value]))?;
    output::line(&format!("\n{body:#}"))
}
