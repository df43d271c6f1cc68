//! `botctl bot …`.

mod add;
mod given;
mod list;
mod remove;
mod rotate;
mod set;
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
    /// Change a bot
    Set(set::Set),
    /// Give a bot a new webhook secret without losing an update
    RotateSecret(rotate::Rotate),
    /// Remove a bot with everything that is kept for it
    Remove(remove::Remove),
}

pub(super) async fn run(config: &Config, command: Command) -> Result<(), Failure> {
    match command {
        Command::Add(arguments) => add::run(config, arguments).await,
        Command::List(arguments) => list::run(config, &arguments).await,
        Command::Show(arguments) => show::run(config, &arguments).await,
        Command::Set(arguments) => set::run(config, arguments).await,
        Command::RotateSecret(arguments) => rotate::run(config, arguments).await,
        Command::Remove(arguments) => remove::run(config, &arguments).await,
    }
}
