//! Response times as Telegram sees them.

use super::Percentiles;
use crate::sandbox::Sandbox;
use crate::sandbox::wire::{Edition, Entry, Row, Verdict};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::TryRecvError;

/// Response times as Telegram sees them.
pub(super) struct Times {
    rows: Receiver<Arc<Row>>,
    taken: Vec<Duration>,
    /// Deliveries that failed.
    pub(super) failed: usize,
}

impl Times {
    pub(super) fn watch(sandbox: &Sandbox) -> Self {
        Self { rows: sandbox.wire.watch(), taken: Vec::new(), failed: 0 }
    }

    /// Takes in what went over the wire since. Rows that came faster than they were read are no sample.
    pub(super) fn collect(&mut self) {
        loop {
            let row = match self.rows.try_recv() {
                Ok(row) => row,
                Err(TryRecvError::Lagged(_)) => continue,
                Err(TryRecvError::Empty | TryRecvError::Closed) => return,
            };
            let (Entry::Delivery(delivery), Some(took)) = (&row.entry, row.took) else { continue };
            match delivery.verdict {
                Verdict::Delivered if delivery.edition == Edition::Original => self.taken.push(took.real),
                Verdict::Retry { .. } | Verdict::Expired { .. } => self.failed += 1,
                Verdict::Delivered | Verdict::InFlight | Verdict::Cut | Verdict::Ignored => {}
            }
        }
    }

    pub(super) fn percentiles(&mut self) -> Percentiles {
        self.taken.sort_unstable();
        let samples = self.taken.len();
        let at = |part: f64| {
            let place = ((samples as f64 * part).ceil() as usize).saturating_sub(1);
            self.taken.get(place).map_or(0.0, |time| time.as_secs_f64() * 1e3)
        };
        Percentiles { samples, p50_ms: at(0.5), p90_ms: at(0.9), p99_ms: at(0.99), max_ms: at(1.0) }
    }
}
