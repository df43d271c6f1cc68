//! What went over the wire: each attempt of a delivery and each call of the Bot API is a row, kept for a while and told to
//! whoever watches. Never a secret: who writes a row hides it first.

use crate::clock::Timestamp;
use crate::telegram::id::{ChatId, UpdateId};
use bytes::Bytes;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::broadcast;

/// How many rows are kept.
const ROWS_MAX: usize = 2000;
/// How much of a request or a response is kept.
const KEPT_MAX_BYTES: usize = 16_384;

/// A row's place: they count up from one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RowId(pub u64);

/// Something that went over the wire.
#[derive(Clone, Debug)]
pub struct Row {
    /// Its place.
    pub id: RowId,
    /// When it began.
    pub at: Timestamp,
    /// How long it took; `None` while it is under way.
    pub took: Option<Took>,
    /// What it was.
    pub entry: Entry,
    /// The request.
    pub request: Kept,
    /// The response, as far as there was one.
    pub response: Kept,
}

/// How long something took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Took {
    /// By the simulated clock.
    pub simulated: Duration,
    /// By the real one.
    pub real: Duration,
}

/// What went over the wire.
#[derive(Clone, Debug)]
pub enum Entry {
    /// An attempt to deliver an update.
    Delivery(Delivery),
    /// A call of the Bot API.
    Call(Call),
}

/// An attempt to deliver an update.
#[derive(Clone, Debug)]
pub struct Delivery {
    /// Which update.
    pub update: UpdateId,
    /// Its kind.
    pub kind: &'static str,
    /// Its webhook queue.
    pub queue: i64,
    /// The how-many-eth attempt, from one.
    pub attempt: u32,
    /// Whether it counts.
    pub edition: Edition,
    /// The connection it went out on, counting from one.
    pub connection: u64,
    /// The status that was answered.
    pub status: Option<u16>,
    /// What became of it.
    pub verdict: Verdict,
    /// The method that the answer called, lower-cased.
    pub inline: Option<String>,
    /// What was done to it on request.
    pub faults: Vec<super::faults::DeliveryFault>,
}

/// Which of several copies of one attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edition {
    /// The one whose answer counts.
    Original,
    /// A copy that was sent at the same time, by a fault.
    Twin,
}

/// What became of an attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is in flight.
    InFlight,
    /// Delivered.
    Delivered,
    /// Failed, to be sent again.
    Retry {
        /// Not before this.
        due: Timestamp,
        /// Why.
        reason: String,
    },
    /// Failed, and by the next attempt the update would have expired.
    Expired {
        /// Why it failed.
        reason: String,
    },
    /// The webhook was stopped meanwhile.
    Cut,
    /// A twin, whose answer does not count.
    Ignored,
}

/// A call of the Bot API.
#[derive(Clone, Debug)]
pub struct Call {
    /// The method, as it was written.
    pub method: String,
    /// The chat it concerns, if any.
    pub chat: Option<ChatId>,
    /// The update in whose answer it stood; `None` for a request of its own.
    pub inline: Option<UpdateId>,
    /// The answer's status.
    pub status: Option<u16>,
    /// What the sandbox has to say about it: that it does not know the method, or that a fault struck.
    pub note: Option<String>,
}

/// The beginning of some bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    /// The beginning.
    pub bytes: Bytes,
    /// How many there were.
    pub total_bytes: usize,
}

impl Kept {
    /// Keeps the beginning of `bytes`.
    pub fn of(bytes: &[u8]) -> Self {
        let kept = bytes.get(..KEPT_MAX_BYTES).unwrap_or(bytes);
        Self { bytes: Bytes::copy_from_slice(kept), total_bytes: bytes.len() }
    }

    /// As text; what is no UTF-8 shows as `\u{fffd}`.
    pub fn text(&self) -> std::borrow::Cow<'_, str> {
        String::from_utf8_lossy(&self.bytes)
    }
}

/// The latest rows; a clone is the same.
#[derive(Clone, Debug)]
pub struct Wire(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    state: Mutex<State>,
    told: broadcast::Sender<Arc<Row>>,
}

#[derive(Debug, Default)]
struct State {
    rows: VecDeque<Arc<Row>>,
    so_far: u64,
}

impl Default for Wire {
    fn default() -> Self {
        Self(Arc::new(Inner { state: Mutex::default(), told: broadcast::Sender::new(ROWS_MAX) }))
    }
}

impl Wire {
    /// Begins a row.
    pub fn begin(&self, at: Timestamp, entry: Entry, request: Kept) -> RowId {
        let mut state = self.state();
        state.so_far += 1;
        let id = RowId(state.so_far);
        let row = Arc::new(Row { id, at, took: None, entry, request, response: Kept::default() });
        if state.rows.len() == ROWS_MAX {
            state.rows.pop_front();
        }
        state.rows.push_back(Arc::clone(&row));
        // Sent under the lock: watchers see changes in the order in which they were made.
        let _ = self.0.told.send(row);
        id
    }

    /// Changes a row, if it is still kept.
    pub fn change(&self, id: RowId, change: impl FnOnce(&mut Row)) {
        let mut state = self.state();
        let Ok(place) = state.rows.binary_search_by_key(&id, |row| row.id) else { return };
        let row = &mut state.rows[place];
        change(Arc::make_mut(row));
        let _ = self.0.told.send(Arc::clone(row));
    }

    /// The rows that are kept, oldest first.
    pub fn rows(&self) -> Vec<Arc<Row>> {
        self.state().rows.iter().cloned().collect()
    }

    /// The row `id`, if it is still kept.
    pub fn row(&self, id: RowId) -> Option<Arc<Row>> {
        let state = self.state();
        let place = state.rows.binary_search_by_key(&id, |row| row.id).ok()?;
        Some(Arc::clone(&state.rows[place]))
    }

    /// Every row from now on, each time it is begun or changed.
    pub fn watch(&self) -> broadcast::Receiver<Arc<Row>> {
        self.0.told.subscribe()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call() -> Entry {
        Entry::Call(Call { method: "getMe".to_owned(), chat: None, inline: None, status: None, note: None })
    }

    #[test]
    fn the_latest_rows_are_kept_and_watchers_see_them_grow() {
        let wire = Wire::default();
        let mut watcher = wire.watch();
        let first = wire.begin(Timestamp::default(), call(), Kept::default());
        wire.change(first, |row| row.response = Kept::of(b"ok"));
        assert_eq!(watcher.try_recv().unwrap().response, Kept::default());
        assert_eq!(watcher.try_recv().unwrap().response, Kept::of(b"ok"));
        for _ in 0..ROWS_MAX {
            wire.begin(Timestamp::default(), call(), Kept::default());
        }
        assert!(wire.row(first).is_none());
        wire.change(first, |_| panic!("it is gone"));
        assert_eq!(wire.rows().len(), ROWS_MAX);
    }

    #[test]
    fn only_the_beginning_of_long_bytes_is_kept() {
        let kept = Kept::of(&[b'x'; KEPT_MAX_BYTES + 1]);
        assert_eq!((kept.bytes.len(), kept.total_bytes), (KEPT_MAX_BYTES, KEPT_MAX_BYTES + 1));
        assert_eq!(Kept::of(b"\xff").text(), "\u{fffd}");
    }
}
