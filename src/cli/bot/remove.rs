//! `botctl bot remove`: first its updates are refused everywhere, then everything goes, its own row last. What is
//! interrupted is finished by the same command.

use super::rotate::ALL_SERVERS_KNOW;
use crate::bot::Bot;
use crate::bot_api::Error;
use crate::cli::confirm::{Ask, agreed};
use crate::cli::{Failure, output, store, webhook};
use crate::config::Config;
use crate::storage::Holdings;
use anyhow::anyhow;
use clap::Args;
use serde_json::json;
use tokio::time::sleep;

/// So many rows of a kind at a time: other bots' updates wait no longer than for that.
const PORTION: usize = 1000;

/// Remove a bot with everything that is kept for it
#[derive(Args, Debug)]
#[command(after_help = "\
Its chats, balances, ledgers, payments, jobs and dead letters are lost, and what was said. It is refused while the bot has \
a webhook: `botctl delete-webhook` first, so that Telegram does not go on posting to a bot that nobody knows.

Examples:
  botctl delete-webhook --bot shop && botctl bot remove --bot shop
  botctl bot remove --bot shop --yes --offline")]
pub(in crate::cli) struct Remove {
    /// The bot's name; may be left out when there is one bot
    #[arg(long, value_name = "NAME")]
    bot: Option<String>,
    /// Do not ask before removing
    #[arg(long)]
    yes: bool,
    /// Do not ask Telegram whether it has a webhook
    #[arg(long)]
    offline: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) async fn run(config: &Config, arguments: &Remove) -> Result<(), Failure> {
    let storage = store::open(config).await?;
    let bot = store::bot(&storage, arguments.bot.as_deref()).await?;
    if !arguments.offline {
        refuse_a_webhook(config, &bot).await?;
    }
    let lost = storage.holdings(bot.id).await?;
    let Holdings { chats, jobs, payments, failures, .. } = lost;
    let name = &bot.name;
    let held = format!("{chats} chats, {jobs} jobs, {payments} payments and {failures} failed updates");
    let said = format!("{name} will be removed with {held}");
    agreed(&said, Ask::unless(arguments.yes))?;

    // Paused first: no server takes an update of it any more that would be lost with the rest.
    store::change(&storage, &Bot { paused: true, ..bot.clone() }).await?;
    sleep(ALL_SERVERS_KNOW).await;
    while storage.clear_bot(bot.id, PORTION).await? > 0 {}
    storage.remove_bot(bot.id).await?;
    if arguments.json {
        return output::json(&json!({"bot": name, "removed": lost}));
    }
    output::line(&format!("{name} is removed, with {held}"))
}

async fn refuse_a_webhook(config: &Config, bot: &Bot) -> Result<(), Failure> {
    match webhook::client(config)?.get_webhook_info(&bot.token).await {
        // A token that was revoked has no webhook any more.
        Err(Error::Unauthorized) => Ok(()),
        Ok(has) if has.url.is_empty() => Ok(()),
        Ok(has) => Err(anyhow!(
            "{} has the webhook {}: `botctl delete-webhook --bot {}` first, or --offline to leave Telegram as it is",
            bot.name,
            has.url,
            bot.name
        )
        .into()),
        Err(error) => {
            Err(anyhow!(error).context("nothing was removed: mend this, or do not ask Telegram, with --offline").into())
        }
    }
}
