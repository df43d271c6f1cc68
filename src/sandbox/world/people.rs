//! What users do by writing: messages, edits, deep links, blocking. Each becomes the update that Telegram makes of it.

use super::chat::Place;
use super::message::{Content, Markup, Message};
use super::object::{ChatObject, Member, MemberChange, UserObject, seconds};
use super::photo::Dimensions;
use super::state::State;
use super::view::{Author, User};
use super::{Impossible, Thing, Turn, World};
use crate::sandbox::markup::{Formatted, clean, with_found};
use crate::telegram::id::{ChatId, MessageId};
use crate::telegram::text::TEXT_MAX_CHARS;

/// The first user's id; the next are a little apart, as in life.
const FIRST_USER: i64 = 7_100_000_001;
const USERS_APART: i64 = 1_000_003;

impl World {
    /// Adds a user; ids are given by the world, the same in every run.
    pub fn add_user(&self, first_name: &str, language: Option<&str>) -> ChatId {
        let mut turn = self.turn();
        let count = i64::try_from(turn.users.len()).unwrap_or(0);
        let id = ChatId(FIRST_USER + count * USERS_APART);
        let user = User { id, first_name: first_name.to_owned(), language: language.map(str::to_owned) };
        turn.users.insert(id, user);
        turn.new_chat(id, Place::Private);
        id
    }

    /// All users in the order they were added.
    pub fn users(&self) -> Vec<User> {
        self.turn().users.values().cloned().collect()
    }

    /// Changes the language of the user's client.
    ///
    /// # Errors
    /// If there is no such user.
    pub fn speaks(&self, user: ChatId, language: Option<&str>) -> Result<(), Impossible> {
        let mut turn = self.turn();
        turn.users.get_mut(&user).ok_or(Impossible::NoUser(user))?.language = language.map(str::to_owned);
        turn.touch(user);
        Ok(())
    }

    /// The user writes to the bot; `/start` is a text like any other.
    ///
    /// # Errors
    /// If there is no such user, the bot is blocked, or the text is empty or too long.
    pub fn says(&self, user: ChatId, text: &str) -> Result<MessageId, Impossible> {
        let content = text_content(text)?;
        self.turn().write(user, user, content)
    }

    /// The user sends something other than text.
    ///
    /// # Errors
    /// If there is no such user, or the bot is blocked.
    pub fn sends(&self, user: ChatId, thing: Thing<'_>) -> Result<MessageId, Impossible> {
        let mut turn = self.turn();
        let content = match thing {
            Thing::Photo(caption) => {
                let photo = turn.keep_photo(Dimensions { width: 1280, height: 960 }, None);
                Content::Photo { photo, caption: with_found(clean(&Formatted::plain(caption))) }
            }
            Thing::Sticker => Content::Thing(Thing::Sticker),
            Thing::Voice => Content::Thing(Thing::Voice),
            Thing::Location => Content::Thing(Thing::Location),
        };
        turn.write(user, user, content)
    }

    /// The user edits a text they wrote.
    ///
    /// # Errors
    /// If there is no such user or text of theirs, or the new text is empty or too long.
    pub fn edits(&self, user: ChatId, message: MessageId, text: &str) -> Result<(), Impossible> {
        let new = text_content(text)?;
        let mut turn = self.turn();
        let now = turn.now;
        let chat = turn.chats.values_mut().find(|chat| chat.messages.contains_key(&message));
        let chat = chat.ok_or(Impossible::NoMessage(message))?;
        let edited = chat
            .messages
            .get_mut(&message)
            .filter(|message| message.author == Author::User(user) && matches!(message.content, Content::Text(_)));
        let edited = edited.ok_or(Impossible::NoMessage(message))?;
        edited.content = new;
        edited.edited = Some(now);
        let edited = edited.clone();
        chat.version += 1;
        turn.tell_message("edited_message", &edited);
        Ok(())
    }

