//! When the world is at rest: every update is taken, every message is sent, and nothing is on its way.
//! Time that nobody has to live through is skipped: the wait before a repeat, the wait for a flood limit.

use super::Sandbox;
use super::wire::{Edition, Entry, Row, Verdict};
use crate::clock::Timestamp;
use crate::storage::{self, Lane};
use crate::telegram::id::UpdateId;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout};

/// How often to look at first. The store and the wire are asked; nobody tells of rest, since rest is what is not.
const LOOK_FIRST: Duration = Duration::from_millis(2);
/// How often to look at last: each time half as often as before, since looking costs those who are looked at.
const LOOK_LAST: Duration = Duration::from_millis(32);
/// How long to wait for what is quiet at once, if it is quiet at all.
const QUIET_WAIT: Duration = Duration::from_millis(2);

/// How many jobs are looked at: one is enough to know.
const JOBS_LIMIT: usize = 1000;

/// Why the world is not at rest.
#[derive(Debug, thiserror::Error)]
pub enum Restless {
    /// It goes on and on.
    #[error("the world does not come to rest: {0}")]
    Busy(Busy),
    /// The store cannot be asked.
    #[error("the store cannot be asked whether anything waits")]
    Store(#[source] storage::Error),
}

/// What is under way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Busy {
    /// Updates that the webhook has not taken.
    pub pending: usize,
    /// Deliveries and calls on the wire.
    pub on_wire: usize,
    /// Jobs that wait to be sent, but for those that wait for the chat's next screen.
    pub jobs: usize,
    /// Whether the sender is at work.
    pub sending: bool,
}

impl std::fmt::Display for Busy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { pending, on_wire, jobs, sending } = self;
        let sending = if *sending { ", the sender is at work" } else { "" };
        write!(f, "{pending} updates not taken, {on_wire} requests in flight, {jobs} messages not sent{sending}")
    }
}

impl Sandbox {
    /// Waits until the world is at rest, at most `patience` of real time.
    ///
    /// # Errors
    /// If it is not by then.
    pub async fn rest(&self, patience: Duration) -> Result<(), Restless> {
        let end = Instant::now() + patience;
        let mut pause = LOOK_FIRST;
        loop {
            let mut busy = self.busy().await?;
            if busy == Busy::default() && timeout(QUIET_WAIT, self.api.quiet(self.bot)).await.is_ok() {
                // The last call may have led to an update: a payment does.
                busy = self.busy().await?;
                if busy == Busy::default() {
                    return Ok(());
                }
            }
            if Instant::now() > end {
                return Err(Restless::Busy(busy));
            }
            self.skip_waits();
            sleep(pause).await;
            pause = (pause * 2).min(LOOK_LAST);
        }
    }

    /// What is under way. Asked in the order in which one thing leads to the next: an update is committed with its
    /// jobs before it counts as taken, and a job is there until its message is sent.
    async fn busy(&self) -> Result<Busy, Restless> {
        let pending = self.updates.pending();
        let jobs = self.running.storage.jobs(self.bot, JOBS_LIMIT).await.map_err(Restless::Store)?;
        // A worker takes its time, which the user lives through.
        let jobs = jobs.iter().filter(|job| self.lanes_rest || job.lane == Lane::Outbound).count();
        let sending = !self.running.sender_is_idle();
        let on_wire = self.wire.rows().iter().filter(|row| row.took.is_none()).count();
        Ok(Busy { pending, on_wire, jobs, sending })
    }

    /// Jumps to where an update is sent again, or where a call that sleeps in the Bot API wakes.
    fn skip_waits(&self) {
        let rows = self.wire.rows();
        let asleep = rows.iter().any(|row| row.took.is_none() && matches!(row.entry, Entry::Call(_)));
        let wakes = if asleep { self.clock.next_due() } else { None };
        let next = [wakes, next_repeat(&rows, self.updates.pending())].into_iter().flatten().min();
        if let Some(moment) = next {
            self.clock.advance_to(moment);
        }
    }
}

/// When the first of the updates that wait is sent again; none while one of them is on the wire.
fn next_repeat(rows: &[Arc<Row>], pending: usize) -> Option<Timestamp> {
    let mut last: BTreeMap<UpdateId, &Verdict> = BTreeMap::new();
    for row in rows {
        if let Entry::Delivery(delivery) = &row.entry
            && delivery.edition == Edition::Original
        {
            last.insert(delivery.update, &delivery.verdict);
        }
    }
    if pending == 0 || last.values().any(|verdict| **verdict == Verdict::InFlight) {
        return None;
    }
    last.values().filter_map(|verdict| if let Verdict::Retry { due, .. } = verdict { Some(*due) } else { None }).min()
}
