//! `botctl payments …`.

mod list;
mod refund;

use super::Failure;
use super::context::Setup;
use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// List a bot's payments, the last first
    List(list::List),
    /// Give the Stars of a payment back
    Refund(refund::Refund),
}

pub(super) async fn run(setup: &Setup<'_>, command: Command) -> Result<(), Failure> {
    match command {
        Command::List(arguments) => list::run(setup, &arguments).await,
        Command::Refund(arguments) => refund::run(setup, &arguments).await,
    }
}
