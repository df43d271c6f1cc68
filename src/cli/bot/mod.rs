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
    /// Change a bot
    Set(set::Set),
    /// Give a bot a new webhook secret without losing an update
    RotateSecret(rotate::Rotate),
    /// Remove a bot with everything that is kept for it
    Remove(remove::Remove),
}

pub(super) async fn run(setup: &Setup<'_>, command: Command) -> Result<(), Failure> {
    match command {
        Command::Add(arguments) => add::run(setup, arguments).await,
        Command::List(arguments) => list::run(setup, &arguments).await,
        Command::Show(arguments) => show::run(setup, &arguments).await,
        Command::Set(arguments) => set::run(setup, arguments).await,
        Command::RotateSecret(arguments) => rotate::run(setup, arguments).await,
        Command::Remove(arguments) => remove::run(setup, &arguments).await,
    }
}
