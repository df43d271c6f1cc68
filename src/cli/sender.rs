//! `botctl sender`.

use super::Failure;
use super::context::Context;
use super::process::Process;
use crate::app::Role;
use clap::Args;

/// Run the sender and the ops listener alone, beside `serve --no-sender`
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  DATABASE_URL=postgres://tapgate@db/tapgate botctl sender")]
pub(super) struct Sender {
    #[command(flatten)]
    process: Process,
}

pub(super) fn run(context: Context<'_>, arguments: Sender) -> Result<(), Failure> {
    arguments.process.run(context, Role::Sender)
}
