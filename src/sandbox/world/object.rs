//! Pure: no I/O, no clock. The objects of the Bot API as the server writes them: its order of fields, and what it sends
//! beyond the documentation. Source: tdlib/telegram-bot-api `Client.cpp`, the `Json…` classes.

use super::Thing;
use super::bot::Bot;
use super::chat::Place;
use super::keyboard::Keyboard;
use super::message::{Charge, Content, Message};
use super::photo::Size;
use super::state::State;
use super::view::{Author, User};
use crate::sandbox::markup::Entity;
use crate::telegram::id::{ChatId, MessageId};
use serde::Serialize;

/// The currency of Stars.
pub(super) const STARS: &str = "XTR";

#[derive(Serialize)]
pub(super) struct UserObject<'a> {
    id: i64,
    is_bot: bool,
    first_name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    username: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    language_code: Option<&'a str>,
}

impl<'a> UserObject<'a> {
    pub(super) fn of_bot(bot: &'a Bot) -> Self {
        let Bot { id, first_name, username } = bot;
        Self { id: id.0, is_bot: true, first_name, username: Some(username), language_code: None }
    }

    pub(super) fn of(user: &'a User) -> Self {
        Self {
            id: user.id.0,
            is_bot: false,
            first_name: &user.first_name,
            username: None,
            language_code: user.language.as_deref(),
        }
    }
}

#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum ChatObject<'a> {
    Private {
        id: ChatId,
        first_name: &'a str,
        r#type: &'static str,
    },
    Group {
        id: ChatId,
        title: &'a str,
        r#type: &'static str,
        all_members_are_administrators: bool,
        accepted_gift_types: GiftTypes,
    },
}

/// Nothing of it: a basic group takes no gifts.
#[derive(Default, Serialize)]
pub(super) struct GiftTypes {
    unlimited_gifts: bool,
    limited_gifts: bool,
    unique_gifts: bool,
    premium_subscription: bool,
    gifts_from_channels: bool,
}

impl<'a> ChatObject<'a> {
    pub(super) fn of(state: &'a State, id: ChatId) -> Self {
        match state.chats.get(&id).map(|chat| &chat.place) {
            Some(Place::Group { title }) => Self::Group {
                id,
                title,
                r#type: "group",
                all_members_are_administrators: false,
                accepted_gift_types: GiftTypes::default(),
            },
            Some(Place::Private) | None => {
                let first_name = state.users.get(&id).map_or("", |user| user.first_name.as_str());
                Self::Private { id, first_name, r#type: "private" }
            }
        }
    }
}

#[derive(Serialize)]
pub(super) struct MessageObject<'a> {
    message_id: MessageId,
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<UserObject<'a>>,
    chat: ChatObject<'a>,
    date: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    edit_date: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reply_to_message: Option<Box<MessageObject<'a>>>,
    #[serde(flatten)]
    content: ContentObject<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reply_markup: Option<&'a Keyboard>,
}

impl<'a> MessageObject<'a> {
    pub(super) fn of(state: &'a State, message: &'a Message) -> Self {
        let replied = message.reply_to.and_then(|id| state.chats.get(&message.chat)?.messages.get(&id));
        Self {
            // The message inside has never one of its own.
            reply_to_message: replied.map(|replied| Box::new(Self::alone(state, replied))),
            ..Self::alone(state, message)
        }
    }

    fn alone(state: &'a State, message: &'a Message) -> Self {
        Self {
            message_id: message.id,
            from: match message.author {
                Author::Bot => Some(UserObject::of_bot(&state.bot)),
                Author::User(user) => state.users.get(&user).map(UserObject::of),
            },
            chat: ChatObject::of(state, message.chat),
            date: seconds(message.sent),
            edit_date: message.edited.map(seconds),
            reply_to_message: None,
            content: ContentObject::of(&message.content),
            reply_markup: message.markup.inline(),
        }
    }
}

pub(super) fn seconds(moment: crate::clock::Timestamp) -> i64 {
    moment.unix_millis().div_euclid(1000)
}

/// A message that the bot cannot see any more: exactly these fields, the date 0.
#[derive(Serialize)]
pub(super) struct InaccessibleMessage<'a> {
    pub(super) message_id: MessageId,
    pub(super) chat: ChatObject<'a>,
    pub(super) date: i64,
}

#[derive(Serialize)]
#[serde(untagged)]
enum ContentObject<'a> {
    Text {
        text: &'a str,
        #[serde(skip_serializing_if = "<[_]>::is_empty")]
        entities: &'a [Entity],
    },
    Photo {
        photo: &'a [Size],
        #[serde(skip_serializing_if = "str::is_empty")]
        caption: &'a str,
        #[serde(skip_serializing_if = "<[_]>::is_empty")]
        caption_entities: &'a [Entity],
    },
    Invoice {
        invoice: InvoiceObject<'a>,
    },
    Paid {
        successful_payment: ChargeObject<'a>,
    },
    Refunded {
        refunded_payment: ChargeObject<'a>,
    },
    Sticker {
        sticker: Sticker,
    },
    Voice {
        voice: Voice,
    },
    Location {
        location: Location,
    },
}

#[derive(Serialize)]
struct InvoiceObject<'a> {
    title: &'a str,
    description: &'a str,
    start_parameter: &'a str,
    currency: &'static str,
    total_amount: i64,
}

#[derive(Serialize)]
struct ChargeObject<'a> {
    currency: &'static str,
    total_amount: i64,
    invoice_payload: &'a str,
    telegram_payment_charge_id: &'a str,
    /// Stars have no provider: it repeats the payer and their charge in one made-up word.
    #[serde(skip_serializing_if = "Option::is_none")]
    provider_payment_charge_id: Option<String>,
}

