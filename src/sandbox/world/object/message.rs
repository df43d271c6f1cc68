//! Pure: no I/O, no clock. Messages.

use super::content::ContentObject;
use super::seconds;
use super::who::{ChatObject, UserObject};
use crate::sandbox::world::keyboard::Keyboard;
use crate::sandbox::world::message::Message;
use crate::sandbox::world::state::State;
use crate::sandbox::world::view::Author;
use crate::telegram::id::MessageId;
use serde::Serialize;

#[derive(Serialize)]
pub(in crate::sandbox::world) struct MessageObject<'a> {
    message_id: MessageId,
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<UserObject<'a>>,
    chat: ChatObject<'a>,
    date: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    edit_date: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reply_to_message: Option<Box<MessageObject<'a>>>,
    #[serde(flatten)]
    content: ContentObject<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reply_markup: Option<&'a Keyboard>,
}

impl<'a> MessageObject<'a> {
    pub(in crate::sandbox::world) fn of(state: &'a State, message: &'a Message) -> Self {
        let replied = message.reply_to.and_then(|id| state.chats.get(&message.chat)?.messages.get(&id));
        Self {
            // The message inside has never one of its own.
            reply_to_message: replied.map(|replied| Box::new(Self::alone(state, replied))),
            ..Self::alone(state, message)
        }
    }

    fn alone(state: &'a State, message: &'a Message) -> Self {
        Self {
            message_id: message.id,
            from: match message.author {
                Author::Bot => Some(UserObject::of_bot(&state.bot)),
                Author::User(user) => state.users.get(&user).map(UserObject::of),
            },
            chat: ChatObject::of(state, message.chat),
            date: seconds(message.sent),
            edit_date: message.edited.map(seconds),
            reply_to_message: None,
            content: ContentObject::of(&message.content),
            reply_markup: message.markup.inline(),
        }
    }
}
