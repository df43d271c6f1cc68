//! Pure: no I/O, no clock. Rows of the wire as the page draws them.

use super::super::deliver::queue_id;
use super::super::wire::{Call, Delivery, Edition, Entry, Row, Verdict};
use super::trouble::delivery_name;
use crate::clock::Timestamp;
use crate::telegram::id::ChatId;
use serde::Serialize;
use std::collections::BTreeMap;

/// How many updates are remembered with their chats.
const OWNERS_MAX: usize = 4096;

/// A row without its bodies.
#[derive(Debug, Serialize)]
pub(super) struct Drawn {
    id: u64,
    at: Timestamp,
    /// How long it took by the real clock; none: it is under way.
    ms: Option<f64>,
    /// Whose chat it is about.
    chat: Option<ChatId>,
    /// Whether it is of the traffic.
    crowd: bool,
    status: Option<u16>,
    #[serde(flatten)]
    what: What,
}

#[derive(Debug, Serialize)]
#[serde(tag = "entry", rename_all = "snake_case")]
enum What {
    Delivery {
        update: i64,
        kind: &'static str,
        attempt: u32,
        second: bool,
        connection: u64,
        verdict: &'static str,
        reason: Option<String>,
        inline: Option<String>,
        faults: Vec<String>,
    },
    Call {
        method: String,
        inline: Option<i64>,
        note: Option<String>,
    },
}

/// Whose updates went over the wire lately. A method in an answer names no chat; the update that was answered does.
#[derive(Debug, Default)]
pub(super) struct Owners(BTreeMap<i64, ChatId>);

impl Owners {
    /// The chat that `row` is about, if it is about one.
    pub(super) fn chat(&mut self, row: &Row) -> Option<ChatId> {
        match &row.entry {
            Entry::Delivery(delivery) => {
                let chat = ChatId(queue_id(delivery.queue));
                self.0.insert(delivery.update.0, chat);
                while self.0.len() > OWNERS_MAX {
                    self.0.pop_first();
                }
                Some(chat)
            }
            Entry::Call(call) => call.chat.or_else(|| self.0.get(&call.inline?.0).copied()),
        }
    }
}

/// `row`, for the page; `chat` is whose it is, `source` whether it is of the traffic.
pub(super) fn drawn(row: &Row, chat: Option<ChatId>, source: Source) -> Drawn {
    let (status, what) = match &row.entry {
        Entry::Delivery(delivery) => (delivery.status, delivered(delivery)),
        Entry::Call(call) => (call.status, called(call)),
    };
    Drawn {
        id: row.id.0,
        at: row.at,
        ms: row.took.map(|took| took.real.as_secs_f64() * 1000.0),
        chat,
        crowd: source == Source::Traffic,
        status,
        what,
    }
}

/// Who made a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// A user with a telephone, or nobody.
    People,
    /// The traffic.
    Traffic,
}

fn delivered(delivery: &Delivery) -> What {
    let (verdict, reason) = match &delivery.verdict {
        Verdict::InFlight => ("in_flight", None),
        Verdict::Delivered => ("delivered", None),
        Verdict::Retry { reason, .. } => ("retry", Some(reason.clone())),
        Verdict::Expired { reason } => ("expired", Some(reason.clone())),
        Verdict::Cut => ("cut", None),
        Verdict::Ignored => ("ignored", None),
    };
    What::Delivery {
        update: delivery.update.0,
        kind: delivery.kind,
        attempt: delivery.attempt,
        second: delivery.edition == Edition::Twin,
        connection: delivery.connection,
        verdict,
        reason,
        inline: delivery.inline.clone(),
        faults: delivery.faults.iter().copied().map(delivery_name).collect(),
    }
}

fn called(call: &Call) -> What {
    What::Call { method: call.method.clone(), inline: call.inline.map(|update| update.0), note: call.note.clone() }
}
