//! Pure: no I/O, no clock. What a bot's dialogue has to be, whether it is written as data or in Rust.

use super::chat::{Chat, Desired, Revision, View, Waiting};
use super::decide::decide;
use super::decision::{Change, Decision, Job, Place};
use super::definition::{Flow, Rendered};
use super::event::Event;
use crate::clock::Timestamp;
use crate::telegram::answer::Answer;
use std::fmt;

/// The dialogue of a bot: what an event leads to, and what a chat then sees.
///
/// [`Flow`] is the one that is read from `flow.toml`; for what data cannot say, implement this and name it to
/// [`cli::Program`](crate::cli::Program) or [`app::Server`](crate::app::Server). `tests/examples/counter.rs` is an example.
///
/// The server keeps its promises for every dialogue that keeps these:
///
/// - **Pure.** Equal arguments give equal results. An update may be decided several times before one of the decisions is
///   committed, and a screen is rendered as often as it is sent; so nothing is remembered but in the chat, nothing is
///   asked of the world, and time is `now`.
/// - **Total.** Every chat has an answer, also one that another dialogue or version left, a suspended one
///   (`chat.banned`) and one that never was (`chat.version` 0, which may be given its balance and locale); and so has
///   every event. A panic makes the update fail; at the third time it is a dead letter.
/// - **Prompt.** `decide` and `error_text` are called inside the request, and no call waits for anything.
/// - **The thumb decides.** A press is judged on the screen that its [`Callback`](super::callback::Callback) names, not
///   on the one that is desired, and a button that is gone changes nothing but what is shown.
///
/// [`Decision::show`], [`Decision::keep`] and, for what Telegram refused, [`Decision::take_back`] make decisions whose
/// versions and jobs are right.
pub trait Dialogue: fmt::Debug + Send + Sync + 'static {
    /// What `event` leads to in `chat`.
    fn decide(&self, chat: &Chat, event: &Event<'_>, now: Timestamp) -> Decision;

    /// What `chat` is to show: HTML in Telegram's subset, 1 to 4,096 characters of it visible, and the view it stands
    /// for: `chat.desired`'s, or another one where that is a screen that there no longer is.
    /// `waiting` says how the generation stands that the chat is busy with, if it is.
    fn render(&self, chat: &Chat, waiting: &Waiting) -> Rendered;

    /// What a user is told whose update could not be handled, HTML, in the locale nearest to the IETF tag `language`;
    /// empty: nothing.
    fn error_text(&self, language: Option<&str>) -> String;

    /// What a chat may ask for without paying that an operator makes, before its user comes.
    fn free_balance(&self) -> i64 {
        0
    }

    /// The locales it speaks; the first of them stands in for others.
    fn locales(&self) -> Vec<&str> {
        vec!["en"]
    }

    /// Its commands with their descriptions in `locale`, as `setMyCommands` takes them.
    fn commands(&self, _locale: &str) -> Vec<(&str, String)> {
        Vec::new()
    }
}

impl Dialogue for Flow {
    fn decide(&self, chat: &Chat, event: &Event<'_>, now: Timestamp) -> Decision {
        decide(self, chat, event, now)
    }

    fn render(&self, chat: &Chat, waiting: &Waiting) -> Rendered {
        Flow::render(self, chat, waiting)
    }

    fn error_text(&self, language: Option<&str>) -> String {
        Flow::error_text(self, language)
    }

    fn free_balance(&self) -> i64 {
        Flow::free_balance(self)
    }

    fn locales(&self) -> Vec<&str> {
        Flow::locales(self).collect()
    }

    fn commands(&self, locale: &str) -> Vec<(&str, String)> {
        Flow::commands(self, locale)
    }
}

impl Decision {
    /// `chat`, which is the one decided on with what is to change in it, shows `view` there; the event gets `answer`.
    pub fn show(mut chat: Chat, view: View, place: Place, answer: Answer) -> Self {
        let revision = Revision::from(chat.version.next());
        chat.desired = Some(Desired { view, revision });
        Self::commit(chat, vec![Job::Screen(place)], answer)
    }

    /// `chat`, which is the one decided on with what is to change in it, is stored, and nothing is sent because of it.
    pub fn keep(chat: Chat, answer: Answer) -> Self {
        Self::commit(chat, Vec::new(), answer)
    }

    fn commit(mut chat: Chat, jobs: Vec<Job>, answer: Answer) -> Self {
        chat.version = chat.version.next();
        Self { change: Some(Change { jobs, ..Change::of(chat) }), answer, note: None }
    }
}
