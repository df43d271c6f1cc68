//! Pure: no I/O, no clock. What can happen to a chat.

use super::books::Payment;
use super::chat::Revision;
use super::content::Reservation;
use super::decision::Place;
use super::order::Order;
use super::output::Output;
use crate::telegram::answer::Answer;
use crate::telegram::content::{CallbackQuery, Chat, Message, MyChatMember, PaymentNotice, PreCheckoutQuery, User};
use crate::telegram::id::{ChatId, MessageId};
use crate::telegram::method::{AnswerCallbackQuery, AnswerPreCheckoutQuery, Inline};
use crate::telegram::update::{Content, DeliveryQueue, Update};
use std::borrow::Cow;

/// Something that happened in a private chat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event<'a> {
    /// The chat, which is also the user.
    pub chat: ChatId,
    /// IETF tag of the language of the user's client, where it is known.
    pub language: Option<Cow<'a, str>>,
    /// What happened.
    pub happened: Happened<'a>,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Happened<'a> {
    /// `/name argument` (or `/name@bot argument`), the name in lower case.
    Command {
        /// Without slash and without `@bot`.
        name: Cow<'a, str>,
        /// What follows it, trimmed; a deep link's parameter for `/start`.
        argument: Cow<'a, str>,
    },
    /// A text, or the caption of anything else.
    Text(Cow<'a, str>),
    /// Anything else that a user can send, without a caption: a photo, a sticker, a voice message…
    Other,
    /// A press of a button under a message.
    Press {
        /// By which it is answered.
        query: Cow<'a, str>,
        /// The message it stands under.
        message: Option<MessageId>,
        /// The button's payload; none for a game button.
        data: Option<Cow<'a, str>>,
    },
    /// The user blocked the bot, or no longer does.
    Membership {
        /// Whether the bot is blocked now.
        blocked: bool,
    },
    /// A screen will never be seen: Telegram refused it for good, or an operator dropped it.
    Refused {
        /// The revision of *desired* that was to be shown.
        revision: Revision,
    },
    /// Content will never be seen, for the same reasons, for which this was taken from the balance.
    Undelivered(Reservation),
    /// A worker has done what it was asked for.
    Finished {
        /// The key of its job: the id of a generation.
        key: Cow<'a, str>,
        /// What it was asked for.
        order: Cow<'a, Order>,
        /// What it made.
        output: Cow<'a, Output>,
    },
    /// A worker has failed for good, all of them have, or an operator dropped the job.
    Failed {
        /// The key of its job: the id of a generation.
        key: Cow<'a, str>,
        /// What was asked for.
        order: Cow<'a, Order>,
    },
    /// The user is about to pay.
    Checkout {
        /// By which it is answered, within 10 s.
        query: Cow<'a, str>,
        /// What for.
        purchase: Purchase<'a>,
    },
    /// The user has paid.
    Paid {
        /// By which Telegram knows the payment.
        charge: Cow<'a, str>,
        /// What for.
        purchase: Purchase<'a>,
    },
    /// The user got their Stars back.
    Refunded {
        /// By which Telegram knows the payment.
        charge: Cow<'a, str>,
        /// What for.
        purchase: Purchase<'a>,
        /// The payment as it was recorded, if it was.
        payment: Option<Payment>,
    },
    /// An operator gives to the balance, or takes from it.
    Granted {
        /// How much.
        amount: i64,
        /// Why, in the operator's words.
        reason: Cow<'a, str>,
    },
}

/// What is paid for, as Telegram says it. The payload may be forged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Purchase<'a> {
    /// Three letters; `XTR` for Stars.
    pub currency: Cow<'a, str>,
    /// In the smallest unit of the currency; a Star is one.
    pub total_amount: i64,
    /// The payload of the invoice.
    pub payload: Cow<'a, str>,
}

impl Event<'_> {
    /// Where the screen belongs that follows it: after a press in the pressed message, else below all others.
    pub fn place(&self) -> Place {
        match &self.happened {
            Happened::Press { message, .. } => message.map_or(Place::Shown, Place::Message),
            Happened::Command { .. } | Happened::Text(_) | Happened::Other | Happened::Paid { .. } => Place::New,
            Happened::Membership { .. }
            | Happened::Refused { .. }
            | Happened::Undelivered(_)
            | Happened::Finished { .. }
            | Happened::Failed { .. }
            | Happened::Checkout { .. }
            | Happened::Refunded { .. }
            | Happened::Granted { .. } => Place::Shown,
        }
    }

    /// The answer that says nothing. A press waits for it: its button glows until then. A checkout is refused with it.
    pub fn acknowledgement(&self) -> Answer {
        match &self.happened {
            Happened::Press { query, .. } => Answer::inline(&Inline::AnswerCallbackQuery(AnswerCallbackQuery {
                callback_query_id: (&**query).into(),
                ..AnswerCallbackQuery::default()
            })),
            Happened::Checkout { query, .. } => checked_out(query, Some("This is not for sale.".into())),
            _ => Answer::EMPTY,
        }
    }
}

/// Lets a checkout go on, or says why it may not.
pub(super) fn checked_out(query: &str, refusal: Option<Cow<'_, str>>) -> Answer {
    Answer::inline(&Inline::AnswerPreCheckoutQuery(AnswerPreCheckoutQuery {
        pre_checkout_query_id: query.into(),
        ok: refusal.is_none(),
        error_message: refusal,
    }))
}

