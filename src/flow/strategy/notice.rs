//! Pure: no I/O, no clock. What is said beside the screen: it rides in the answer and moves nothing.

use crate::flow::event::{Event, Happened, checked_out};
use crate::telegram::answer::Answer;
use crate::telegram::id::ChatId;
use crate::telegram::method::{AnswerCallbackQuery, CALLBACK_ANSWER_MAX_CHARS, Inline, ParseMode, SendMessage};
use crate::telegram::text::{plain, shorten};

/// Answers `event` with `html`; a press with an alert.
pub(super) fn told(event: &Event<'_>, html: String) -> Answer {
    match &event.happened {
        Happened::Press { query, .. } => pressed(query, &html, Closing::ByHand),
        Happened::Command { .. } | Happened::Text(_) | Happened::Other => message(event.chat, html),
        Happened::Checkout { query, .. } => checked_out(query, Some(plain(&html).into())),
        _ => Answer::EMPTY,
    }
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

/// How a notice on a press goes away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Closing {
    /// By itself.
    Fades,
    /// When the user closes it.
    ByHand,
}

/// Answers a press with `html`, of which such a notice can show the plain text.
pub(super) fn pressed(query: &str, html: &str, closing: Closing) -> Answer {
    Answer::inline(&Inline::AnswerCallbackQuery(AnswerCallbackQuery {
        callback_query_id: query.into(),
        text: Some(shorten(&plain(html), CALLBACK_ANSWER_MAX_CHARS).into()),
        show_alert: closing == Closing::ByHand,
    }))
}
