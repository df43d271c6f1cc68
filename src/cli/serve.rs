//! `botctl serve`: settings, logs, and over to the composition root.

use super::Failure;
use super::context::Context;
use crate::app::Role;
use crate::telemetry::log;
use clap::Args;

/// Run the webhook server, the ops listener and the sender
#[derive(Args, Debug)]
pub(super) struct Serve {
    /// Where updates come in: ADDRESS:PORT or unix:/path [env: TAPGATE_LISTEN] [default: 127.0.0.1:8080]
    #[arg(long, value_name = "ADDRESS", help_heading = "Settings")]
    listen: Option<String>,
    /// Where metrics and health are [env: TAPGATE_OPS_LISTEN] [default: 127.0.0.1:9180]
    #[arg(long, value_name = "ADDRESS", help_heading = "Settings")]
    ops_listen: Option<String>,
    /// A level, or TARGET=LEVEL pairs [env: TAPGATE_LOG] [default: info]
    #[arg(long, value_name = "FILTER", help_heading = "Settings")]
    log: Option<String>,
    /// Only take updates in; another process sends
    #[arg(long)]
    no_sender: bool,
}

pub(super) fn run(context: Context<'_>, arguments: Serve) -> Result<(), Failure> {
    let role = if arguments.no_sender { Role::Webhook } else { Role::Everything };
    let config = context
        .flag("listen", "--listen", arguments.listen)
        .flag("ops_listen", "--ops-listen", arguments.ops_listen)
        .flag("log.filter", "--log", arguments.log)
        .config()?;
    config.check_for_serving()?;
    // The server alone logs: another command says what it has to say as output or as its one error.
    log::init(&config.log)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    Ok(runtime.block_on(crate::app::serve(config, role))?)
}
