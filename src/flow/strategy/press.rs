//! Pure: no I/O, no clock. The thumb decides: a press is judged on the screen it was made on, not on the one that is
//! desired, and its message is the one that is edited. A button that is gone never runs another screen's action.

use super::draft::Draft;
use super::notice::{self, Closing};
use crate::flow::callback::Callback;
use crate::flow::chat::{Chat, View};
use crate::flow::decision::{Decision, Note, Place};
use crate::flow::definition::{Action, Flow, Step};
use crate::flow::event::Event;
use crate::flow::render::Notice;
use crate::telegram::answer::Answer;
use crate::telegram::id::MessageId;
use crate::telegram::method::{AnswerCallbackQuery, Inline};

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
    let Some((screen, step)) = press.data.and_then(|data| pressed(flow, &draft.chat, data)) else {
        let answer = notice::pressed(press.query, &flow.notice(&draft.chat, Notice::OldButton), Closing::Fades);
        return Decision { change: Some(draft.redraw(place)), answer, note: Some(Note::OldButton) };
    };
    let Ok(view) = draft.follow(judged(flow, chat, screen), step) else {
        return notice::unavailable(flow, chat, event);
    };
    let answer = Answer::inline(&Inline::AnswerCallbackQuery(AnswerCallbackQuery {
        callback_query_id: press.query.into(),
        ..AnswerCallbackQuery::default()
    }));
    Decision { change: Some(draft.show(view, place)), answer, note: None }
}

/// The screen and the step that `data` names, if the flow has them and the button is there for `chat`.
fn pressed<'a>(flow: &'a Flow, chat: &Chat, data: &str) -> Option<(&'a str, &'a Step)> {
    let callback = Callback::parse(data)?;
    let screen = flow.screen(callback.screen)?;
    let button = screen.button(callback.button).filter(|button| button.when.holds(flow, chat))?;
    let Action::Step(step) = &button.action else { return None };
    // A client sends a press that was not answered in time once more, as another update: what asks is asked once.
    let current = chat.desired.as_ref().map(|desired| desired.revision);
    let is_current = callback.revision.is_some() && callback.revision == current;
    (step.request.is_none() || is_current).then_some((&screen.name, step))
}

/// The pressed screen with its arguments and the way back, as far as the chat knows them.
fn judged(flow: &Flow, chat: &Chat, screen: &str) -> View {
    let desired = chat.desired.as_ref().map(|desired| &desired.view);
    let shown = chat.shown.as_ref().map(|shown| &shown.view);
    let known = desired.into_iter().chain(shown).find(|view| view.top.screen == screen);
    known.cloned().unwrap_or_else(|| View::alone(flow, screen))
}
