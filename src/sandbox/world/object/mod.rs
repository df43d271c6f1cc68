//! Pure: no I/O, no clock. The objects of the Bot API as the server writes them: its order of fields, and what it sends
//! beyond the documentation. Source: tdlib/telegram-bot-api `Client.cpp`, the `Json…` classes.

mod content;
mod member;
mod message;
mod query;
mod who;

pub(super) use member::{Member, MemberChange};
pub(super) use message::MessageObject;
pub(super) use query::{CallbackQueryObject, InaccessibleMessage, PreCheckoutQueryObject, PressedMessage};
pub(super) use who::{ChatObject, Me, UserObject};

/// The currency of Stars.
pub(super) const STARS: &str = "XTR";

/// A moment as Telegram writes it.
pub(super) fn seconds(moment: crate::clock::Timestamp) -> i64 {
    moment.unix_millis().div_euclid(1000)
}
