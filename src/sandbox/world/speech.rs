//! What the bot does in a chat: sending, editing, deleting, being shown at work.

use super::World;
use super::chat::{ACTION_SHOWN, Chat, Place};
use super::message::{Content, Invoice, Markup, Message};
use super::photo::{Dimensions, Photo};
use super::refused::Refused;
use super::state::State;
use super::view::{Author, Payment};
use crate::clock::Timestamp;
use crate::sandbox::markup::Formatted;
use crate::telegram::id::{ChatId, MessageId};
use std::time::Duration;

/// Younger than this a message can be deleted (Bot API, deleteMessage; tdlib/td `can_delete_message`).
pub const DELETE_WINDOW: Duration = Duration::from_secs(2 * 86_400);

/// What the bot wants to send.
#[derive(Clone, Debug)]
pub(in crate::sandbox) struct Draft {
    pub(in crate::sandbox) body: Body,
    pub(in crate::sandbox) markup: Markup,
    pub(in crate::sandbox) reply_to: Option<MessageId>,
}

/// What a message of the bot holds.
#[derive(Clone, Debug)]
pub(in crate::sandbox) enum Body {
    Text(Formatted),
    Photo { photo: Photo, caption: Formatted },
    Invoice(Invoice),
}

/// What the bot changes in a message; its keyboard comes beside it.
#[derive(Clone, Debug)]
pub(in crate::sandbox) enum Change {
    Text(Formatted),
    Caption(Formatted),
    Media {
        photo: Photo,
        caption: Formatted,
    },
    /// The keyboard alone.
    Keyboard,
}

impl World {
    /// Whether the bot knows `chat` at all.
    pub(in crate::sandbox) fn knows(&self, chat: ChatId) -> Result<(), Refused> {
        let turn = self.turn();
        let known = turn.chats.get(&chat).is_some_and(|chat| chat.known);
        known.then_some(()).ok_or(Refused::ChatNotFound)
    }

    /// Whether the bot can see `message` in `chat`; `sought` is how it is called if not.
    pub(in crate::sandbox) fn sees(
        &self,
        chat: ChatId,
        message: MessageId,
        sought: &'static str,
    ) -> Result<(), Refused> {
        self.knows(chat)?;
        self.turn().message(chat, message).map(drop).ok_or(Refused::MessageNotFound(sought))
    }

    /// Sends `draft`; the message as the Bot API answers it.
    pub(in crate::sandbox) fn send(&self, chat: ChatId, draft: Draft) -> Result<String, Refused> {
        let mut turn = self.turn();
        let now = turn.now;
        turn.writable(chat)?.action = None;
        let content = match draft.body {
            Body::Text(text) => Content::Text(text),
            Body::Photo { photo, caption } => Content::Photo { photo, caption },
            Body::Invoice(invoice) => Content::Invoice { invoice, payment: Payment::Open },
        };
        let message = Message {
            id: MessageId(0),
            chat,
            author: Author::Bot,
            sent: now,
            edited: None,
            reply_to: draft.reply_to,
            content,
            markup: draft.markup,
        };
        let message = turn.put(message).ok_or(Refused::ChatNotFound)?;
        Ok(turn.answer(&message))
    }

    /// Whether `change` could be made to a message, whatever is new in it.
    pub(in crate::sandbox) fn can_edit(
        &self,
        chat: ChatId,
        message: MessageId,
        change: &Change,
    ) -> Result<(), Refused> {
        let turn = self.turn();
        let held = turn.message(chat, message).ok_or(Refused::MessageNotFound("message to edit"))?;
        held.takes(change)
    }

    /// Changes a message of the bot's own; the message as the Bot API answers it.
    pub(in crate::sandbox) fn edit(
        &self,
        chat: ChatId,
        message: MessageId,
        change: Change,
        markup: Markup,
    ) -> Result<String, Refused> {
        let mut turn = self.turn();
        let now = turn.now;
        let held = turn.writable(chat)?;
        let old = held.messages.get(&message).ok_or(Refused::MessageNotFound("message to edit"))?;
        let new = old.changed(change, markup, now)?;
        held.messages.insert(message, new.clone());
        held.version += 1;
        Ok(turn.answer(&new))
    }

