//! Pure: no I/O, no clock. The outside of an update: its id, its kind, and why a body is none.
//! Unknown fields and kinds are skipped unread, so they cost nothing and never fail.

use super::content::{CallbackQuery, Message, MyChatMember, Object, PreCheckoutQuery};
use super::id::UpdateId;
use serde::de::{self, Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize as DeriveDeserialize, Serialize};
use std::fmt;

/// What an update carries, as far as the server tells them apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `message`.
    Message,
    /// `callback_query`.
    CallbackQuery,
    /// `pre_checkout_query`.
    PreCheckoutQuery,
    /// `my_chat_member`.
    MyChatMember,
    /// Any other kind, known to Telegram or not yet.
    Other,
    /// The body is not an update.
    Unreadable,
}

impl Kind {
    /// Its label.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Message => "message",
            Self::CallbackQuery => "callback_query",
            Self::PreCheckoutQuery => "pre_checkout_query",
            Self::MyChatMember => "my_chat_member",
            Self::Other => "other",
            Self::Unreadable => "unreadable",
        }
    }

    /// Whether somebody waits for the answer with a finger on the glass: presses and checkouts pass the second gate.
    pub const fn is_interactive(self) -> bool {
        matches!(self, Self::CallbackQuery | Self::PreCheckoutQuery)
    }
}

/// The queues in which Telegram delivers a chat's updates: the next of a queue is sent only after the previous one
/// was acknowledged, so its last id with its answer is enough to recognise a repeat, with or without Redis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, DeriveDeserialize)]
pub enum DeliveryQueue {
    /// `message`.
    #[serde(rename = "m")]
    Messages,
    /// `callback_query`.
    #[serde(rename = "p")]
    Presses,
    /// `pre_checkout_query`.
    #[serde(rename = "c")]
    Checkouts,
    /// `my_chat_member`.
    #[serde(rename = "s")]
    Membership,
}

/// The outside of an update: enough for the dedup and the second gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Envelope {
    /// Its id.
    pub update: UpdateId,
    /// Its kind; one that carries several of ours at once is `Other`.
    pub kind: Kind,
}

/// An update, read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Update<'a> {
    /// Its id.
    pub id: UpdateId,
    /// What it carries.
    pub content: Content<'a>,
}

/// What an update carries, as far as the server reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content<'a> {
    /// `message`.
    Message(Message<'a>),
    /// `callback_query`.
    CallbackQuery(CallbackQuery<'a>),
    /// `pre_checkout_query`.
    PreCheckoutQuery(PreCheckoutQuery<'a>),
    /// `my_chat_member`.
    MyChatMember(MyChatMember<'a>),
    /// Any other kind, or several of the above at once, which Telegram never sends.
    Other,
}

impl Update<'_> {
    /// Its kind.
    pub const fn kind(&self) -> Kind {
        match self.content {
            Content::Message(_) => Kind::Message,
            Content::CallbackQuery(_) => Kind::CallbackQuery,
            Content::PreCheckoutQuery(_) => Kind::PreCheckoutQuery,
            Content::MyChatMember(_) => Kind::MyChatMember,
            Content::Other => Kind::Other,
        }
    }

    /// When it happened, in Unix seconds, where Telegram says so (a press has no date of its own).
    pub fn date(&self) -> Option<i64> {
        match &self.content {
            Content::Message(message) => message.date,
            Content::MyChatMember(change) => change.date,
            Content::CallbackQuery(_) | Content::PreCheckoutQuery(_) | Content::Other => None,
        }
        .filter(|date| *date > 0)
    }
}

/// Why a body is no update. It says nothing of the body, which may hold a user's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// Telegram writes callback data and invoice payloads that are not UTF-8 as raw bytes.
    #[error("not utf-8")]
    NotUtf8,
    /// It is not JSON.
    #[error("not json")]
    NotJson,
    /// It is JSON without one integer `update_id`.
    #[error("no update id")]
    NoUpdateId,
    /// It is an update of a kind that the server reads, but not one that it can read.
    #[error("known kind does not decode")]
    Undecodable,
}

impl Unreadable {
    /// Its name in the dead letters.
    pub const fn name(self) -> &'static str {
        match self {
            Self::NotUtf8 => "not_utf8",
            Self::NotJson => "not_json",
            Self::NoUpdateId => "no_update_id",
            Self::Undecodable => "undecodable",
        }
    }
}

/// The envelope of `body`; none where it is not JSON or has no `update_id`.
/// Strings are skipped unread, so one that is not UTF-8 does not hide the id.
pub fn envelope(body: &[u8]) -> Option<Envelope> {
    serde_json::from_slice(body).ok()
}

