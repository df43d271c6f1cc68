//! Pure: no I/O, no clock. What the server reads inside an update: borrowed, tolerant, and nothing more.
//! Every string is a `Cow`: Telegram escapes each non-ASCII letter, so a plain `&str` would fail.

use super::id::{ChatId, MessageId};
use serde::Deserialize as DeriveDeserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

/// `Message`, `MaybeInaccessibleMessage`.
#[derive(Clone, Debug, PartialEq, Eq, DeriveDeserialize)]
pub struct Message<'a> {
    /// Its id; 0 for one that is scheduled.
    pub message_id: MessageId,
    /// Unix seconds; 0 for a message that is inaccessible.
    pub date: Option<i64>,
    /// Where it was sent.
    #[serde(borrow, deserialize_with = "object")]
    pub chat: Chat<'a>,
    /// Who sent it; absent in channels and in inaccessible messages.
    #[serde(borrow, default, deserialize_with = "optional_object")]
    pub from: Option<User<'a>>,
    /// Its text.
    #[serde(borrow, default, deserialize_with = "optional_text")]
    pub text: Option<Cow<'a, str>>,
    /// The caption of anything else.
    #[serde(borrow, default, deserialize_with = "optional_text")]
    pub caption: Option<Cow<'a, str>>,
    // Whether it is one of these. What Telegram names twice for older programs (an animation is also a document, a venue
    // also a location) is named once here. All else without a text is a service message.
    #[serde(default, deserialize_with = "present")]
    audio: bool,
    #[serde(default, deserialize_with = "present")]
    checklist: bool,
    #[serde(default, deserialize_with = "present")]
    contact: bool,
    #[serde(default, deserialize_with = "present")]
    dice: bool,
    #[serde(default, deserialize_with = "present")]
    document: bool,
    #[serde(default, deserialize_with = "present")]
    game: bool,
    #[serde(default, deserialize_with = "present")]
    location: bool,
    #[serde(default, deserialize_with = "present")]
    paid_media: bool,
    #[serde(default, deserialize_with = "present")]
    photo: bool,
    #[serde(default, deserialize_with = "present")]
    poll: bool,
    #[serde(default, deserialize_with = "present")]
    sticker: bool,
    #[serde(default, deserialize_with = "present")]
    story: bool,
    #[serde(default, deserialize_with = "present")]
    video: bool,
    #[serde(default, deserialize_with = "present")]
    video_note: bool,
    #[serde(default, deserialize_with = "present")]
    voice: bool,
    /// A payment that was made.
    #[serde(borrow, default, deserialize_with = "optional_object")]
    pub successful_payment: Option<PaymentNotice<'a>>,
    /// A payment that was given back.
    #[serde(borrow, default, deserialize_with = "optional_object")]
    pub refunded_payment: Option<PaymentNotice<'a>>,
}

impl Message<'_> {
    /// Whether it is something that a user sends, and not a text.
    pub fn is_thing(&self) -> bool {
        [
            self.audio,
            self.checklist,
            self.contact,
            self.dice,
            self.document,
            self.game,
            self.location,
            self.paid_media,
            self.photo,
            self.poll,
            self.sticker,
            self.story,
            self.video,
            self.video_note,
            self.voice,
        ]
        .contains(&true)
    }
}

/// `CallbackQuery`.
#[derive(Clone, Debug, PartialEq, Eq, DeriveDeserialize)]
pub struct CallbackQuery<'a> {
    /// By which it is answered.
    #[serde(borrow)]
    pub id: Cow<'a, str>,
    /// Who pressed.
    #[serde(borrow, deserialize_with = "object")]
    pub from: User<'a>,
    /// The message under which the button stands; absent for one that was sent inline.
    #[serde(borrow, default, deserialize_with = "optional_object")]
    pub message: Option<Message<'a>>,
    /// The button's payload; absent for a game.
    #[serde(borrow, default, deserialize_with = "optional_text")]
    pub data: Option<Cow<'a, str>>,
}

