//! `--drop`: what waits at Telegram is counted, said, and given up only then.

use crate::bot::Bot;
use crate::bot_api::{Client, Error};
use crate::cli::Failure;
use crate::cli::confirm::{Ask, answers_yes};
use anyhow::anyhow;
use std::io::{IsTerminal, Write};

/// How many updates wait at Telegram.
pub(super) async fn waiting(client: &Client, bot: &Bot) -> Result<u64, Error> {
    Ok(client.get_webhook_info(&bot.token).await?.pending_update_count)
}

/// How many updates are about to be lost, once that was said, and agreed to where a person is there to agree.
pub(super) async fn agreed(client: &Client, bot: &Bot, ask: Ask) -> Result<u64, Failure> {
    let pending = waiting(client, bot).await.map_err(|error| {
        super::advice(error, "what would be dropped cannot be counted, so nothing was done: see what Telegram says")
    })?;
    writeln!(std::io::stderr(), "{pending} pending updates of {} will be lost", bot.name)?;
    let asked = ask == Ask::Terminal && pending > 0 && std::io::stdin().is_terminal();
    if asked && !answers_yes("Drop them?")? {
        return Err(anyhow!("nothing was dropped, and nothing else was done").into());
    }
    Ok(pending)
}
