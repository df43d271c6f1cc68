//! Pure: no I/O, no clock. A text is judged on the desired screen and answered in a new message below it.

use super::draft::Draft;
use crate::flow::chat::{Chat, View};
use crate::flow::decision::{Decision, Place};
use crate::flow::definition::{Flow, Screen, TYPED_VALUE_MAX_CHARS};
use crate::flow::event::Event;
use crate::telegram::answer::Answer;
use crate::telegram::text::shorten;

pub(in crate::flow) fn decide(flow: &Flow, chat: &Chat, event: &Event<'_>, text: &str) -> Decision {
    let mut draft = Draft::of_act(flow, chat, event);
    let view = match judged(flow, chat) {
        None => View::start(flow),
        Some((screen, view)) => {
            if let Some(name) = &screen.keeps
                && let Some(variable) = flow.variable(name)
            {
                let value = shorten(text.trim(), TYPED_VALUE_MAX_CHARS);
                if variable.allows(&value) {
                    draft.chat.vars.insert(name.clone(), value);
                }
            }
            draft.follow(view, &screen.text, Some(text))
        }
    };
    Decision { change: Some(draft.show(view, Place::New)), answer: Answer::EMPTY, note: None }
}

/// The screen that the chat desires, or the start screen where that one is gone; none before the first contact.
pub(super) fn judged<'f>(flow: &'f Flow, chat: &Chat) -> Option<(&'f Screen, View)> {
    let view = &chat.desired.as_ref()?.view;
    Some(match flow.screen(&view.top.screen) {
        Some(screen) => (screen, view.clone()),
        None => (&flow.start, View::start(flow)),
    })
}