/// `SuccessfulPayment`, `RefundedPayment`.
#[derive(Clone, Debug, PartialEq, Eq, DeriveDeserialize)]
pub struct PaymentNotice<'a> {
    /// Three letters; `XTR` for Stars.
    #[serde(borrow)]
    pub currency: Cow<'a, str>,
    /// In the smallest unit of the currency; a Star is one.
    pub total_amount: i64,
    /// The payload of the invoice.
    #[serde(borrow)]
    pub invoice_payload: Cow<'a, str>,
    /// By which Telegram knows the payment.
    #[serde(borrow)]
    pub telegram_payment_charge_id: Cow<'a, str>,
}

/// `PreCheckoutQuery`.
#[derive(Clone, Debug, PartialEq, Eq, DeriveDeserialize)]
pub struct PreCheckoutQuery<'a> {
    /// By which it is answered.
    #[serde(borrow)]
    pub id: Cow<'a, str>,
    /// Who wants to pay.
    #[serde(borrow, deserialize_with = "object")]
    pub from: User<'a>,
    /// Three letters; `XTR` for Stars.
    #[serde(borrow)]
    pub currency: Cow<'a, str>,
    /// In the smallest unit of the currency; a Star is one.
    pub total_amount: i64,
    /// The payload of the invoice.
    #[serde(borrow)]
    pub invoice_payload: Cow<'a, str>,
}

/// `ChatMemberUpdated` of the bot itself.
#[derive(Clone, Debug, PartialEq, Eq, DeriveDeserialize)]
pub struct MyChatMember<'a> {
    /// Where.
    #[serde(borrow, deserialize_with = "object")]
    pub chat: Chat<'a>,
    /// Who did it.
    #[serde(borrow, deserialize_with = "object")]
    pub from: User<'a>,
    /// Unix seconds.
    pub date: Option<i64>,
    /// What the bot is there now.
    #[serde(borrow, deserialize_with = "object")]
    pub new_chat_member: ChatMember<'a>,
}

/// `ChatMember`.
#[derive(Clone, Debug, PartialEq, Eq, DeriveDeserialize)]
pub struct ChatMember<'a> {
    /// `member`, `kicked`, or another that means nothing in a private chat.
    #[serde(borrow)]
    pub status: Cow<'a, str>,
}

/// `Chat`.
#[derive(Clone, Debug, PartialEq, Eq, DeriveDeserialize)]
pub struct Chat<'a> {
    /// Its id.
    pub id: ChatId,
    /// `private`, or another that the server does not serve.
    #[serde(borrow, rename = "type")]
    pub kind: Cow<'a, str>,
}

impl Chat<'_> {
    /// Whether it is a user's own chat with the bot.
    pub fn is_private(&self) -> bool {
        self.kind == "private"
    }
}

/// `User`.
#[derive(Clone, Debug, PartialEq, Eq, DeriveDeserialize)]
pub struct User<'a> {
    /// Their id, which is also that of their private chat.
    pub id: ChatId,
    /// Whether it is a bot.
    pub is_bot: Option<bool>,
    /// IETF tag of the language of their client.
    #[serde(borrow, default, deserialize_with = "optional_text")]
    pub language_code: Option<Cow<'a, str>>,
}

/// A JSON object: what serde derives would also take an array for one.
pub(super) struct Object<T>(pub(super) T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for Fields<T> {
            type Value = T;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map))
            }
        }

        deserializer.deserialize_map(Fields(PhantomData)).map(Object)
    }
}

fn object<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<T, D::Error> {
    Object::deserialize(deserializer).map(|Object(value)| value)
}

fn optional_object<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    Ok(Option::<Object<T>>::deserialize(deserializer)?.map(|Object(value)| value))
}

/// A string that stays borrowed inside an `Option`, where serde by itself would own it.
#[derive(DeriveDeserialize)]
#[serde(transparent)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

fn optional_text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Cow<'de, str>>, D::Error> {
    Ok(Option::<Text<'de>>::deserialize(deserializer)?.map(|Text(text)| text))
}

fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    Option::<IgnoredAny>::deserialize(deserializer).map(|value| value.is_some())
}
