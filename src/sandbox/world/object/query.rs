//! Pure: no I/O, no clock. What waits for an answer: presses and checkouts.

use super::message::MessageObject;
use super::who::{ChatObject, UserObject};
use crate::telegram::id::MessageId;
use serde::Serialize;

#[derive(Serialize)]
pub(in crate::sandbox::world) struct CallbackQueryObject<'a> {
    pub(in crate::sandbox::world) id: String,
    pub(in crate::sandbox::world) from: UserObject<'a>,
    pub(in crate::sandbox::world) message: PressedMessage<'a>,
    pub(in crate::sandbox::world) chat_instance: String,
    pub(in crate::sandbox::world) data: &'a str,
}

#[derive(Serialize)]
#[serde(untagged)]
pub(in crate::sandbox::world) enum PressedMessage<'a> {
    Seen(Box<MessageObject<'a>>),
    Gone(InaccessibleMessage<'a>),
}

#[derive(Serialize)]
pub(in crate::sandbox::world) struct PreCheckoutQueryObject<'a> {
    pub(in crate::sandbox::world) id: String,
    pub(in crate::sandbox::world) from: UserObject<'a>,
    pub(in crate::sandbox::world) currency: &'static str,
    pub(in crate::sandbox::world) total_amount: i64,
    pub(in crate::sandbox::world) invoice_payload: &'a str,
}

/// A message that the bot cannot see any more: exactly these fields, the date 0.
#[derive(Serialize)]
pub(in crate::sandbox::world) struct InaccessibleMessage<'a> {
    pub(in crate::sandbox::world) message_id: MessageId,
    pub(in crate::sandbox::world) chat: ChatObject<'a>,
    pub(in crate::sandbox::world) date: i64,
}