    /// Deletes a message for everybody.
    pub(in crate::sandbox) fn delete(&self, chat: ChatId, message: MessageId) -> Result<(), Refused> {
        let mut turn = self.turn();
        let now = turn.now;
        let held = turn.known(chat)?;
        let old = held.messages.get(&message).ok_or(Refused::MessageNotFound("message to delete"))?;
        // In a group the bot is a member like any other.
        if held.place != Place::Private && old.author != Author::Bot {
            return Err(Refused::NotDeletable);
        }
        if now.since(old.sent) >= DELETE_WINDOW {
            return Err(Refused::NotDeletableForEveryone);
        }
        held.messages.remove(&message);
        held.version += 1;
        Ok(())
    }

    /// Shows the bot at `action` for a while; `None` ends it.
    pub(in crate::sandbox) fn act(&self, chat: ChatId, action: Option<&str>) -> Result<(), Refused> {
        let mut turn = self.turn();
        let until = turn.now.plus(ACTION_SHOWN);
        let held = turn.writable(chat)?;
        held.action = action.map(|action| (action.to_owned(), until));
        held.version += 1;
        turn.actions.insert((until, chat));
        drop(turn);
        self.look_again_in(ACTION_SHOWN);
        Ok(())
    }

    /// Keeps a new picture.
    pub(in crate::sandbox) fn keep_photo(&self, dimensions: Dimensions, url: Option<String>) -> Photo {
        self.turn().keep_photo(dimensions, url)
    }

    /// The picture one of whose sizes is called `file_id`.
    pub(in crate::sandbox) fn photo(&self, file_id: &str) -> Result<Photo, Refused> {
        if !file_id.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')) {
            return Err(Refused::WrongFile("Wrong character in the string"));
        }
        let turn = self.turn();
        let known = turn.photos.iter().find(|photo| photo.sizes.iter().any(|size| size.file_id == file_id));
        known.cloned().ok_or(Refused::WrongFile("can't unserialize it. Wrong last symbol"))
    }
}

impl State {
    fn known(&mut self, chat: ChatId) -> Result<&mut Chat, Refused> {
        self.chats.get_mut(&chat).filter(|chat| chat.known).ok_or(Refused::ChatNotFound)
    }

    /// The chat, if the bot may write there.
    fn writable(&mut self, chat: ChatId) -> Result<&mut Chat, Refused> {
        let chat = self.known(chat)?;
        if chat.blocked {
            return Err(Refused::Blocked);
        }
        if !chat.started {
            return Err(Refused::CannotInitiate);
        }
        Ok(chat)
    }
}

impl Message {
    fn takes(&self, change: &Change) -> Result<(), Refused> {
        if self.author != Author::Bot || self.markup == Markup::Reply {
            return Err(Refused::NotEditable);
        }
        match (change, &self.content) {
            (Change::Keyboard, _)
            | (Change::Text(_), Content::Text(_))
            | (Change::Caption(_), Content::Photo { .. })
            // A text can become a picture (Bot API, editMessageMedia), never the other way round.
            | (Change::Media { .. }, Content::Text(_) | Content::Photo { .. }) => Ok(()),
            (Change::Text(_), _) => Err(Refused::NoText),
            (Change::Caption(_), _) => Err(Refused::NoCaption),
            (Change::Media { .. }, _) => Err(Refused::NoMedia),
        }
    }

    /// The message after `change`, under `markup`.
    fn changed(&self, change: Change, markup: Markup, now: Timestamp) -> Result<Self, Refused> {
        self.takes(&change)?;
        let edited = if matches!(change, Change::Keyboard) { self.edited } else { Some(now) };
        let content = match (change, &self.content) {
            (Change::Text(text), _) => Content::Text(text),
            (Change::Media { photo, caption }, _) => Content::Photo { photo, caption },
            (Change::Caption(caption), Content::Photo { photo, .. }) => {
                Content::Photo { photo: photo.clone(), caption }
            }
            (Change::Caption(_) | Change::Keyboard, content) => content.clone(),
        };
        if content == self.content && markup.inline() == self.markup.inline() {
            return Err(Refused::NotModified);
        }
        Ok(Self { content, markup, edited, ..self.clone() })
    }
}
