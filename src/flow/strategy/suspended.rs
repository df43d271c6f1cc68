//! Pure: no I/O, no clock. A suspended user is told so, and nothing else happens: no change, no job.

use super::draft::Draft;
use super::notice::told;
use crate::flow::chat::Chat;
use crate::flow::decision::{Decision, Note};
use crate::flow::definition::Flow;
use crate::flow::event::Event;
use crate::flow::render::Notice;

pub(in crate::flow) fn decide(flow: &Flow, chat: &Chat, event: &Event<'_>) -> Decision {
    let html = flow.notice(&Draft::of(flow, chat, event).chat, Notice::Suspended);
    Decision { change: None, answer: told(event, html), note: Some(Note::Suspended) }
}
