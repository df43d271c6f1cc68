//! What can be asked about a sender at any time. Never waits for it.

use crate::clock::Timestamp;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What getWebhookInfo tells of the sender, and a little more.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Info {
    /// The last thing that went wrong; successes do not clear it.
    pub last_error: Option<LastError>,
    /// Connections that are open or being opened.
    pub connections: usize,
    /// Requests in flight.
    pub in_flight: usize,
    /// Queues held in memory.
    pub queues: usize,
    /// Whether the webhook was removed, since it had answered 410 for too long.
    pub removed: bool,
}

/// What went wrong, and when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastError {
    /// `last_error_date`.
    pub at: Timestamp,
    /// `last_error_message`.
    pub message: String,
}

/// The sender's [`Info`], written by it and read by anybody.
#[derive(Clone, Debug, Default)]
pub(super) struct Status(Arc<Mutex<Info>>);

impl Status {
    pub(super) fn info(&self) -> Info {
        self.lock().clone()
    }

    pub(super) fn is_removed(&self) -> bool {
        self.lock().removed
    }

    pub(super) fn error(&self, at: Timestamp, message: &str) {
        self.lock().last_error = Some(LastError { at, message: message.to_owned() });
    }

    pub(super) fn remove(&self) {
        self.lock().removed = true;
    }

    pub(super) fn counts(&self, connections: usize, in_flight: usize, queues: usize) {
        let mut info = self.lock();
        (info.connections, info.in_flight, info.queues) = (connections, in_flight, queues);
    }

    fn lock(&self) -> MutexGuard<'_, Info> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
