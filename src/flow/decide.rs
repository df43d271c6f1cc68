//! Pure: no I/O, no clock. One event in, one decision out.

use super::chat::{Chat, View};
use super::decision::Decision;
use super::definition::Flow;
use super::event::{Event, Happened};
use super::strategy::{command, membership, other, press, suspended, text};
use crate::clock::Timestamp;

/// What `event` leads to in `chat`.
///
/// Total: it ends well for every chat and every event, whatever another flow or version left in the row.
/// The same arguments always give the same decision, so one that came too late is simply decided again.
pub fn decide(flow: &Flow, chat: &Chat, event: &Event<'_>, _now: Timestamp) -> Decision {
    match &event.happened {
        Happened::Membership { blocked } => membership::decide(flow, chat, event, *blocked),
        Happened::Refused { revision } => Decision::take_back(chat, *revision, View::start(flow)),
        _ if chat.banned => suspended::decide(flow, chat, event),
        Happened::Command { name, argument } => command::decide(flow, chat, event, name, argument),
        Happened::Text(text) => text::decide(flow, chat, event, text),
        Happened::Other => other::decide(flow, chat, event),
        Happened::Press { query, message, data } => {
            press::decide(flow, chat, event, press::Press { query, message: *message, data: data.as_deref() })
        }
        _ => Decision::default(),
    }
}
