//! Pure: no I/O, no clock. A request in flight: what was asked, since when, and what a fault makes of its answer.

use super::loaded::Outgoing;
use super::response::Response;
use crate::clock::Timestamp;
use crate::sandbox::faults::DeliveryFault;
use crate::sandbox::wire::{Edition, RowId};
use bytes::Bytes;
use std::time::Duration;
use tokio::time::Instant;

/// How long a response may take, from the moment its request was queued. Partial data does not begin it anew
/// (`create_connection` in tdlib/telegram-bot-api `WebhookActor.cpp`).
pub(super) const RESPONSE_LIMIT: Duration = Duration::from_secs(60);

/// A request in flight.
#[derive(Debug)]
pub(super) struct Flight {
    /// What was sent.
    pub(super) outgoing: Outgoing,
    /// Whether its answer counts.
    pub(super) edition: Edition,
    /// Its row on the wire.
    pub(super) row: RowId,
    /// Since when, by the simulated clock.
    pub(super) since: Timestamp,
    /// Since when, by the real one.
    pub(super) since_real: Instant,
    /// What goes wrong with it.
    pub(super) faults: Vec<DeliveryFault>,
    /// Its answer, where a fault holds it back.
    pub(super) held: Option<Held>,
}

/// An answer that a fault holds back.
#[derive(Debug)]
pub(super) struct Held {
    /// Until then.
    pub(super) until: Timestamp,
    /// The answer.
    pub(super) response: Response,
    /// Its bytes.
    pub(super) bytes: Bytes,
}

impl Flight {
    /// When Telegram gives up waiting.
    pub(super) fn deadline(&self) -> Timestamp {
        self.since.plus(RESPONSE_LIMIT)
    }

    /// When something has to be done about it.
    pub(super) fn due(&self) -> Timestamp {
        self.held.as_ref().map_or(self.deadline(), |held| held.until.min(self.deadline()))
    }

    /// How long its answer is held back.
    pub(super) fn delay(&self) -> Option<Duration> {
        self.faults.iter().find_map(|fault| match fault {
            DeliveryFault::DelayAnswer(delay) => Some(*delay),
            _ => None,
        })
    }

    /// Whether its answer is lost.
    pub(super) fn loses_its_answer(&self) -> bool {
        self.faults.contains(&DeliveryFault::LoseAnswer)
    }
}
