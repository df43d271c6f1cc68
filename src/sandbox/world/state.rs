//! All that the world is, behind one lock; and the turn, in which something happens at one moment.
//! Never waits: what time itself ends is ended when the next turn looks.

use super::allowed::Allowed;
use super::bot::Bot;
use super::chat::{Chat, Place};
use super::checkout::Checkout;
use super::menu::Menus;
use super::message::Message;
use super::object::MessageObject;
use super::photo::{Dimensions, Photo};
use super::press::Queries;
use super::view::User;
use crate::clock::Timestamp;
use crate::sandbox::deliver::{lives, queue_key};
use crate::sandbox::json;
use crate::sandbox::seed::Random;
use crate::sandbox::updates::{NewUpdate, Updates};
use crate::telegram::id::{ChatId, MessageId};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// Letters of ids, as in base64 for URLs.
const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

#[derive(Debug)]
pub(super) struct State {
    pub(super) bot: Bot,
    pub(super) updates: Updates,
    pub(super) allowed: Allowed,
    pub(super) random: Random,
    pub(super) users: BTreeMap<ChatId, User>,
    pub(super) chats: BTreeMap<ChatId, Chat>,
    pub(super) group: ChatId,
    /// Counts over all chats: private chats and basic groups of an account share their numbers.
    pub(super) last_message: i64,
    pub(super) photos: Vec<Photo>,
    pub(super) queries: Queries,
    pub(super) checkouts: BTreeMap<i64, Checkout>,
    /// When an action that is shown ends, and in which chat.
    pub(super) actions: BTreeSet<(Timestamp, ChatId)>,
    pub(super) menus: Menus,
}

impl State {
    /// Tells the bot of `object`, unless it does not want to know.
    pub(super) fn tell(&self, kind: &'static str, queue: ChatId, object: &impl Serialize) {
        if self.allowed.wants(kind) {
            self.updates.push(NewUpdate {
                kind,
                object: json::write(object).into_bytes(),
                queue: queue_key(kind, queue.0),
                lives: lives(kind),
            });
        }
    }

    /// Tells the bot of a message in `chat`.
    pub(super) fn tell_message(&self, kind: &'static str, message: &Message) {
        self.tell(kind, message.chat, &MessageObject::of(self, message));
    }

    /// Puts `message` into its chat under the next number.
    pub(super) fn put(&mut self, mut message: Message) -> Option<Message> {
        let chat = self.chats.get_mut(&message.chat)?;
        self.last_message += 1;
        message.id = MessageId(self.last_message);
        chat.messages.insert(message.id, message.clone());
        chat.version += 1;
        Some(message)
    }

    /// A message as the Bot API answers it.
    pub(super) fn answer(&self, message: &Message) -> String {
        json::write(&MessageObject::of(self, message))
    }

    /// A new number of 63 bits, for queries and the like.
    pub(super) fn number(&mut self) -> i64 {
        i64::try_from(self.random.within(1 << 32..=i64::MAX as u64)).unwrap_or(i64::MAX)
    }

    /// `length` random letters.
    pub(super) fn letters(&mut self, length: usize) -> String {
        letters(&mut self.random, length)
    }

    /// Keeps a picture; one of the same URL is the same picture.
    pub(super) fn keep_photo(&mut self, dimensions: Dimensions, url: Option<String>) -> Photo {
        if let Some(known) =
            url.as_ref().and_then(|url| self.photos.iter().find(|photo| photo.url.as_ref() == Some(url)))
        {
            return known.clone();
        }
        let random = &mut self.random;
        let photo = Photo::new(dimensions, url, |length| letters(random, length));
        self.photos.push(photo.clone());
        photo
    }

    pub(super) fn new_chat(&mut self, id: ChatId, place: Place) {
        let instance = self.number();
        self.chats.insert(id, Chat::new(place, instance));
    }

    /// Marks that `chat` looks different now.
    pub(super) fn touch(&mut self, chat: ChatId) {
        if let Some(chat) = self.chats.get_mut(&chat) {
            chat.version += 1;
        }
    }

    /// Marks that every chat may look different now.
    pub(super) fn touch_all(&mut self) {
        for chat in self.chats.values_mut() {
            chat.version += 1;
        }
    }

    /// Whether time has ended something by `now`.
    pub(super) fn is_due(&self, now: Timestamp) -> bool {
        self.actions.first().is_some_and(|(until, _)| *until <= now) || self.has_late_checkouts(now)
    }

    /// Ends what time has ended by `now`.
    pub(super) fn settle(&mut self, now: Timestamp) {
        while let Some((until, id)) = self.actions.first().copied().filter(|(until, _)| *until <= now) {
            self.actions.pop_first();
            if let Some(chat) = self.chats.get_mut(&id)
                && chat.action.as_ref().is_some_and(|(_, shown)| *shown <= until)
            {
                chat.action = None;
                chat.version += 1;
            }
        }
        self.settle_checkouts(now);
    }
}

fn letters(random: &mut Random, length: usize) -> String {
    let mut letter = || LETTERS[usize::try_from(random.within(0..=63)).unwrap_or(0)];
    (0..length).map(|_| char::from(letter())).collect()
}
