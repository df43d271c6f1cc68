//! What tells a process to stop.

use tokio::signal::unix::{Signal, SignalKind, signal};

/// SIGTERM or SIGINT. SIGHUP, which would end the process, is taken and does nothing.
#[derive(Debug)]
pub struct StopSignal {
    terminate: Signal,
    interrupt: Signal,
    _hang_up: Signal,
}

impl StopSignal {
    /// From now on none of them ends the process by itself.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn listen() -> std::io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            _hang_up: signal(SignalKind::hangup())?,
        })
    }

    /// Ends with the next one.
    pub async fn received(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}
