//! Pure: no I/O, no clock. The numbers by which Telegram names things, each a type of its own.

use serde::{Deserialize, Serialize};
use std::fmt;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub i64);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl std::str::FromStr for $name {
            type Err = std::num::ParseIntError;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                text.parse().map(Self)
            }
        }
    };
}

id! {
    /// A bot's user id: the number before the colon of its token.
    BotId
}
id! {
    /// A chat's id; a private chat's is its user's id. Up to 52 significant bits (Bot API, Chat).
    ChatId
}
id! {
    /// An update's id, unique within a bot only; it may go down after a week without updates (Bot API, Update).
    UpdateId
}
id! {
    /// A message's id, unique within its chat.
    MessageId
}
