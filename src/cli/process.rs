//! What every process that goes on running is told, and how it begins: settings, logs, over to the composition root.
//! Never knows what the process does: that is its role.

use super::Failure;
use super::context::Context;
use crate::app::{Role, Server};
use crate::telemetry::log;
use clap::Args;

/// The flags that `serve` and `sender` have in common.
#[derive(Args, Debug)]
pub(super) struct Process {
    /// Where metrics and health are [env: TAPGATE_OPS_LISTEN] [default: 127.0.0.1:9180]
    #[arg(long, value_name = "ADDRESS", help_heading = "Settings")]
    ops_listen: Option<String>,
    /// A level, or TARGET=LEVEL pairs [env: TAPGATE_LOG] [default: info]
    #[arg(long, value_name = "FILTER", help_heading = "Settings")]
    log: Option<String>,
}

impl Process {
    /// Runs until it is told to stop.
    pub(super) fn run(self, context: Context<'_>, role: Role) -> Result<(), Failure> {
        let dialogues = context.dialogues.clone();
        let config = context
            .flag("ops_listen", "--ops-listen", self.ops_listen)
            .flag("log.filter", "--log", self.log)
            .config()?;
        if role != Role::Sender {
            config.check_for_serving()?;
        }
        // Such a process alone logs: another command says what it has to say as output or as its one error.
        log::init(&config.log)?;
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        Ok(runtime.block_on(Server::new(config).role(role).dialogues(dialogues).run())?)
    }
}
