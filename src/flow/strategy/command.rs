//! Pure: no I/O, no clock. A command leads from wherever the user is: it is judged on nothing but the start screen.

use super::draft::Draft;
use super::notice;
use crate::flow::chat::{Chat, View};
use crate::flow::decision::{Decision, Note, Place};
use crate::flow::definition::Flow;
use crate::flow::event::Event;
use crate::flow::render::Notice;
use crate::telegram::answer::Answer;

/// The command of every first contact, and the screen argument that keeps a deep link's parameter.
const START: &str = "start";

/// Longest parameter of a deep link (Bot API, deep linking): `A-Z a-z 0-9 _ -`.
const LINK_MAX_BYTES: usize = 64;

pub(in crate::flow) fn decide(flow: &Flow, chat: &Chat, event: &Event<'_>, name: &str, argument: &str) -> Decision {
    let mut draft = Draft::of_act(flow, chat, event);
    let Some(command) = flow.command(name) else {
        let answer = notice::message(event.chat, flow.notice(&draft.chat, Notice::UnknownCommand));
        return Decision { change: None, answer, note: Some(Note::UnknownCommand) };
    };
    if let Some(screen) = command.empty.as_deref().filter(|_| argument.is_empty()) {
        let change = draft.show(View::alone(flow, screen), Place::New);
        return Decision { change: Some(change), answer: Answer::EMPTY, note: None };
    }
    // What is neither a value of its variable nor a link's parameter was typed by hand and is dropped.
    if let Some(variable) = &command.argument
        && flow.variable(variable).is_some_and(|known| known.allows(argument))
    {
        draft.chat.vars.insert(variable.clone(), argument.to_owned());
    }
    let link = if name == START { flow.link(argument) } else { None };
    let mut view = draft.follow(View::start(flow), link.unwrap_or(&command.step), Some(argument));
    if name == START && command.argument.is_none() && is_link_parameter(argument) {
        view.top.arguments.insert(START.to_owned(), argument.to_owned());
    }
    Decision { change: Some(draft.show(view, Place::New)), answer: Answer::EMPTY, note: None }
}

/// Whether a deep link can carry `argument`.
pub(in crate::flow) fn is_link_parameter(argument: &str) -> bool {
    (1..=LINK_MAX_BYTES).contains(&argument.len())
        && argument.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}
