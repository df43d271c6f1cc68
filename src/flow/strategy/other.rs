//! Pure: no I/O, no clock. What is no text and has no caption: the desired screen says what it has to say to that,
//! or is shown anew below it.

use super::draft::Draft;
use super::notice;
use super::text::judged;
use crate::flow::chat::{Chat, View};
use crate::flow::decision::{Decision, Place};
use crate::flow::definition::Flow;
use crate::flow::event::Event;
use crate::telegram::answer::Answer;

pub(in crate::flow) fn decide(flow: &Flow, chat: &Chat, event: &Event<'_>) -> Decision {
    let draft = Draft::of_act(flow, chat, event);
    let view = match judged(flow, chat) {
        None => View::start(flow),
        Some((screen, view)) => match &screen.other {
            None => view,
            Some(other) => {
                let answer = notice::message(event.chat, flow.message(&draft.chat, other));
                return Decision { change: None, answer, note: None };
            }
        },
    };
    Decision { change: Some(draft.show(view, Place::New)), answer: Answer::EMPTY, note: None }
}