/// What an update is to the server.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::large_enum_variant, reason = "there is one at a time, and nearly all of them are events")]
pub enum Reading<'a> {
    /// An event of a private chat, to be decided.
    Event(DeliveryQueue, Event<'a>),
    /// A press outside private chats, or without a chat: it gets an empty answer, and nothing else happens.
    ForeignPress {
        /// By which it is answered.
        query: Cow<'a, str>,
    },
    /// From a group or channel: nothing happens.
    NotPrivate,
    /// Nothing that the server handles.
    Nothing,
}

/// Reads `update`, which was sent to the bot called `username` (where that is unknown, every `/name@bot` is for it).
pub fn read<'a>(update: Update<'a>, username: Option<&str>) -> Reading<'a> {
    match update.content {
        Content::Message(message) => read_message(message, username),
        Content::CallbackQuery(query) => read_press(query),
        Content::PreCheckoutQuery(query) => read_checkout(query),
        Content::MyChatMember(change) => read_membership(change),
        Content::Other => Reading::Nothing,
    }
}

fn read_message<'a>(mut message: Message<'a>, username: Option<&str>) -> Reading<'a> {
    if let Some(notice) = message.successful_payment.take() {
        let (charge, purchase) = purchased(notice);
        return paid(message, Happened::Paid { charge, purchase });
    }
    if let Some(notice) = message.refunded_payment.take() {
        let (charge, purchase) = purchased(notice);
        return paid(message, Happened::Refunded { charge, purchase, payment: None });
    }
    if !message.chat.is_private() {
        return Reading::NotPrivate;
    }
    let is_thing = message.is_thing();
    let Some(user) = message.from.filter(|user| owns(user, &message.chat)) else { return Reading::Nothing };
    let happened = match (message.text, message.caption) {
        (Some(text), _) => command(&text, username).unwrap_or(Happened::Text(text)),
        (None, Some(caption)) => Happened::Text(caption),
        (None, None) if is_thing => Happened::Other,
        (None, None) => return Reading::Nothing,
    };
    event(DeliveryQueue::Messages, user, happened)
}

fn read_press(query: CallbackQuery<'_>) -> Reading<'_> {
    let CallbackQuery { id: query, from, message, data } = query;
    match message {
        Some(message) if message.chat.is_private() && owns(&from, &message.chat) => {
            let message = Some(message.message_id).filter(|id| id.0 > 0);
            event(DeliveryQueue::Presses, from, Happened::Press { query, message, data })
        }
        _ => Reading::ForeignPress { query },
    }
}

fn read_checkout(query: PreCheckoutQuery<'_>) -> Reading<'_> {
    let PreCheckoutQuery { id: query, from, currency, total_amount, invoice_payload: payload } = query;
    let purchase = Purchase { currency, total_amount, payload };
    event(DeliveryQueue::Checkouts, from, Happened::Checkout { query, purchase })
}

fn purchased(notice: PaymentNotice<'_>) -> (Cow<'_, str>, Purchase<'_>) {
    let PaymentNotice { currency, total_amount, invoice_payload: payload, telegram_payment_charge_id: charge } = notice;
    (charge, Purchase { currency, total_amount, payload })
}

/// A payment belongs to the payer, wherever it was made. In their own chat it may be the bot that tells of it.
fn paid<'a>(message: Message<'a>, happened: Happened<'a>) -> Reading<'a> {
    let payer = message.from.filter(|user| user.is_bot != Some(true));
    let (chat, language) = match payer {
        Some(payer) => (payer.id, payer.language_code),
        None if message.chat.is_private() => (message.chat.id, None),
        None => return Reading::Nothing,
    };
    Reading::Event(DeliveryQueue::Messages, Event { chat, language, happened })
}

fn read_membership(change: MyChatMember<'_>) -> Reading<'_> {
    if !change.chat.is_private() {
        return Reading::NotPrivate;
    }
    let blocked = match &*change.new_chat_member.status {
        "kicked" => true,
        "member" => false,
        _ => return Reading::Nothing,
    };
    if !owns(&change.from, &change.chat) {
        return Reading::Nothing;
    }
    event(DeliveryQueue::Membership, change.from, Happened::Membership { blocked })
}

/// Whether the private chat `chat` is that of `user`, a person.
fn owns(user: &User<'_>, chat: &Chat<'_>) -> bool {
    user.id == chat.id && user.is_bot != Some(true)
}

fn event<'a>(queue: DeliveryQueue, user: User<'a>, happened: Happened<'a>) -> Reading<'a> {
    Reading::Event(queue, Event { chat: user.id, language: user.language_code, happened })
}

/// `text` as a command: a slash, letters, digits or underscores, perhaps our `@username`, then nothing or a space.
fn command<'a>(text: &str, username: Option<&str>) -> Option<Happened<'a>> {
    let rest = text.strip_prefix('/')?;
    let (word, argument) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let (name, bot) = match word.split_once('@') {
        Some((name, bot)) => (name, Some(bot)),
        None => (word, None),
    };
    let named = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let ours = match (bot, username) {
        (Some(bot), Some(username)) => bot.eq_ignore_ascii_case(username),
        _ => true,
    };
    (named && ours).then(|| Happened::Command {
        name: Cow::Owned(name.to_ascii_lowercase()),
        argument: Cow::Owned(argument.trim().to_owned()),
    })
}
