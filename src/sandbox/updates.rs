//! A bot's updates that no webhook has taken yet, as Telegram stores them (its `TQueue`): their ids, caps and expiry.
//! Never the order in which they go out: that is the sender's.
//!
//! Source of every number: tdlib/td `tddb/td/db/TQueue.{h,cpp}`.

use crate::clock::Timestamp;
use crate::sandbox::clock::Clock;
use crate::sandbox::deliver::{lives, queue_key};
use crate::sandbox::seed::{Random, Seed};
use crate::telegram::id::{ChatId, UpdateId};
use bytes::Bytes;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::watch;

/// Most updates a bot can have pending; further ones are discarded on arrival.
pub const PENDING_MAX: usize = 100_000;
/// Most bytes a bot's pending updates can have together.
pub const PENDING_MAX_BYTES: usize = 1 << 27;
/// Longest `"<kind>":{…}` of an update; a longer one is dropped unseen.
pub const UPDATE_MAX_BYTES: usize = 524_288;
/// An `update_id` is below this.
const ID_END: i64 = 2_000_000_000;
/// The first `update_id` of a queue is a random one of these.
const FIRST_ID: std::ops::RangeInclusive<u64> = 2_000_001..=1_000_000_000;

/// An update that has just happened.
#[derive(Clone, Debug)]
pub struct NewUpdate {
    /// Its kind, as the key of its object: `message`, `callback_query`.
    pub kind: &'static str,
    /// The object, byte for byte as Telegram writes it. Not text, since callback data that is no UTF-8 is written raw.
    pub object: Vec<u8>,
    /// The webhook queue, of [`queue_key`]. Zero is a queue of its own.
    pub queue: i64,
    /// How long it is kept, of [`lives`].
    pub lives: Duration,
}

impl NewUpdate {
    /// A press of `user` that no strict reader of JSON takes: its data is no UTF-8, and Telegram writes that raw
    /// (`json_store_callback_query_payload` in tdlib/telegram-bot-api `Client.cpp`).
    pub fn poison(user: ChatId) -> Self {
        let start = format!(
            "{{\"id\":\"1\",\"from\":{{\"id\":{user},\"is_bot\":false,\"first_name\":\"\"}},\"chat_instance\":\"1\",\"data\":\""
        );
        let kind = "callback_query";
        let object = [start.as_bytes(), b"\xff\xfe\"}"].concat();
        Self { kind, object, queue: queue_key(kind, user.0), lives: lives(kind) }
    }
}

/// An update that waits to be taken.
#[derive(Clone, Debug)]
pub struct Pending {
    /// Its id.
    pub id: UpdateId,
    /// Its kind.
    pub kind: &'static str,
    /// Its object.
    pub object: Bytes,
    /// Its webhook queue.
    pub queue: i64,
    /// When it is no longer worth sending.
    pub expires: Timestamp,
}

/// A bot's pending updates; a clone is the same.
#[derive(Clone, Debug)]
pub struct Updates(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    clock: Clock,
    state: Mutex<State>,
    changed: watch::Sender<()>,
}

#[derive(Debug)]
struct State {
    pending: BTreeMap<UpdateId, Pending>,
    bytes: usize,
    next: UpdateId,
    random: Random,
}

impl Updates {
    /// None, for the bot that `bot` names in the seed's chances.
    pub fn new(clock: Clock, seed: Seed, bot: &str) -> Self {
        let mut random = seed.random(&format!("updates of {bot}"));
        let next = first_id(&mut random);
        let state = State { pending: BTreeMap::new(), bytes: 0, next, random };
        Self(Arc::new(Inner { clock, state: Mutex::new(state), changed: watch::Sender::new(()) }))
    }

    /// Keeps `update` until it is taken or expires. `None` where Telegram discards it: too long, or too much is pending.
    pub fn push(&self, update: NewUpdate) -> Option<UpdateId> {
        let now = self.0.clock.now();
        let mut state = self.state();
        state.forget_expired_when_full(now);
        let size = stored_bytes(update.kind, &update.object);
        if size > UPDATE_MAX_BYTES || state.pending.len() >= PENDING_MAX || state.bytes > PENDING_MAX_BYTES - size {
            tracing::warn!("an update of {size} bytes is discarded: {} are pending", state.pending.len());
            return None;
        }
        let id = state.take_id();
        let pending = Pending {
            id,
            kind: update.kind,
            object: update.object.into(),
            queue: update.queue,
            expires: now.plus(update.lives),
        };
        state.bytes += size;
        state.pending.insert(id, pending);
        drop(state);
        self.0.changed.send_replace(());
        Some(id)
    }

    /// Up to `limit` updates from `from` on, oldest first; what expired is forgotten on the way.
    pub fn load(&self, from: UpdateId, limit: usize) -> Vec<Pending> {
        let now = self.0.clock.now();
        let mut state = self.state();
        let (mut loaded, mut expired) = (Vec::new(), Vec::new());
        // No further than needed: a hundred thousand may be pending.
        for update in state.pending.range(from..).map(|(_, update)| update) {
            if loaded.len() == limit {
                break;
            }
            if update.expires < now {
                expired.push(update.id);
            } else {
                loaded.push(update.clone());
            }
        }
        expired.into_iter().for_each(|id| state.forget(id));
        loaded
    }

    /// Forgets an update: it was taken, or given up.
    pub fn forget(&self, id: UpdateId) {
        self.state().forget(id);
        self.0.changed.send_replace(());
    }

    /// Forgets every update (`drop_pending_updates`); numbering goes on.
    pub fn drop_all(&self) {
        let mut state = self.state();
        state.pending.clear();
        state.bytes = 0;
        drop(state);
        self.0.changed.send_replace(());
    }

    /// How many are not yet taken, those in flight included (`pending_update_count`).
    pub fn pending(&self) -> usize {
        self.state().pending.len()
    }

    /// Told of every change.
    pub fn changed(&self) -> watch::Receiver<()> {
        self.0.changed.subscribe()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn take_id(&mut self) -> UpdateId {
        if self.next.0 >= ID_END {
            // Telegram forgets what is pending when the numbers end.
            self.pending.clear();
            self.bytes = 0;
            self.next = first_id(&mut self.random);
        }
        let id = self.next;
        self.next = UpdateId(id.0 + 1);
        id
    }

    fn forget(&mut self, id: UpdateId) {
        if let Some(update) = self.pending.remove(&id) {
            self.bytes -= stored_bytes(update.kind, &update.object);
        }
    }

    fn forget_expired_when_full(&mut self, now: Timestamp) {
        if self.pending.len() < PENDING_MAX {
            return;
        }
        let expired: Vec<_> =
            self.pending.values().filter(|update| update.expires < now).map(|update| update.id).collect();
        for id in expired {
            self.forget(id);
        }
    }
}

fn first_id(random: &mut Random) -> UpdateId {
    UpdateId(i64::try_from(random.within(FIRST_ID)).expect("an id has 30 bits"))
}

/// The bytes of `"<kind>":{…}`, which is what Telegram stores.
fn stored_bytes(kind: &str, object: &[u8]) -> usize {
    kind.len() + object.len() + 3
}
