//! Pure: no I/O, no clock. What is sent once and stays: results, notices, invoices. Never replaced by anything newer.

use crate::telegram::keyboard::InlineKeyboard;
use serde::{Deserialize, Serialize};

/// One message of its own, the payload of a job in `outbound`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Content {
    /// What it is.
    #[serde(flatten)]
    pub message: Message,
    /// What is spent when Telegram confirms it, and given back when it refuses it for good.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reservation: Option<Reservation>,
}

/// A message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Message {
    /// A text.
    Text {
        /// HTML in Telegram's subset, 1 to 4,096 visible characters.
        text: String,
        /// Its buttons.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        keyboard: Option<InlineKeyboard>,
    },
    /// A photo.
    Photo {
        /// Where it is from.
        photo: PhotoSource,
        /// HTML in Telegram's subset, up to 1,024 visible characters.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        caption: Option<String>,
        /// Its buttons.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        keyboard: Option<InlineKeyboard>,
    },
    /// An offer that Telegram collects the Stars for.
    Invoice(Invoice),
}

/// Where a photo of a result is from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PhotoSource {
    /// Telegram fetches it there.
    Url(String),
    /// A worker has uploaded it under this id.
    File(String),
}

/// An offer in Stars.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Invoice {
    /// 1 to 32 characters, plain.
    pub title: String,
    /// 1 to 255 characters, plain.
    pub description: String,
    /// What Telegram gives back with the checkout and the payment, 1 to 128 bytes. It may come back forged.
    pub payload: String,
    /// Its price in Stars.
    pub stars: i64,
}

/// A part of the balance that was taken for something which is not delivered yet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reservation {
    /// The generation it was taken for.
    pub generation: String,
    /// How much it is.
    pub cost: i64,
}
