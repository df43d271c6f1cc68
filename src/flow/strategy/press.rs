//! Pure: no I/O, no clock. The thumb decides: a press is judged on the screen it was made on, not on the one that is
//! desired, and its message is the one that is edited. A button that is gone never runs another screen's action.

use super::draft::Draft;
use super::notice::{self, Closing};
use crate::flow::callback::{Callback, OPEN};
use crate::flow::chat::{Chat, View};
use crate::flow::decision::{Decision, Note, Place};
use crate::flow::definition::{Action, Flow, Lane, Request, Step};
use crate::flow::event::Event;
use crate::flow::output::{OfferedAction, OfferedCall};
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
    let Some(pressed) = press.data.and_then(|data| pressed(flow, &draft.chat, data)) else {
        let answer = notice::pressed(press.query, &flow.notice(&draft.chat, Notice::OldButton), Closing::Fades);
        return Decision { change: Some(draft.redraw(place)), answer, note: Some(Note::OldButton) };
    };
    let (view, place) = match pressed {
        Pressed::Step(screen, step) => (draft.follow(judged(flow, chat, screen), step, None), place),
        // Content stays as it is: the screen comes below it.
        Pressed::Open(screen) => (View::alone(flow, screen), Place::New),
        Pressed::Offered(view, OfferedAction::Screen(screen)) => (view.go(flow, &screen), place),
        Pressed::Offered(view, OfferedAction::Call(OfferedCall { name, arguments })) => {
            let lane = lane(flow, &view.top.screen);
            (draft.call(view, &name, lane, arguments, None), place)
        }
        Pressed::Offered(view, OfferedAction::Url(_)) => (view, place),
    };
    let answer = Answer::inline(&Inline::AnswerCallbackQuery(AnswerCallbackQuery {
        callback_query_id: press.query.into(),
        ..AnswerCallbackQuery::default()
    }));
    Decision { change: Some(draft.show(view, place)), answer, note: None }
}

/// What was pressed.
enum Pressed<'a> {
    /// A button of this screen of the flow.
    Step(&'a str, &'a Step),
    /// A button under content that opens this screen.
    Open(&'a str),
    /// A button that a worker put on this screen.
    Offered(View, OfferedAction),
}

/// What `data` names, if it is there for `chat`.
fn pressed<'a>(flow: &'a Flow, chat: &Chat, data: &str) -> Option<Pressed<'a>> {
    let callback = Callback::parse(data)?;
    let screen = flow.screen(callback.screen)?;
    if callback.button == OPEN {
        return Some(Pressed::Open(&screen.name));
    }
    if let Some(number) = callback.number() {
        return offered(flow, chat, &callback, number);
    }
    let button = screen.button(callback.button).filter(|button| button.when.holds(flow, chat))?;
    let Action::Step(step) = &button.action else { return None };
    // The second tap on it, or one as the result came: it leads nowhere any more.
    if step.merely_cancels() && chat.busy.is_none() {
        return None;
    }
    // A client sends a press that was not answered in time once more, as another update: what asks is asked once.
    let current = chat.desired.as_ref().map(|desired| desired.revision);
    let is_current = callback.revision.is_some() && callback.revision == current;
    (step.request.is_none() || is_current).then_some(Pressed::Step(&screen.name, step))
}

/// A worker may have put other buttons there meanwhile, so all of them are judged under the revision they were drawn with.
fn offered<'a>(flow: &Flow, chat: &Chat, callback: &Callback<'_>, number: usize) -> Option<Pressed<'a>> {
    let desired = chat.desired.as_ref().filter(|desired| callback.revision == Some(desired.revision))?;
    let view = &desired.view;
    let action = view.top.face().filter(|_| view.top.screen == callback.screen)?.button(number)?.action.clone();
    let leads = match &action {
        OfferedAction::Screen(screen) => flow.screen(screen).is_some(),
        OfferedAction::Call(_) => true,
        // It sends nothing to us.
        OfferedAction::Url(_) => false,
    };
    leads.then(|| Pressed::Offered(view.clone(), action))
}

/// Where the flow asks for `screen`: who made it is asked again.
fn lane(flow: &Flow, screen: &str) -> Lane {
    let asked = flow.steps().find_map(|step| match &step.request {
        Some(Request::Call(called, work)) if called == screen => Some(work.lane),
        _ => None,
    });
    asked.unwrap_or(Lane::Default)
}

/// The pressed screen with its arguments and the way back, as far as the chat knows them.
fn judged(flow: &Flow, chat: &Chat, screen: &str) -> View {
    let desired = chat.desired.as_ref().map(|desired| &desired.view);
    if let Some(view) = desired.filter(|view| view.top.screen == screen) {
        return view.clone();
    }
    match chat.shown.as_ref().map(|shown| &shown.view).filter(|view| view.top.screen == screen) {
        None => View::alone(flow, screen),
        Some(shown) => {
            let mut view = shown.clone();
            view.resume(desired);
            view
        }
    }
}
