//! Pure: no I/O, no clock. The user blocked the bot, or no longer does. Nothing is sent because of it.

use super::draft::Draft;
use crate::flow::chat::{Chat, Version};
use crate::flow::decision::Decision;
use crate::flow::definition::Flow;
use crate::flow::event::Event;

pub(in crate::flow) fn decide(flow: &Flow, chat: &Chat, event: &Event<'_>, blocked: bool) -> Decision {
    if chat.blocked == blocked && chat.version != Version::default() {
        return Decision::default();
    }
    let mut draft = Draft::of(flow, chat, event);
    draft.chat.blocked = blocked;
    Decision { change: Some(draft.keep()), ..Decision::default() }
}
