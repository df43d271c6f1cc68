//! Pure: no I/O, no clock. A text is judged on the desired screen and answered in a new message below it.

use super::draft::Draft;
use crate::flow::chat::{Chat, View};
use crate::flow::decision::{Decision, Place};
use crate::flow::definition::Flow;
use crate::flow::event::Event;
use crate::telegram::answer::Answer;

pub(in crate::flow) fn decide(flow: &Flow, chat: &Chat, event: &Event<'_>) -> Decision {
    let mut draft = Draft::of_act(flow, chat, event);
    let view = match &chat.desired {
        None => View::start(flow),
        Some(desired) => {
            let screen = flow.screen(&desired.view.top.screen).unwrap_or(&flow.start);
            let seen = desired.view.top.screen == screen.name;
            draft.follow(if seen { desired.view.clone() } else { View::start(flow) }, &screen.text)
        }
    };
    Decision { change: Some(draft.show(view, Place::New)), answer: Answer::EMPTY, note: None }
}
