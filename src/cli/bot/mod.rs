//! `botctl bot …`.

mod add;
mod list;
mod show;
mod view;

use super::Failure;
use super::context::Setup;
use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Add a bot
    Add(add::Add),
    /// List all bots
    List(list::List),
    /// Show one bot
    Show(show::Show),
}

pub(super) async fn run(setup: &Setup<'_>, command: Command) -> Result<(), Failure> {
    match command {
        Command::Add(arguments) => add::run(setup, arguments).await,
        Command::List(arguments) => list::run(setup, &arguments).await,
        Command::Show(arguments) => show::run(setup, &arguments).await,
    }
}
