//! `botctl chat …`.

mod ban;
mod change;
mod forget;
mod grant;
mod show;

use super::Failure;
use super::context::Setup;
use crate::telegram::id::ChatId;
use clap::{Args, Subcommand};

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Show what is known of a chat
    Show(show::Show),
    /// Suspend a user; one who never came is suspended beforehand
    #[command(after_help = BAN_EXAMPLES)]
    Ban(ban::Change),
    /// End a suspension
    #[command(after_help = UNBAN_EXAMPLES)]
    Unban(ban::Change),
    /// Add to a user's balance
    Grant(grant::Grant),
    /// Erase everything that is kept of a user
    Forget(forget::Forget),
}

const BAN_EXAMPLES: &str = "\
Examples:
  botctl chat ban --bot shop --chat 123456789";

const UNBAN_EXAMPLES: &str = "\
Examples:
  botctl chat unban --bot shop --chat 123456789";

/// Which chat of which bot.
#[derive(Args, Debug)]
pub(super) struct Which {
    /// The bot's name; may be left out when there is one bot
    #[arg(long, value_name = "NAME")]
    bot: Option<String>,
    /// The chat's id, which is the user's
    #[arg(long, value_name = "ID", allow_negative_numbers = true)]
    chat: ChatId,
}

impl Which {
    /// A private chat has its user's id, which is positive; a group's is negative, and has no row.
    fn check(&self) -> Result<(), Failure> {
        let refusal = || Failure::usage("--chat takes a user's id, a positive number: groups have no chat here");
        (self.chat.0 > 0).then_some(()).ok_or_else(refusal)
    }
}

pub(super) async fn run(setup: &Setup<'_>, command: Command) -> Result<(), Failure> {
    match command {
        Command::Show(arguments) => show::run(setup, &arguments).await,
        Command::Ban(arguments) => ban::run(setup, &arguments, ban::To::Banned).await,
        Command::Unban(arguments) => ban::run(setup, &arguments, ban::To::Free).await,
        Command::Grant(arguments) => grant::run(setup, &arguments).await,
        Command::Forget(arguments) => forget::run(setup, &arguments).await,
    }
}
