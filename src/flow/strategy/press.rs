//! Pure: no I/O, no clock. The thumb decides: a press is judged on the screen it was made on, not on the one that is
//! desired, and its message is the one that is edited. A button that is gone never runs another screen's action.

use super::draft::Draft;
use crate::flow::callback::Callback;
use crate::flow::chat::{Chat, View};
use crate::flow::decision::{Decision, Note, Place};
use crate::flow::definition::{Action, Flow, Step};
use crate::flow::event::Event;
use crate::flow::render::Notice;
use crate::telegram::answer::Answer;
use crate::telegram::id::MessageId;
use crate::telegram::method::{AnswerCallbackQuery, CALLBACK_ANSWER_MAX_CHARS, Inline};
use crate::telegram::text::{plain, shorten};

/// A press of a button.
#[derive(Clone, Copy, Debug)]
pub(in crate::flow) struct Press<'a> {
    /// By which it is answered.
    pub(in crate::flow) query: &'a str,
    /// The message the button stands under.
    pub(in crate::flow) message: Option<MessageId>,
    /// The button's payload.
    pub(in crate::flow) data: Option<&'a str>,
}

pub(in crate::flow) fn decide(flow: &Flow, chat: &Chat, event: &Event<'_>, press: Press<'_>) -> Decision {
    let mut draft = Draft::of_act(flow, chat, event);
    let place = press.message.map_or(Place::Shown, Place::Message);
    let Some((screen, step)) = press.data.and_then(|data| pressed(flow, data)) else {
        let answer = notice(press.query, &flow.notice(&draft.chat, Notice::OldButton), Closing::Fades);
        return Decision { change: Some(draft.redraw(place)), answer, note: Some(Note::OldButton) };
    };
    let view = draft.follow(judged(flow, chat, screen), step);
    let answer = Answer::inline(&Inline::AnswerCallbackQuery(AnswerCallbackQuery {
        callback_query_id: press.query.into(),
        ..AnswerCallbackQuery::default()
    }));
    Decision { change: Some(draft.show(view, place)), answer, note: None }
}

/// The screen and the step that `data` names, if the flow has them.
fn pressed<'a>(flow: &'a Flow, data: &str) -> Option<(&'a str, &'a Step)> {
    let callback = Callback::parse(data)?;
    let screen = flow.screen(callback.screen)?;
    match &screen.button(callback.button)?.action {
        Action::Step(step) => Some((&screen.name, step)),
        Action::Url(_) | Action::WebApp(_) => None,
    }
}

/// The pressed screen with its arguments and the way back, as far as the chat knows them.
fn judged(flow: &Flow, chat: &Chat, screen: &str) -> View {
    let desired = chat.desired.as_ref().map(|desired| &desired.view);
    let shown = chat.shown.as_ref().map(|shown| &shown.view);
    let known = desired.into_iter().chain(shown).find(|view| view.top.screen == screen);
    known.cloned().unwrap_or_else(|| View::alone(flow, screen))
}

/// How a notice on a press goes away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Closing {
    /// By itself.
    Fades,
    /// When the user closes it.
    ByHand,
}

/// Answers a press with `html`, of which such a notice can show the plain text.
pub(super) fn notice(query: &str, html: &str, closing: Closing) -> Answer {
    Answer::inline(&Inline::AnswerCallbackQuery(AnswerCallbackQuery {
        callback_query_id: query.into(),
        text: Some(shorten(&plain(html), CALLBACK_ANSWER_MAX_CHARS).into()),
        show_alert: closing == Closing::ByHand,
    }))
}
