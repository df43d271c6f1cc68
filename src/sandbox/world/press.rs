//! Pressed buttons: the query goes to the bot, its answer comes back as a toast or an alert, or not at all.

use super::keyboard::Does;
use super::message::Message;
use super::object::{CallbackQueryObject, ChatObject, InaccessibleMessage, MessageObject, PressedMessage, UserObject};
use super::refused::Refused;
use super::state::State;
use super::{Impossible, Pressed, Which, World};
use crate::clock::Timestamp;
use crate::telegram::id::{ChatId, MessageId};
use std::collections::{HashMap, VecDeque};
use std::time::Duration;

/// For how long a query can be answered. Telegram does not document it; refusals were seen at 16.9 s (openclaw/openclaw
/// issues 42181 and 80152).
pub const ANSWER_WINDOW: Duration = Duration::from_secs(15);
/// How many queries are remembered; older ones are as good as unknown.
const QUERIES_MAX: usize = 10_000;

/// A press.
#[derive(Debug)]
pub(super) struct Query {
    pub(super) chat: ChatId,
    pub(super) message: MessageId,
    pub(super) data: String,
    pub(super) at: Timestamp,
    pub(super) answered: bool,
}

/// The presses that can still be answered, or could.
#[derive(Debug, Default)]
pub(super) struct Queries {
    by_id: HashMap<i64, Query>,
    /// Oldest first.
    order: VecDeque<i64>,
}

impl Queries {
    fn insert(&mut self, id: i64, query: Query) {
        self.by_id.insert(id, query);
        self.order.push_back(id);
        if self.order.len() > QUERIES_MAX {
            self.order.pop_front().map(|oldest| self.by_id.remove(&oldest));
        }
    }

    /// Those of `chat` that can be answered at `now`, oldest first.
    pub(super) fn open_in(&self, chat: ChatId, now: Timestamp) -> impl Iterator<Item = &Query> {
        let queries = self.order.iter().filter_map(|id| self.by_id.get(id));
        queries.filter(move |query| query.chat == chat && query.is_open(now))
    }
}

impl Query {
    /// Whether it can still be answered.
    pub(super) fn is_open(&self, now: Timestamp) -> bool {
        !self.answered && now.since(self.at) <= ANSWER_WINDOW
    }
}

/// How a press is answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::sandbox) struct PressAnswer {
    /// Empty: the button just stops waiting.
    pub(in crate::sandbox) text: String,
    pub(in crate::sandbox) shown: Shown,
}

/// How the text of an answer is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::sandbox) enum Shown {
    Toast,
    Alert,
}

impl World {
    /// The user presses a button under `message`, in their chat or in the group.
    ///
    /// # Errors
    /// If there is no such user, message or button, or the bot is blocked.
    pub fn presses(&self, user: ChatId, message: MessageId, which: Which<'_>) -> Result<Pressed, Impossible> {
        let mut turn = self.turn();
        if !turn.users.contains_key(&user) {
            return Err(Impossible::NoUser(user));
        }
        let now = turn.now;
        let place = [user, turn.group]
            .into_iter()
            .find(|chat| turn.chats.get(chat).is_some_and(|chat| chat.messages.contains_key(&message)));
        let (chat, does) = match (place, which) {
            (Some(chat), _) => (chat, turn.button(chat, message, which).ok_or(Impossible::NoButton(message))?),
            // The client still shows what is gone.
            (None, Which::Data(data)) if message.0 <= turn.last_message => (user, Does::Callback(data.to_owned())),
            (None, _) => return Err(Impossible::NoMessage(message)),
        };
        if turn.chats.get(&chat).is_some_and(|chat| chat.blocked) {
            return Err(Impossible::Blocked);
        }
        match does {
            Does::Callback(data) => {
                let id = turn.number();
                turn.tell_press(id, user, chat, message, &data);
                turn.queries.insert(id, Query { chat, message, data, at: now, answered: false });
                turn.touch(chat);
                drop(turn);
                self.look_again_in(ANSWER_WINDOW);
                Ok(Pressed::Query { id: id.to_string() })
            }
            Does::Url(url) => Ok(Pressed::Link(url)),
            Does::WebApp(url) => Ok(Pressed::WebApp(url)),
            Does::Pay => Ok(Pressed::Sheet),
            Does::Other(field, _) => Err(Impossible::Unsupported(field.to_owned())),
        }
    }

    /// Answers the press `id`, once and in time.
    pub(in crate::sandbox) fn answer_press(&self, id: i64, answer: PressAnswer) -> Result<(), Refused> {
        let mut turn = self.turn();
        let now = turn.now;
        let query = turn.queries.by_id.get_mut(&id).filter(|query| query.is_open(now)).ok_or(Refused::QueryTooOld)?;
        query.answered = true;
        let (chat, message) = (query.chat, query.message);
        turn.touch(chat);
        if let Some(chat) = turn.chats.get_mut(&chat).filter(|_| !answer.text.is_empty()) {
            chat.notify(message, answer.text, answer.shown == Shown::Alert, now);
        }
        Ok(())
    }
}

impl State {
    fn button(&self, chat: ChatId, message: MessageId, which: Which<'_>) -> Option<Does> {
        if let Which::Data(data) = which {
            return Some(Does::Callback(data.to_owned()));
        }
        let keyboard = self.message(chat, message)?.markup.inline()?;
        let key = match which {
            Which::At { row, column } => keyboard.0.get(row)?.get(column)?,
            Which::Labelled(text) => keyboard.keys().find(|key| key.text == text)?,
            Which::Data(_) => return None,
        };
        Some(key.does.clone())
    }

    pub(super) fn message(&self, chat: ChatId, message: MessageId) -> Option<&Message> {
        self.chats.get(&chat)?.messages.get(&message)
    }

    fn tell_press(&self, id: i64, user: ChatId, chat: ChatId, message_id: MessageId, data: &str) {
        let (Some(from), Some(place)) = (self.users.get(&user), self.chats.get(&chat)) else { return };
        let message = match place.messages.get(&message_id) {
            Some(message) => PressedMessage::Seen(Box::new(MessageObject::of(self, message))),
            None => PressedMessage::Gone(InaccessibleMessage { message_id, chat: ChatObject::of(self, chat), date: 0 }),
        };
        let query = CallbackQueryObject {
            id: id.to_string(),
            from: UserObject::of(from),
            message,
            chat_instance: place.instance.to_string(),
            data,
        };
        self.tell("callback_query", user, &query);
    }
}
