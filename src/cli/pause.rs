//! `botctl pause` and `resume`: a bot's updates are answered 503 while it is looked after.

use super::{Failure, output, store};
use crate::bot::Bot;
use crate::config::Config;
use clap::Args;
use serde_json::json;

/// Answer 503 for a bot's updates: Telegram keeps them for a day and sends them later
#[derive(Args, Debug)]
#[command(after_help = "\
Servers learn of it within a second. What the bot has queued is sent all the same.

Examples:
  botctl pause --bot shop
  botctl resume --bot shop")]
pub(super) struct Pause {
    #[command(flatten)]
    which: Which,
}

/// Take a paused bot's updates again
#[derive(Args, Debug)]
#[command(after_help = "\
Servers learn of it within a second.

Examples:
  botctl resume --bot shop")]
pub(super) struct Resume {
    #[command(flatten)]
    which: Which,
}

#[derive(Args, Debug)]
struct Which {
    /// The bot's name; may be left out when there is one bot
    #[arg(long, value_name = "NAME")]
    bot: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What becomes of a bot's updates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Updates {
    Paused,
    Taken,
}

pub(super) async fn pause(config: &Config, arguments: &Pause) -> Result<(), Failure> {
    run(config, &arguments.which, Updates::Paused).await
}

pub(super) async fn resume(config: &Config, arguments: &Resume) -> Result<(), Failure> {
    run(config, &arguments.which, Updates::Taken).await
}

async fn run(config: &Config, which: &Which, updates: Updates) -> Result<(), Failure> {
    let storage = store::open(config).await?;
    let bot = store::bot(&storage, which.bot.as_deref()).await?;
    let paused = updates == Updates::Paused;
    let changed = bot.paused != paused;
    let name = bot.name.clone();
    if changed {
        store::change(&storage, &Bot { paused, ..bot }).await?;
    }
    if which.json {
        return output::json(&json!({"bot": name, "paused": paused, "changed": changed}));
    }
    let already = if changed { "" } else { " already" };
    output::line(&match updates {
        Updates::Paused => format!("{name} is paused{already}: its updates are answered 503 and wait at Telegram"),
        Updates::Taken => format!("{name} is not paused{already}: its updates are taken"),
    })
}
