//! `botctl delete-webhook`.

use super::drop::agreed;
use crate::cli::confirm::Ask;
use crate::cli::{Failure, output, store};
use crate::config::Config;
use crate::telegram::webhook::DeleteWebhook;
use clap::Args;
use serde_json::json;

/// Tell Telegram that a bot's updates go nowhere
#[derive(Args, Debug)]
#[command(after_help = "\
Updates wait at Telegram, for a day at most, until there is a webhook again.

Examples:
  botctl delete-webhook --bot shop
  botctl delete-webhook --bot shop --drop --yes")]
pub(in crate::cli) struct Delete {
    /// The bot's name; may be left out when there is one bot
    #[arg(long, value_name = "NAME")]
    bot: Option<String>,
    /// Throw away what waits at Telegram; how many updates that is, is said first
    #[arg(long)]
    drop: bool,
    /// Do not ask before dropping
    #[arg(long)]
    yes: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(in crate::cli) async fn run(config: &Config, arguments: Delete) -> Result<(), Failure> {
    let bot = store::bot(&store::open(config).await?, arguments.bot.as_deref()).await?;
    let client = super::client(config)?;
    let mut dropped = 0;
    if arguments.drop {
        dropped = agreed(&client, &bot, Ask::unless(arguments.yes)).await?;
    }
    let params = DeleteWebhook { drop_pending_updates: arguments.drop };
    let done = client.delete_webhook(&bot.token, params).await;
    done.map_err(|error| super::advice(error, "see `botctl webhook-info` for what Telegram has now"))?;
    if arguments.json {
        return output::json(&json!({"bot": bot.name, "drop_pending_updates": arguments.drop, "dropped": dropped}));
    }
    let lost = if arguments.drop { format!("{dropped} pending updates dropped") } else { "nothing dropped".to_owned() };
    output::line(&format!("{} has no webhook now, {lost}", bot.name))
}
