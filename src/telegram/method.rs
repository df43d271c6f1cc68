//! Pure: no I/O, no clock. The Bot API methods that Tapgate calls, as their parameters are written.
//! An absent field is left out: in a webhook answer Telegram reads `null` as the four letters.

use super::id::{ChatId, MessageId};
use super::keyboard::InlineKeyboard;
use serde::Serialize;
use std::borrow::Cow;

/// Longest `text` of `answerCallbackQuery`, in characters.
pub const CALLBACK_ANSWER_MAX_CHARS: usize = 200;

/// The currency of Telegram Stars.
pub const STARS: &str = "XTR";

/// A method that may ride in the answer to an update: its result is not needed and its loss is harmless.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "method", rename_all = "camelCase")]
pub enum Inline<'a> {
    /// Ends the waiting of a pressed button.
    #[serde(rename = "answerCallbackQuery")]
    AnswerCallbackQuery(AnswerCallbackQuery<'a>),
    /// A notice that moves no screen.
    #[serde(rename = "sendMessage")]
    SendMessage(SendMessage<'a>),
    /// Lets a payment go on, or not.
    #[serde(rename = "answerPreCheckoutQuery")]
    AnswerPreCheckoutQuery(AnswerPreCheckoutQuery<'a>),
}

/// `answerPreCheckoutQuery`, within 10 s of the query.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AnswerPreCheckoutQuery<'a> {
    /// Which checkout is answered.
    pub pre_checkout_query_id: Cow<'a, str>,
    /// Whether it may go on.
    pub ok: bool,
    /// Why it may not, plain text; must be there if it may not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_message: Option<Cow<'a, str>>,
}

/// `sendInvoice`, for Stars.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SendInvoice<'a> {
    /// Where to.
    pub chat_id: ChatId,
    /// 1 to 32 characters.
    pub title: Cow<'a, str>,
    /// 1 to 255 characters.
    pub description: Cow<'a, str>,
    /// 1 to 128 bytes, given back with the checkout and the payment.
    pub payload: Cow<'a, str>,
    /// Empty for Stars.
    pub provider_token: &'a str,
    /// `XTR`.
    pub currency: &'a str,
    /// Exactly one for Stars.
    pub prices: [LabeledPrice<'a>; 1],
    /// Copies that are forwarded link to the bot with it instead of having a button to pay.
    pub start_parameter: &'a str,
}

/// `LabeledPrice`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LabeledPrice<'a> {
    /// What it is for.
    pub label: Cow<'a, str>,
    /// How much.
    pub amount: i64,
}

/// `refundStarPayment`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RefundStarPayment<'a> {
    /// Who paid.
    pub user_id: ChatId,
    /// By which Telegram knows the payment.
    pub telegram_payment_charge_id: &'a str,
}

/// `answerCallbackQuery`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct AnswerCallbackQuery<'a> {
    /// Which press is answered.
    pub callback_query_id: Cow<'a, str>,
    /// A notice, at most [`CALLBACK_ANSWER_MAX_CHARS`] characters, plain text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<Cow<'a, str>>,
    /// An alert to be closed instead of a notice that fades.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub show_alert: bool,
}

/// `sendMessage`, always HTML.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SendMessage<'a> {
    /// Where to.
    pub chat_id: ChatId,
    /// HTML in Telegram's subset.
    pub text: Cow<'a, str>,
    /// How `text` is marked up; absent means plain text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parse_mode: Option<ParseMode>,
    /// Buttons under the message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reply_markup: Option<InlineKeyboard>,
}

/// `editMessageText`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EditMessageText<'a> {
    /// The chat of the message.
    pub chat_id: ChatId,
    /// The message.
    pub message_id: MessageId,
    /// The new text.
    pub text: Cow<'a, str>,
    /// How `text` is marked up; absent means plain text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parse_mode: Option<ParseMode>,
    /// Buttons under the message; absent takes them away.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reply_markup: Option<InlineKeyboard>,
}

/// `sendPhoto`, its caption always HTML or plain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SendPhoto<'a> {
    /// Where to.
    pub chat_id: ChatId,
    /// A file id, a URL, or [`ATTACHED_PHOTO`].
    pub photo: Cow<'a, str>,
    /// The text below it.
    pub caption: Cow<'a, str>,
    /// How `caption` is marked up; absent means plain text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parse_mode: Option<ParseMode>,
    /// Buttons under the message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reply_markup: Option<InlineKeyboard>,
}

/// `editMessageMedia`: another photo, caption and keyboard.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EditMessageMedia<'a> {
    /// The chat of the message.
    pub chat_id: ChatId,
    /// The message.
    pub message_id: MessageId,
    /// What it shows from now on.
    pub media: InputMediaPhoto<'a>,
    /// Buttons under the message; absent takes them away.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reply_markup: Option<InlineKeyboard>,
}

/// `InputMediaPhoto`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename = "photo")]
pub struct InputMediaPhoto<'a> {
    /// A file id, a URL, or [`ATTACHED_PHOTO`].
    pub media: Cow<'a, str>,
    /// The text below it.
    pub caption: Cow<'a, str>,
    /// How `caption` is marked up; absent means plain text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parse_mode: Option<ParseMode>,
}

/// The field of a form in which a photo is uploaded.
pub const PHOTO_FIELD: &str = "photo";

/// Stands for the photo that is uploaded in [`PHOTO_FIELD`].
pub const ATTACHED_PHOTO: &str = "attach://photo";

/// `deleteMessage`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DeleteMessage {
    /// The chat of the message.
    pub chat_id: ChatId,
    /// The message.
    pub message_id: MessageId,
}

/// The one markup language that Tapgate writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum ParseMode {
    /// Telegram's subset of HTML.
    #[serde(rename = "HTML")]
    Html,
}
