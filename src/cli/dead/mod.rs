//! `botctl dead …`.

mod drop;
mod key;
mod list;
mod retry;
mod show;

use super::Failure;
use super::context::Setup;
use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// List the updates that failed
    List(list::List),
    /// Show one, what users wrote hidden
    Show(show::Show),
    /// Handle updates again that were given up
    Retry(retry::Retry),
    /// Forget updates that were given up
    Drop(drop::Drop),
}

pub(super) async fn run(setup: &Setup<'_>, command: Command) -> Result<(), Failure> {
    match command {
        Command::List(arguments) => list::run(setup, &arguments).await,
        Command::Show(arguments) => show::run(setup, &arguments).await,
        Command::Retry(arguments) => retry::run(setup, &arguments).await,
        Command::Drop(arguments) => drop::run(setup, &arguments).await,
    }
}
