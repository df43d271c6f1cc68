//! `botctl delete-webhook`.

use super::drop::{Ask, agreed};
use crate::cli::{Failure, output, store};
use crate::config::Config;
use crate::telegram::webhook::DeleteWebhook;
use clap::Args;
use serde_json::json;

/// Tell Telegram that a bot's updates go nowhere
#[derive(Args, Debug)]
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
        dropped = agreed(&client, &bot, if arguments.yes { Ask::Nobody } else { Ask::Terminal }).await?;
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
