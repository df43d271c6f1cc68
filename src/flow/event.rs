//! Pure: no I/O, no clock. What can happen to a chat.

use crate::telegram::id::{ChatId, MessageId};
use crate::telegram::update::{DeliveryQueue, Update};
use std::borrow::Cow;

/// Something that happened in a private chat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event<'a> {
    /// The chat, which is also the user.
    pub chat: ChatId,
    /// IETF tag of the language of the user's client, where it is known.
    pub language: Option<Cow<'a, str>>,
    /// What happened.
    pub happened: Happened<'a>,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Happened<'a> {
    /// `/name argument` (or `/name@bot argument`), the name in lower case.
    Command {
        /// Without slash and without `@bot`.
        name: Cow<'a, str>,
        /// What follows it, trimmed; a deep link's parameter for `/start`.
        argument: Cow<'a, str>,
    },
    /// A text, or the caption of anything else.
    Text(Cow<'a, str>),
    /// A press of a button under a message.
    Press {
        /// By which it is answered.
        query: Cow<'a, str>,
        /// The message it stands under.
        message: Option<MessageId>,
        /// The button's payload; none for a game button.
        data: Option<Cow<'a, str>>,
    },
    /// The user blocked the bot, or no longer does.
    Membership {
        /// Whether the bot is blocked now.
        blocked: bool,
    },
}

/// What an update is to the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reading<'a> {
    /// An event of a private chat, to be decided.
    Event(DeliveryQueue, Event<'a>),
    /// A press outside private chats, or without a chat: it gets an empty answer, and nothing else happens.
    ForeignPress {
        /// By which it is answered.
        query: Cow<'a, str>,
    },
    /// From a group or channel: nothing happens.
    NotPrivate,
    /// A checkout or payment: counted, until payments are built.
    Payment,
    /// Nothing that the server handles.
    Nothing,
}

/// Reads `update`, which was sent to the bot called `username`.
pub fn read<'a>(update: Update<'a>, username: Option<&str>) -> Reading<'a> {
    let _ = (update, username);
    todo!()
}
