//! Users, their chats with the bot, one group: what people do becomes updates, what the bot does becomes messages.
//! Never speaks HTTP; never waits, but for what time itself ends.

mod view;

pub use view::{
    Action, Author, Button, ChatView, Command, Content, Invoice, Menu, MessageView, Notice, Payment, Picture, Press,
    Rich, User,
};

use crate::telegram::id::{ChatId, MessageId};
use tokio::sync::watch;

/// The world around one bot. Cheap to clone; all clones are the same world.
#[derive(Clone, Debug)]
pub struct World {}

/// Which button is pressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which<'a> {
    /// By its place, both from 0.
    At {
        /// Row, from the top.
        row: usize,
        /// Place in the row, from the left.
        column: usize,
    },
    /// By what it says; the first such.
    Labelled(&'a str),
    /// By payload, on the keyboard or not: an old or a forged keyboard sends what it likes.
    Data(&'a str),
}

/// What pressing a button did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pressed {
    /// A callback query went to the bot.
    Query {
        /// Its id.
        id: String,
    },
    /// A link opened.
    Link(String),
    /// A web app opened.
    WebApp(String),
    /// The payment sheet opened: `pays` or nothing follows.
    Sheet,
}

/// Something else that a user can send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Thing<'a> {
    /// A photo with a caption.
    Photo(&'a str),
    /// A sticker.
    Sticker,
    /// A voice message.
    Voice,
    /// A place on the map.
    Location,
}

/// Why a user cannot do that.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Impossible {
    /// There is no such user.
    #[error("there is no user {0}")]
    NoUser(ChatId),
    /// The chat does not hold it (any more).
    #[error("there is no message {0}")]
    NoMessage(MessageId),
    /// The keyboard does not have it.
    #[error("there is no such button under message {0}")]
    NoButton(MessageId),
    /// It is shown, but the sandbox does not do it.
    #[error("the sandbox cannot press a button with `{0}`")]
    Unsupported(String),
    /// Who blocked the bot sees no field to write in.
    #[error("the bot is blocked")]
    Blocked,
    /// It is no invoice, or it is paid, or being paid.
    #[error("message {0} cannot be paid")]
    NotPayable(MessageId),
}

#[expect(unused_variables, clippy::todo, clippy::missing_errors_doc, reason = "signatures first")]
impl World {
    /// Adds a user; ids are given by the world, the same in every run.
    pub fn add_user(&self, first_name: &str, language: Option<&str>) -> ChatId {
        todo!()
    }

    /// All users in the order they were added.
    pub fn users(&self) -> Vec<User> {
        todo!()
    }

    /// The one group, with the bot and all users in it.
    pub fn group(&self) -> ChatId {
        todo!()
    }

    /// Changes the language of the user's client.
    pub fn speaks(&self, user: ChatId, language: Option<&str>) -> Result<(), Impossible> {
        todo!()
    }

    /// The user writes to the bot; `/start` is a text like any other.
    pub fn says(&self, user: ChatId, text: &str) -> Result<MessageId, Impossible> {
        todo!()
    }

    /// The user sends something other than text.
    pub fn sends(&self, user: ChatId, thing: Thing<'_>) -> Result<MessageId, Impossible> {
        todo!()
    }

    /// The user edits a text they wrote.
    pub fn edits(&self, user: ChatId, message: MessageId, text: &str) -> Result<(), Impossible> {
        todo!()
    }

    /// The user follows `t.me/bot?start=payload` and presses START, which unblocks the bot if need be.
    pub fn follows(&self, user: ChatId, payload: &str) -> Result<MessageId, Impossible> {
        todo!()
    }

    /// The user writes into the group.
    pub fn says_in_group(&self, user: ChatId, text: &str) -> Result<MessageId, Impossible> {
        todo!()
    }

    /// The user presses a button under `message`.
    pub fn presses(&self, user: ChatId, message: MessageId, which: Which<'_>) -> Result<Pressed, Impossible> {
        todo!()
    }

    /// The user confirms the payment sheet of the invoice `message`: the bot is asked, and has 10 s.
    pub fn pays(&self, user: ChatId, message: MessageId) -> Result<(), Impossible> {
        todo!()
    }

    /// The user blocks the bot. Nothing happens if it is blocked.
    pub fn blocks(&self, user: ChatId) -> Result<(), Impossible> {
        todo!()
    }

    /// The user unblocks the bot. Nothing happens if it is not blocked.
    pub fn unblocks(&self, user: ChatId) -> Result<(), Impossible> {
        todo!()
    }

    /// The chat with `user`, or the group, as it looks now.
    pub fn chat(&self, chat: ChatId) -> Option<ChatView> {
        todo!()
    }

    /// Changes whenever something changes that `chat` shows; the number only grows.
    pub fn changed(&self) -> watch::Receiver<u64> {
        todo!()
    }
}
