//! `botctl jobs …`.

mod list;
mod retry;
mod show;
mod view;

use super::Failure;
use crate::config::Config;
use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// List a bot's jobs
    List(list::List),
    /// Show one job
    Show(show::Show),
    /// Try jobs again at once that wait or were refused
    Retry(retry::Retry),
}

pub(super) async fn run(config: &Config, command: Command) -> Result<(), Failure> {
    match command {
        Command::List(arguments) => list::run(config, &arguments).await,
        Command::Show(arguments) => show::run(config, &arguments).await,
        Command::Retry(arguments) => retry::run(config, &arguments).await,
    }
}
