//! `botctl chat grant`: gives to a balance, or takes from it, as an event of the dialogue, with a line in the ledger.

use super::{Which, change};
use crate::cli::context::{self, Setup};
use crate::cli::{Failure, output, store};
use crate::clock;
use crate::flow::chat::Chat;
use crate::flow::event::{Event, Happened};
use crate::storage::Key;
use anyhow::anyhow;
use clap::Args;
use serde::Serialize;

/// Longest reason, in characters.
const REASON_MAX_CHARS: usize = 200;

/// Add to a user's balance
#[derive(Args, Debug)]
#[command(after_help = "\
A negative amount takes away, down to nothing. The user's screen shows the new balance; the ledger keeps the reason.

Examples:
  botctl chat grant --chat 123456789 --amount 20 --reason ticket-4711
  botctl chat grant --bot shop --chat 123456789 --amount=-5 --json")]
pub(in crate::cli) struct Grant {
    #[command(flatten)]
    which: Which,
    /// How much
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    amount: i64,
    /// Why, for the ledger
    #[arg(long, value_name = "TEXT", default_value = "")]
    reason: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Done<'a> {
    bot: &'a str,
    chat: i64,
    balance: i64,
}

pub(super) async fn run(setup: &Setup<'_>, arguments: &Grant) -> Result<(), Failure> {
    let Grant { which, amount, reason, json } = arguments;
    which.check()?;
    if *amount == 0 {
        return Err(Failure::usage("--amount 0 changes nothing"));
    }
    if reason.chars().count() > REASON_MAX_CHARS {
        return Err(Failure::usage(format!("--reason has at most {REASON_MAX_CHARS} characters")));
    }
    let storage = store::open(setup).await?;
    let bot = store::bot(&storage, which.bot.as_deref()).await?;
    let dialogue = context::dialogue(&setup.library()?, &bot)?;
    let happened = Happened::Granted { amount: *amount, reason: reason.into() };
    let event = Event { chat: which.chat, language: None, happened };
    let what = format!("chat {} of {}", which.chat, bot.name);
    let key = Key { bot: bot.id, chat: which.chat };
    let decide = |chat: &Chat| match dialogue.decide(chat, &event, clock::now()).change {
        None if *amount < 0 && chat.balance <= 0 => {
            Err(anyhow!("{what} has a balance of {}: there is nothing to take", chat.balance).into())
        }
        change => Ok(change),
    };
    let Some(chat) = change::commit(&storage, key, &what, decide).await? else {
        return Err(anyhow!("the dialogue {} of {} takes no grants", bot.flow, bot.name).into());
    };
    if *json {
        return output::json(&Done { bot: &bot.name, chat: which.chat.0, balance: chat.balance });
    }
    output::line(&format!("{what} has a balance of {}", chat.balance))
}
