//! The updates in memory: of each queue the first is sent, waits to be sent again, or is in flight; the others stand behind
//! it (`load_updates`, `send_update`, `on_update_error`, `drop_event` in tdlib/telegram-bot-api `WebhookActor.cpp`).
//! Never a connection.

use super::retry::Backoff;
use crate::clock::Timestamp;
use crate::sandbox::seed::Random;
use crate::sandbox::updates::{Pending, Updates};
use crate::telegram::id::UpdateId;
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::time::Duration;

/// Updates with the queue zero have queues of their own, from here on (`unique_queue_id_`).
const UNIQUE_QUEUES_FROM: i64 = 1 << 60;

/// The updates in memory.
#[derive(Debug)]
pub(super) struct Loaded {
    updates: Updates,
    queues: HashMap<i64, VecDeque<Update>>,
    /// The queues whose first update is not in flight, in the order in which they are served.
    waiting: BTreeSet<(Due, i64)>,
    max_queues: usize,
    offset: UpdateId,
    unique: i64,
    events: u64,
}

/// When an update may be sent. Of one batch all are due at once, and the queue's id decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Due {
    at: Timestamp,
    /// Tells apart what happened one after the other within a millisecond, or while the clock stood still.
    event: u64,
}

#[derive(Debug)]
struct Update {
    pending: Pending,
    queue: i64,
    due: Due,
    backoff: Backoff,
}

/// An update that goes out.
#[derive(Clone, Debug)]
pub(super) struct Outgoing {
    /// The update.
    pub(super) update: Pending,
    /// The queue it goes out of.
    pub(super) queue: i64,
    /// Which attempt it is, from one.
    pub(super) attempt: u32,
}

/// What becomes of an update that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AfterFailure {
    /// It is sent again, not before this.
    Again(Timestamp),
    /// It would have expired by then, and was dropped.
    Expired,
}

impl Loaded {
    /// None yet, of a bot's `updates`, for a webhook with `max_connections`.
    pub(super) fn new(updates: Updates, max_connections: usize) -> Self {
        Self {
            updates,
            queues: HashMap::new(),
            waiting: BTreeSet::new(),
            max_queues: 2 * max_connections,
            offset: UpdateId(0),
            unique: UNIQUE_QUEUES_FROM,
            events: 0,
        }
    }

    /// How many queues are in memory, those that wait for a repeat included.
    pub(super) fn queues(&self) -> usize {
        self.queues.len()
    }

    /// Loads what there is room for.
    pub(super) fn load(&mut self, now: Timestamp) {
        while self.queues.len() < self.max_queues {
            let batch = self.updates.load(self.offset, self.max_queues - self.queues.len());
            let Some(last) = batch.last() else { return };
            self.offset = UpdateId(last.id.0 + 1);
            let due = self.due(now);
            for pending in batch {
                self.take_in(pending, due);
            }
        }
    }

    /// The first update that is due, which is in flight from now on.
    pub(super) fn send(&mut self, now: Timestamp) -> Option<Outgoing> {
        let &(due, queue) = self.waiting.first()?;
        if due.at > now {
            return None;
        }
        self.waiting.pop_first();
        let update = self.queues.get(&queue)?.front()?;
        Some(Outgoing { update: update.pending.clone(), queue, attempt: update.backoff.failures() + 1 })
    }

    /// When the next update is due that is not in flight.
    pub(super) fn next_due(&self) -> Option<Timestamp> {
        self.waiting.first().map(|(due, _)| due.at)
    }

    /// The update in flight of `queue` was delivered.
    pub(super) fn delivered(&mut self, queue: i64) {
        self.drop_first(queue);
    }

    /// The update in flight of `queue` failed.
    pub(super) fn failed(
        &mut self,
        queue: i64,
        retry_after: Option<Duration>,
        now: Timestamp,
        random: &mut Random,
    ) -> AfterFailure {
        let due = self.due(now);
        let Some(update) = self.queues.get_mut(&queue).and_then(VecDeque::front_mut) else {
            return AfterFailure::Expired;
        };
        let at = now.plus(update.backoff.fail(retry_after, random));
        if at > update.pending.expires {
            self.drop_first(queue);
            return AfterFailure::Expired;
        }
        update.due = Due { at, ..due };
        self.waiting.insert((update.due, queue));
        AfterFailure::Again(at)
    }

    fn due(&mut self, at: Timestamp) -> Due {
        self.events += 1;
        Due { at, event: self.events }
    }

    fn take_in(&mut self, pending: Pending, due: Due) {
        let queue = match pending.queue {
            0 => {
                self.unique += 1;
                self.unique
            }
            queue => queue,
        };
        let updates = self.queues.entry(queue).or_default();
        if updates.is_empty() {
            self.waiting.insert((due, queue));
        }
        updates.push_back(Update { pending, queue, due, backoff: Backoff::default() });
    }

    fn drop_first(&mut self, queue: i64) {
        let Some(updates) = self.queues.get_mut(&queue) else { return };
        if let Some(first) = updates.pop_front() {
            self.updates.forget(first.pending.id);
        }
        match updates.front() {
            Some(next) => {
                self.waiting.insert((next.due, next.queue));
            }
            None => {
                self.queues.remove(&queue);
            }
        }
    }
}
