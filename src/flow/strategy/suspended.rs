//! Pure: no I/O, no clock. A suspended user is told so, and nothing else happens: no change, no job.

use super::draft::Draft;
use super::press::{Closing, notice};
use crate::flow::chat::Chat;
use crate::flow::decision::{Decision, Note};
use crate::flow::definition::Flow;
use crate::flow::event::{Event, Happened};
use crate::flow::render::Notice;
use crate::telegram::answer::Answer;
use crate::telegram::id::ChatId;
use crate::telegram::method::{Inline, ParseMode, SendMessage};

pub(in crate::flow) fn decide(flow: &Flow, chat: &Chat, event: &Event<'_>) -> Decision {
    let html = flow.notice(&Draft::of(flow, chat, event).chat, Notice::Suspended);
    let answer = match &event.happened {
        Happened::Press { query, .. } => notice(query, &html, Closing::ByHand),
        Happened::Command { .. } | Happened::Text(_) => message(event.chat, html),
        Happened::Membership { .. } | Happened::Refused { .. } => Answer::EMPTY,
    };
    Decision { change: None, answer, note: Some(Note::Suspended) }
}

/// Answers a message with `html`; it moves no screen.
pub(super) fn message(id: ChatId, html: String) -> Answer {
    Answer::inline(&Inline::SendMessage(SendMessage {
        chat_id: id,
        text: html.into(),
        parse_mode: Some(ParseMode::Html),
        reply_markup: None,
    }))
}
