//! `botctl bot …`.

mod add;
mod list;
mod show;
mod view;

use super::Failure;
use crate::config::Config;
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

pub(super) async fn run(config: &Config, command: Command) -> Result<(), Failure> {
    match command {
        Command::Add(arguments) => add::run(config, arguments).await,
        Command::List(arguments) => list::run(config, &arguments).await,
        Command::Show(arguments) => show::run(config, &arguments).await,
    }
}
