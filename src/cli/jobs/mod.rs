//! `botctl jobs …`.

mod done;
mod drop;
mod list;
mod retry;
mod show;
mod view;

use super::Failure;
use super::context::Setup;
use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// List a bot's jobs
    List(list::List),
    /// Show one job
    Show(show::Show),
    /// Try jobs at once that wait for their next attempt
    Retry(retry::Retry),
    /// Give jobs up: what they were to show will not be shown
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
