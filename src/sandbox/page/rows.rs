//! Pure: no I/O, no clock. Rows of the wire as the page draws them.

use super::super::deliver::queue_id;
use super::super::wire::{Call, Delivery, Edition, Entry, Row, Verdict};
use super::trouble::delivery_name;
use crate::clock::Timestamp;
use crate::telegram::id::ChatId;
use serde::Serialize;

/// A row without its bodies.
#[derive(Debug, Serialize)]
pub(super) struct Drawn {
    id: u64,
    at: Timestamp,
    /// How long it took by the real clock; none: it is under way.
    ms: Option<f64>,
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
        /// Whose chat it is.
        queue: i64,
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
        chat: Option<i64>,
        inline: Option<i64>,
        note: Option<String>,
    },
}

/// `row`, for the page; `crowd` says whether a chat is the traffic's.
pub(super) fn drawn(row: &Row, crowd: impl Fn(ChatId) -> bool) -> Drawn {
    let (status, chat, what) = match &row.entry {
        Entry::Delivery(delivery) => (delivery.status, Some(chat_of(delivery)), delivered(delivery)),
        Entry::Call(call) => (call.status, call.chat, called(call)),
    };
    Drawn {
        id: row.id.0,
        at: row.at,
        ms: row.took.map(|took| took.real.as_secs_f64() * 1000.0),
        crowd: chat.is_some_and(crowd),
        status,
        what,
    }
}

/// Whose chat a delivery is about.
pub(super) fn chat_of(delivery: &Delivery) -> ChatId {
    ChatId(queue_id(delivery.queue))
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
        queue: queue_id(delivery.queue),
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
    What::Call {
        method: call.method.clone(),
        chat: call.chat.map(|chat| chat.0),
        inline: call.inline.map(|update| update.0),
        note: call.note.clone(),
    }
}
