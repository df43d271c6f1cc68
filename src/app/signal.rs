//! What tells a process to stop, or to look at its flows again.

use tokio::signal::unix::{Signal, SignalKind, signal};

/// SIGTERM or SIGINT. SIGHUP, which would end the process, is taken, for whoever [`HangUp`] is.
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

/// SIGHUP.
#[derive(Debug)]
pub(super) struct HangUp(Signal);

impl HangUp {
    /// From now on none is missed.
    pub(super) fn listen() -> std::io::Result<Self> {
        signal(SignalKind::hangup()).map(Self)
    }

    /// Ends with the next one; of several at once, with all of them.
    pub(super) async fn received(&mut self) {
        self.0.recv().await;
    }
}
