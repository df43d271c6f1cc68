//! Pure: no I/O, no clock. What a chat looks like.

use super::chat::{Chat, Place};
use super::message::{Content, Message};
use super::state::State;
use super::view::{self, ChatView, MessageView, Picture, Press, Rich};
use super::{Thing, World};
use crate::clock::Timestamp;
use crate::sandbox::markup::{Formatted, render};
use crate::telegram::id::ChatId;

impl World {
    /// The chat with a user, or the group, as it looks now.
    pub fn chat(&self, chat: ChatId) -> Option<ChatView> {
        let turn = self.turn();
        let held = turn.chats.get(&chat)?;
        Some(turn.look(chat, held, turn.now))
    }
}

impl State {
    fn look(&self, id: ChatId, chat: &Chat, now: Timestamp) -> ChatView {
        let language = self.users.get(&id).and_then(|user| user.language.as_deref());
        let waiting = self.queries.open_in(id, now).map(|query| Press {
            message: query.message,
            data: query.data.clone(),
            at: query.at,
        });
        ChatView {
            id,
            version: chat.version,
            started: chat.started,
            blocked: chat.blocked,
            action: chat.action.as_ref().map(|(action, _)| action.clone()),
            messages: chat.messages.values().map(Message::look).collect(),
            notices: chat.notices.clone(),
            waiting: waiting.collect(),
            commands: self.menus.shown(id, &chat.place, language),
            menu: match (&chat.place, &chat.menu) {
                (Place::Private, Some(menu)) => menu.clone(),
                _ => self.menus.button().clone(),
            },
        }
    }
}

impl Message {
    fn look(&self) -> MessageView {
        MessageView {
            id: self.id,
            sent: self.sent,
            edited: self.edited,
            author: self.author,
            content: self.content.look(),
            keyboard: match &self.content {
                // An invoice without buttons has one of its own.
                Content::Invoice { invoice, .. } if self.markup.inline().is_none() => vec![vec![view::Button {
                    text: format!("Pay ⭐️{}", invoice.amount),
                    action: view::Action::Pay,
                }]],
                _ => self.markup.inline().map(super::keyboard::Keyboard::view).unwrap_or_default(),
            },
        }
    }
}

impl Content {
    fn look(&self) -> view::Content {
        let other = |what: &str| view::Content::Other { what: what.to_owned() };
        match self {
            Self::Text(text) => view::Content::Text(rich(text)),
            Self::Photo { photo, caption } => view::Content::Photo {
                photo: Picture { file_id: photo.file_id().to_owned(), url: photo.url.clone() },
                caption: rich(caption),
            },
            Self::Invoice { invoice, payment } => view::Content::Invoice(view::Invoice {
                title: invoice.title.clone(),
                description: invoice.description.clone(),
                stars: invoice.amount,
                payment: payment.clone(),
            }),
            Self::Paid(charge) => view::Content::Service {
                text: format!("You have just successfully transferred ⭐️{} for {}", charge.amount, charge.title),
            },
            Self::Refunded(charge) => {
                view::Content::Service { text: format!("You received a refund of ⭐️{}", charge.amount) }
            }
            Self::Thing(Thing::Photo(_)) => other("photo"),
            Self::Thing(Thing::Sticker) => other("sticker"),
            Self::Thing(Thing::Voice) => other("voice"),
            Self::Thing(Thing::Location) => other("location"),
        }
    }
}

fn rich(formatted: &Formatted) -> Rich {
    Rich { html: render(formatted), text: formatted.text.clone() }
}