/// Reads `body`.
///
/// # Errors
/// If it is not UTF-8, not JSON, has no `update_id`, or its known kind does not decode.
pub fn parse(body: &[u8]) -> Result<Update<'_>, Unreadable> {
    let text = str::from_utf8(body).map_err(|_| Unreadable::NotUtf8)?;
    serde_json::from_str(text).map_err(|_| {
        if serde_json::from_str::<IgnoredAny>(text).is_err() {
            Unreadable::NotJson
        } else if envelope(body).is_none() {
            Unreadable::NoUpdateId
        } else {
            Unreadable::Undecodable
        }
    })
}

/// A field of an update.
enum Field {
    UpdateId,
    Message,
    CallbackQuery,
    PreCheckoutQuery,
    MyChatMember,
    Other,
}

impl<'de> Deserialize<'de> for Field {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Name;

        impl Visitor<'_> for Name {
            type Value = Field;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a field's name")
            }

            fn visit_bytes<E: de::Error>(self, name: &[u8]) -> Result<Field, E> {
                Ok(match name {
                    b"update_id" => Field::UpdateId,
                    b"message" => Field::Message,
                    b"callback_query" => Field::CallbackQuery,
                    b"pre_checkout_query" => Field::PreCheckoutQuery,
                    b"my_chat_member" => Field::MyChatMember,
                    _ => Field::Other,
                })
            }
        }

        // As bytes: a name that is not UTF-8 is an unknown one, not an error.
        deserializer.deserialize_bytes(Name)
    }
}

/// Collects the fields of an update: its one id, and what it carries (`None`, as `null`, is nothing).
struct Fields<C> {
    id: Option<UpdateId>,
    content: Option<C>,
    inconsistent: bool,
}

impl<C> Fields<C> {
    const NONE: Self = Self { id: None, content: None, inconsistent: false };

    fn identify<E: de::Error>(&mut self, id: UpdateId) -> Result<(), E> {
        match self.id.replace(id) {
            None => Ok(()),
            Some(_) => Err(E::duplicate_field("update_id")),
        }
    }

    fn carry(&mut self, content: Option<C>) {
        if content.is_some() {
            self.inconsistent |= self.content.is_some();
            self.content = content;
        }
    }

    fn end<E: de::Error>(self, other: C) -> Result<(UpdateId, C), E> {
        let id = self.id.ok_or_else(|| E::missing_field("update_id"))?;
        Ok((id, self.content.filter(|_| !self.inconsistent).unwrap_or(other)))
    }
}

impl<'de> Deserialize<'de> for Envelope {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Outside;

        impl<'de> Visitor<'de> for Outside {
            type Value = Envelope;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an update")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Envelope, A::Error> {
                let mut fields = Fields::<Kind>::NONE;
                while let Some(field) = map.next_key()? {
                    let kind = match field {
                        Field::UpdateId => {
                            fields.identify(map.next_value()?)?;
                            continue;
                        }
                        Field::Message => Kind::Message,
                        Field::CallbackQuery => Kind::CallbackQuery,
                        Field::PreCheckoutQuery => Kind::PreCheckoutQuery,
                        Field::MyChatMember => Kind::MyChatMember,
                        Field::Other => {
                            map.next_value::<IgnoredAny>()?;
                            continue;
                        }
                    };
                    fields.carry(map.next_value::<Option<IgnoredAny>>()?.map(|_| kind));
                }
                let (update, kind) = fields.end(Kind::Other)?;
                Ok(Envelope { update, kind })
            }
        }

        deserializer.deserialize_map(Outside)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Update<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Whole;

        impl<'de> Visitor<'de> for Whole {
            type Value = Update<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an update")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Update<'de>, A::Error> {
                let mut fields = Fields::<Content<'de>>::NONE;
                while let Some(field) = map.next_key()? {
                    match field {
                        Field::UpdateId => fields.identify(map.next_value()?)?,
                        Field::Message => fields.carry(object(&mut map)?.map(Content::Message)),
                        Field::CallbackQuery => fields.carry(object(&mut map)?.map(Content::CallbackQuery)),
                        Field::PreCheckoutQuery => fields.carry(object(&mut map)?.map(Content::PreCheckoutQuery)),
                        Field::MyChatMember => fields.carry(object(&mut map)?.map(Content::MyChatMember)),
                        Field::Other => drop(map.next_value::<IgnoredAny>()?),
                    }
                }
                let (id, content) = fields.end(Content::Other)?;
                Ok(Update { id, content })
            }
        }

        deserializer.deserialize_map(Whole)
    }
}

/// The next value: an object, or none where it is `null`.
fn object<'de, A: MapAccess<'de>, T: Deserialize<'de>>(map: &mut A) -> Result<Option<T>, A::Error> {
    Ok(map.next_value::<Option<Object<T>>>()?.map(|Object(value)| value))
}
