//! `botctl chat forget`: everything there is of a user, gone in one transaction.

use super::Which;
use crate::bot::Bot;
use crate::cli::confirm::{Ask, agreed};
use crate::cli::{Failure, output, private, store};
use crate::config::Config;
use crate::storage::{Forgotten, Key, Storage};
use anyhow::anyhow;
use clap::Args;
use serde_json::json;

/// Erase everything that is kept of a user
#[derive(Args, Debug)]
#[command(after_help = "\
The chat's row with balance, variables and a ban, its jobs, its ledger, what was said in it, and every failed update in \
which the user occurs. Payments stay: they are the bot's bookkeeping, and a refund must find them. The next update of the \
user makes them a newcomer. Redis forgets their last answers within the hour; what a worker uploaded for them and was not \
sent is swept later; copies in backups and in the database's own logs are not reached from here.

Examples:
  botctl chat forget --bot shop --chat 123456789
  botctl chat forget --chat 123456789 --yes --json")]
pub(in crate::cli) struct Forget {
    #[command(flatten)]
    which: Which,
    /// Do not ask before erasing
    #[arg(long)]
    yes: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) async fn run(config: &Config, arguments: &Forget) -> Result<(), Failure> {
    let Forget { which, yes, json } = arguments;
    which.check()?;
    let storage = store::open(config).await?;
    let bot = store::bot(&storage, which.bot.as_deref()).await?;
    let key = Key { bot: bot.id, chat: which.chat };
    let what = format!("chat {} of {}", which.chat, bot.name);
    let failures = failures_of(&storage, &bot, which.chat.0).await?;
    // A row that does not decode is a row all the same.
    let stored = storage.load(&[key]).await?.pop();
    let chat = match &stored {
        Some(Ok(None)) | None => None,
        Some(Ok(Some(stored))) if stored.chat.banned => Some("its row, and with it its ban"),
        Some(Ok(Some(_)) | Err(_)) => Some("its row"),
    };
    if chat.is_none() && failures.is_empty() {
        return Err(anyhow!("nothing is kept of {what}").into());
    }
    let rows = chat.unwrap_or("no row");
    let said = format!(
        "{what} will be forgotten: {rows}, its jobs, its ledger, what was said and {} failed updates",
        failures.len()
    );
    agreed(&said, Ask::unless(*yes))?;
    let forgotten = storage.forget(key, &failures).await?;
    if *json {
        return output::json(&json!({"bot": bot.name, "chat": which.chat.0, "forgotten": forgotten}));
    }
    let Forgotten { jobs, ledger, turns, failures, chats: _ } = forgotten;
    output::line(&format!(
        "{what} is forgotten, with {jobs} jobs, {ledger} lines of its ledger, {turns} turns of what was said and \
         {failures} failed updates"
    ))
}

/// The failed updates in which the user occurs.
async fn failures_of(storage: &Storage, bot: &Bot, user: i64) -> Result<Vec<String>, Failure> {
    let mut found = Vec::new();
    for failure in storage.failures(bot.id, usize::MAX).await? {
        let letter = storage.letter(bot.id, &failure.key).await?;
        if letter.is_some_and(|letter| private::mentions(&letter.body, user)) {
            found.push(failure.key);
        }
    }
    Ok(found)
}
