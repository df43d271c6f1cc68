//! Pure: no I/O, no clock. How an update is taken apart: known fields are read, all others skipped unread,
//! so that they cost nothing and never fail.

use super::content::Object;
use super::id::UpdateId;
use super::update::{Content, Envelope, Kind, Update};
use serde::de::{self, Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use std::fmt;

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
