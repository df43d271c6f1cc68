//! `botctl serve`.

use super::Failure;
use super::context::Context;
use super::process::Process;
use crate::app::Role;
use clap::Args;

/// Run the webhook server, the ops listener and the sender
#[derive(Args, Debug)]
#[command(after_help = "\
SIGTERM stops it without losing anything; give it 45 s.

Examples:
  botctl serve
  botctl serve --config /etc/tapgate.toml --listen unix:/run/tapgate/webhook.sock
  DATABASE_URL=postgres://tapgate@db/tapgate REDIS_URL=redis://cache botctl serve --no-sender")]
pub(super) struct Serve {
    /// Where updates come in: ADDRESS:PORT or unix:/path [env: TAPGATE_LISTEN] [default: 127.0.0.1:8080]
    #[arg(long, value_name = "ADDRESS", help_heading = "Settings")]
    listen: Option<String>,
    #[command(flatten)]
    process: Process,
    /// Only take updates in; another process sends
    #[arg(long)]
    no_sender: bool,
}

pub(super) fn run(context: Context<'_>, arguments: Serve) -> Result<(), Failure> {
    let role = if arguments.no_sender { Role::Webhook } else { Role::Everything };
    arguments.process.run(context.flag("listen", "--listen", arguments.listen), role)
}
