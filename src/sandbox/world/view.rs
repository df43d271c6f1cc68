//! What one sees of a chat on the screen, as plain values. Never leads back into the world.

use crate::clock::Timestamp;
use crate::telegram::id::{ChatId, MessageId};
use serde::Serialize;

/// A user of the world.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct User {
    /// Their id, which is also that of their private chat with the bot.
    pub id: ChatId,
    /// Their name.
    pub first_name: String,
    /// IETF tag of their client's language; absent where the client tells none.
    pub language: Option<String>,
}

/// A chat as its user sees it. In the group, as any member sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ChatView {
    /// Its id.
    pub id: ChatId,
    /// Grows with every change of this chat.
    pub version: u64,
    /// Whether the user started the bot; until then it cannot write to them.
    pub started: bool,
    /// Whether the user blocked the bot.
    pub blocked: bool,
    /// What the bot is shown doing ("typing"), for 5 s or until its next message.
    pub action: Option<String>,
    /// The messages, oldest first; deleted ones are gone.
    pub messages: Vec<MessageView>,
    /// Toasts and alerts, oldest first.
    pub notices: Vec<Notice>,
    /// Presses whose button still shows that it waits.
    pub waiting: Vec<Press>,
    /// The commands menu in the user's language.
    pub commands: Vec<Command>,
    /// What stands on the menu button.
    pub menu: Menu,
}

/// One message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MessageView {
    /// Its id.
    pub id: MessageId,
    /// When it was sent.
    pub sent: Timestamp,
    /// When it was edited last, if it was.
    pub edited: Option<Timestamp>,
    /// Who wrote it; none: a service line.
    pub author: Author,
    /// What it holds.
    pub content: Content,
    /// Its inline keyboard, row by row.
    pub keyboard: Vec<Vec<Button>>,
}

/// Who wrote a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Author {
    /// The bot.
    Bot,
    /// This user.
    User(ChatId),
}

/// What a message holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Content {
    /// Text.
    Text(Rich),
    /// A photo with its caption, which may be empty.
    Photo {
        /// The picture.
        photo: Picture,
        /// What stands under it.
        caption: Rich,
    },
    /// An invoice in Stars.
    Invoice(Invoice),
    /// A service line ("You paid 50 ⭐ for …"), already in words.
    Service {
        /// The words.
        text: String,
    },
    /// Something else that a user sent.
    Other {
        /// `sticker`, `voice`…
        what: String,
    },
}

/// A formatted text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Rich {
    /// As HTML in Telegram's subset, all else escaped: safe to show.
    pub html: String,
    /// Without its marks.
    pub text: String,
}

/// Where a picture comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Picture {
    /// `file_id` of its largest size.
    pub file_id: String,
    /// The URL it was sent by, if it was.
    pub url: Option<String>,
}

/// An invoice and what became of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Invoice {
    /// The product's name.
    pub title: String,
    /// What it is.
    pub description: String,
    /// Its price in Stars.
    pub stars: i64,
    /// What became of it.
    pub payment: Payment,
}

/// What became of an invoice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum Payment {
    /// Nobody pays it at the moment.
    Open,
    /// The payer waits for the bot's answer to the checkout, at most 10 s.
    Waiting,
    /// The last try failed; it can be tried again.
    Failed {
        /// What the payer was told.
        reason: String,
    },
    /// It is paid.
    Paid {
        /// By which a refund names it.
        charge: String,
    },
    /// It was paid and given back.
    Refunded,
}

/// A button under a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Button {
    /// What it says.
    pub text: String,
    /// What it does.
    #[serde(flatten)]
    pub action: Action,
}

/// What a button does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "does", rename_all = "snake_case")]
pub enum Action {
    /// Sends a callback query.
    Callback {
        /// Its payload.
        data: String,
    },
    /// Opens a link.
    Url {
        /// Where.
        url: String,
    },
    /// Opens a web app.
    WebApp {
        /// Where.
        url: String,
    },
    /// Opens the payment sheet of the invoice.
    Pay,
    /// Something that the sandbox shows but does not do.
    Other {
        /// The field's name.
        what: String,
    },
}

/// A toast, or an alert that has to be closed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Notice {
    /// Counts the notices of the chat from 1.
    pub number: u64,
    /// Under which message the button was pressed.
    pub message: MessageId,
    /// What it says, plain.
    pub text: String,
    /// Whether it is an alert.
    pub alert: bool,
    /// When it came.
    pub at: Timestamp,
}

/// A press that was not answered yet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Press {
    /// Under which message.
    pub message: MessageId,
    /// The button's payload.
    pub data: String,
    /// When.
    pub at: Timestamp,
}

/// An entry of the commands menu.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Command {
    /// Without its slash.
    pub command: String,
    /// What it does.
    pub description: String,
}

/// The button beside the message field.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Menu {
    /// Opens the commands, if there are any.
    #[default]
    Commands,
    /// Opens a web app.
    WebApp {
        /// What the button says.
        text: String,
        /// Where.
        url: String,
    },
}
