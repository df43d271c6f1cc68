//! What a server is told before it runs, and how it runs until it is told to stop.

use super::signal::HangUp;
use super::{Listeners, Role, Running, STOP_TIME_MAX, StopSignal, Stopped, reload, start};
use crate::config::Config;
use crate::library::Dialogues;
use crate::telemetry::panics;
use tracing::{info, warn};

/// A server that does not run yet.
#[derive(Debug)]
pub struct Server {
    config: Config,
    role: Role,
    listeners: Listeners,
    dialogues: Dialogues,
}

impl Server {
    /// One that does everything, with the flows that are data, where `config` says.
    pub fn new(config: Config) -> Self {
        Self { config, role: Role::Everything, listeners: Listeners::AsConfigured, dialogues: Dialogues::default() }
    }

    /// The same that does only this.
    #[must_use]
    pub fn role(self, role: Role) -> Self {
        Self { role, ..self }
    }

    /// The same on these sockets.
    #[must_use]
    pub fn listeners(self, listeners: Listeners) -> Self {
        Self { listeners, ..self }
    }

    /// The same with dialogues that are written in Rust.
    #[must_use]
    pub fn dialogues(self, dialogues: Dialogues) -> Self {
        Self { dialogues, ..self }
    }

    /// Starts it in this process. It answers when this returns, and never reads its flows anew by itself.
    ///
    /// # Errors
    /// If it cannot start.
    pub async fn start(self) -> anyhow::Result<Running> {
        start(&self.config, self.role, self.listeners, self.dialogues).await
    }

    /// Runs it until SIGTERM or SIGINT, and stops it without losing anything. SIGHUP has it read its flows anew.
    ///
    /// # Errors
    /// If it cannot start.
    pub async fn run(self) -> anyhow::Result<()> {
        panics::say_only_where();
        let (mut stop, hang_up) = (StopSignal::listen()?, HangUp::listen()?);
        let flows = self.config.flows.clone();
        let running = self.start().await?;
        reload::start(&running.library, hang_up, &flows, &running.stages.background)?;

        stop.received().await;
        info!("stopping: what is in flight finishes");
        tokio::select! {
            ended = running.stop() => match ended {
                Stopped::Clean => info!("stopped"),
                Stopped::OutOfTime => {
                    warn!("not everything ended in {} s; what is left comes again", STOP_TIME_MAX.as_secs());
                }
            },
            () = stop.received() => warn!("told to stop again: what is in flight is dropped and comes again"),
        }
        Ok(())
    }
}
