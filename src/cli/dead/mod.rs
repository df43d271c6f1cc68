//! `botctl dead …`.

mod drop;
mod key;
mod list;
mod retry;
mod show;

use super::Failure;
use crate::config::Config;
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

pub(super) async fn run(config: &Config, command: Command) -> Result<(), Failure> {
    match command {
        Command::List(arguments) => list::run(config, &arguments).await,
        Command::Show(arguments) => show::run(config, &arguments).await,
        Command::Retry(arguments) => retry::run(config, &arguments).await,
        Command::Drop(arguments) => drop::run(config, &arguments).await,
    }
}
