//! Pure: no I/O, no clock. One event in, one decision out.

use super::chat::Chat;
use super::decision::Decision;
use super::definition::Flow;
use super::event::Event;
use crate::clock::Timestamp;

/// What `event` leads to in `chat`.
pub fn decide(flow: &Flow, chat: &Chat, event: &Event<'_>, now: Timestamp) -> Decision {
    let _ = (flow, chat, event, now);
    todo!()
}