    /// The user follows `t.me/bot?start=payload` and presses START, which unblocks the bot if need be.
    ///
    /// # Errors
    /// If there is no such user, or the payload is none (1–64 letters `A–Z a–z 0–9 _ -`).
    pub fn follows(&self, user: ChatId, payload: &str) -> Result<MessageId, Impossible> {
        let letters = payload.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
        if !letters || !(1..=64).contains(&payload.len()) {
            return Err(Impossible::Unsayable);
        }
        self.unblocks(user)?;
        self.says(user, &format!("/start {payload}"))
    }

    /// The user writes into the group.
    ///
    /// # Errors
    /// If there is no such user, or the text is empty or too long.
    pub fn says_in_group(&self, user: ChatId, text: &str) -> Result<MessageId, Impossible> {
        let content = text_content(text)?;
        let mut turn = self.turn();
        let group = turn.group;
        turn.write(user, group, content)
    }

    /// The user blocks the bot. Nothing happens if it is blocked.
    ///
    /// # Errors
    /// If there is no such user.
    pub fn blocks(&self, user: ChatId) -> Result<(), Impossible> {
        self.turn().set_blocked(user, Membership::Kicked)
    }

    /// The user unblocks the bot. Nothing happens if it is not blocked.
    ///
    /// # Errors
    /// If there is no such user.
    pub fn unblocks(&self, user: ChatId) -> Result<(), Impossible> {
        self.turn().set_blocked(user, Membership::Present)
    }
}

/// What the bot is to a user.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Membership {
    Present,
    Kicked,
}

impl Turn<'_> {
    /// The user puts `content` into `chat`.
    pub(super) fn write(&mut self, user: ChatId, chat: ChatId, content: Content) -> Result<MessageId, Impossible> {
        if !self.users.contains_key(&user) {
            return Err(Impossible::NoUser(user));
        }
        let place = self.chats.get_mut(&chat).ok_or(Impossible::NoUser(chat))?;
        if place.blocked {
            return Err(Impossible::Blocked);
        }
        (place.known, place.started) = (true, true);
        // Whoever writes into the group is known to the bot from then on, but has not started it.
        if let Some(own) = self.chats.get_mut(&user) {
            own.known = true;
        }
        let message = Message {
            id: MessageId(0),
            chat,
            author: Author::User(user),
            sent: self.now,
            edited: None,
            reply_to: None,
            content,
            markup: Markup::None,
        };
        let message = self.put(message).ok_or(Impossible::NoUser(chat))?;
        self.tell_message("message", &message);
        Ok(message.id)
    }

    fn set_blocked(&mut self, user: ChatId, membership: Membership) -> Result<(), Impossible> {
        let blocked = membership == Membership::Kicked;
        let chat = self.chats.get_mut(&user).filter(|chat| chat.place == Place::Private);
        let chat = chat.ok_or(Impossible::NoUser(user))?;
        if chat.blocked == blocked {
            return Ok(());
        }
        chat.blocked = blocked;
        chat.version += 1;
        let state: &State = self;
        let (from, bot) = (state.users.get(&user).ok_or(Impossible::NoUser(user))?, &state.bot);
        let (old_chat_member, new_chat_member) = match membership {
            Membership::Kicked => (Member::present(bot), Member::kicked(bot)),
            Membership::Present => (Member::kicked(bot), Member::present(bot)),
        };
        let change = MemberChange {
            chat: ChatObject::of(state, user),
            from: UserObject::of(from),
            date: seconds(self.now),
            old_chat_member,
            new_chat_member,
        };
        state.tell("my_chat_member", user, &change);
        Ok(())
    }
}

fn text_content(text: &str) -> Result<Content, Impossible> {
    let text = with_found(clean(&Formatted::plain(text)));
    let sayable = (1..=TEXT_MAX_CHARS).contains(&text.text.chars().count());
    sayable.then_some(Content::Text(text)).ok_or(Impossible::Unsayable)
}
