//! `botctl dead drop`.

use super::key::Which;
use crate::cli::confirm::{Ask, agreed};
use crate::cli::{Failure, output, store};
use crate::config::Config;
use clap::Args;
use serde_json::json;

/// Forget updates that were given up
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  botctl dead drop 123456789
  botctl dead drop --all --bot shop --yes")]
pub(in crate::cli) struct Drop {
    #[command(flatten)]
    which: Which,
    /// Do not ask before dropping
    #[arg(long)]
    yes: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) async fn run(config: &Config, arguments: &Drop) -> Result<(), Failure> {
    let storage = store::open(config).await?;
    let bot = store::bot(&storage, arguments.which.bot.as_deref()).await?;
    let keys = arguments.which.keys(&storage, &bot).await?;
    if !keys.is_empty() {
        let count = keys.len();
        agreed(&format!("{count} failed updates of {} will be lost", bot.name), Ask::unless(arguments.yes))?;
    }
    let mut dropped = Vec::new();
    for key in keys {
        if storage.drop_failure(bot.id, &key).await? {
            dropped.push(key);
        }
    }
    if arguments.json {
        return output::json(&json!({"bot": bot.name, "dropped": dropped}));
    }
    output::line(&format!("{} failed updates of {} dropped", dropped.len(), bot.name))
}