#[derive(Serialize)]
struct Sticker {
    width: u32,
    height: u32,
    emoji: &'static str,
    is_animated: bool,
    is_video: bool,
    r#type: &'static str,
    file_id: &'static str,
    file_unique_id: &'static str,
    file_size: u32,
}

#[derive(Serialize)]
struct Voice {
    duration: u32,
    mime_type: &'static str,
    file_id: &'static str,
    file_unique_id: &'static str,
    file_size: u32,
}

#[derive(Serialize)]
struct Location {
    latitude: f64,
    longitude: f64,
}

impl<'a> ContentObject<'a> {
    fn of(content: &'a Content) -> Self {
        match content {
            Content::Text(text) => Self::Text { text: &text.text, entities: &text.entities },
            Content::Photo { photo, caption } => {
                Self::Photo { photo: &photo.sizes, caption: &caption.text, caption_entities: &caption.entities }
            }
            Content::Invoice { invoice, .. } => Self::Invoice {
                invoice: InvoiceObject {
                    title: &invoice.title,
                    description: &invoice.description,
                    start_parameter: &invoice.start_parameter,
                    currency: STARS,
                    total_amount: invoice.amount,
                },
            },
            Content::Paid(charge) => {
                let provider = format!("{}_{}", charge.user, charge.invoice);
                Self::Paid { successful_payment: ChargeObject::of(charge, Some(provider)) }
            }
            Content::Refunded(charge) => Self::Refunded { refunded_payment: ChargeObject::of(charge, None) },
            Content::Thing(thing) => Self::thing(*thing),
        }
    }

    fn thing(thing: Thing<'static>) -> Self {
        match thing {
            // A photo is a content of its own.
            Thing::Photo(text) => Self::Text { text, entities: &[] },
            Thing::Sticker => Self::Sticker {
                sticker: Sticker {
                    width: 512,
                    height: 512,
                    emoji: "👍",
                    is_animated: false,
                    is_video: false,
                    r#type: "regular",
                    file_id: "CAACAgIAAxkBAAMDaGVsbG8gZnJvbSB0aGUgc2FuZGJveAACAgADNgQ",
                    file_unique_id: "AgADAgADNgQ",
                    file_size: 18_432,
                },
            },
            Thing::Voice => Self::Voice {
                voice: Voice {
                    duration: 2,
                    mime_type: "audio/ogg",
                    file_id: "AwACAgIAAxkBAAMEaGVsbG8gZnJvbSB0aGUgc2FuZGJveAACBAADNgQ",
                    file_unique_id: "AgADBAADNgQ",
                    file_size: 7_680,
                },
            },
            Thing::Location => Self::Location { location: Location { latitude: 48.8584, longitude: 2.2945 } },
        }
    }
}

impl<'a> ChargeObject<'a> {
    fn of(charge: &'a Charge, provider_payment_charge_id: Option<String>) -> Self {
        Self {
            currency: STARS,
            total_amount: charge.amount,
            invoice_payload: &charge.payload,
            telegram_payment_charge_id: &charge.id,
            provider_payment_charge_id,
        }
    }
}

#[derive(Serialize)]
pub(super) struct CallbackQueryObject<'a> {
    pub(super) id: String,
    pub(super) from: UserObject<'a>,
    pub(super) message: PressedMessage<'a>,
    pub(super) chat_instance: String,
    pub(super) data: &'a str,
}

#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum PressedMessage<'a> {
    Seen(Box<MessageObject<'a>>),
    Gone(InaccessibleMessage<'a>),
}

#[derive(Serialize)]
pub(super) struct PreCheckoutQueryObject<'a> {
    pub(super) id: String,
    pub(super) from: UserObject<'a>,
    pub(super) currency: &'static str,
    pub(super) total_amount: i64,
    pub(super) invoice_payload: &'a str,
}

#[derive(Serialize)]
pub(super) struct MemberChange<'a> {
    pub(super) chat: ChatObject<'a>,
    pub(super) from: UserObject<'a>,
    pub(super) date: i64,
    pub(super) old_chat_member: Member<'a>,
    pub(super) new_chat_member: Member<'a>,
}

#[derive(Serialize)]
pub(super) struct Member<'a> {
    user: UserObject<'a>,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    until_date: Option<i64>,
}

impl<'a> Member<'a> {
    pub(super) fn present(bot: &'a Bot) -> Self {
        Self { user: UserObject::of_bot(bot), status: "member", until_date: None }
    }

    pub(super) fn kicked(bot: &'a Bot) -> Self {
        Self { user: UserObject::of_bot(bot), status: "kicked", until_date: Some(0) }
    }
}

/// What `getMe` says.
#[derive(Serialize)]
pub(super) struct Me<'a> {
    #[serde(flatten)]
    user: UserObject<'a>,
    can_join_groups: bool,
    can_read_all_group_messages: bool,
    supports_inline_queries: bool,
    can_connect_to_business: bool,
    has_main_web_app: bool,
}

impl<'a> Me<'a> {
    pub(super) fn of(bot: &'a Bot) -> Self {
        Self {
            user: UserObject::of_bot(bot),
            can_join_groups: true,
            // The group is there to be ignored rightly, so all of it has to arrive.
            can_read_all_group_messages: true,
            supports_inline_queries: false,
            can_connect_to_business: false,
            has_main_web_app: false,
        }
    }
}
