//! `--drop`: what waits at Telegram is counted, said, and given up only then.

use crate::bot::Bot;
use crate::bot_api::{Client, Error};
use crate::cli::Failure;
use anyhow::anyhow;
use std::io::{BufRead, IsTerminal, Write};

/// Whether a person is to be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ask {
    /// If there is one at the terminal.
    Terminal,
    /// They said `--yes` already.
    Nobody,
}

/// How many updates wait at Telegram.
pub(super) async fn waiting(client: &Client, bot: &Bot) -> Result<u64, Error> {
    Ok(client.get_webhook_info(&bot.token).await?.pending_update_count)
}

/// How many updates are about to be lost, once that was said, and agreed to where a person is there to agree.
pub(super) async fn agreed(client: &Client, bot: &Bot, ask: Ask) -> Result<u64, Failure> {
    let pending = waiting(client, bot).await.map_err(|error| {
        super::advice(error, "what would be dropped cannot be counted, so nothing was done: see what Telegram says")
    })?;
    let mut stderr = std::io::stderr().lock();
    writeln!(stderr, "{pending} pending updates of {} will be lost", bot.name)?;
    let asked = ask == Ask::Terminal && pending > 0 && std::io::stdin().is_terminal();
    if asked {
        write!(stderr, "Drop them? [y/N] ")?;
        stderr.flush()?;
        let mut answer = String::new();
        std::io::stdin().lock().read_line(&mut answer)?;
        if !matches!(answer.trim().to_lowercase().as_str(), "y" | "yes") {
            return Err(anyhow!("nothing was dropped, and nothing else was done").into());
        }
    }
    Ok(pending)
}
