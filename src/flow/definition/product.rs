//! Pure: no I/O, no clock. What a flow sells, and who goes first because of it.

use crate::flow::chat::Chat;

/// What a chat can buy. Its title is the message `product-NAME` of `LOCALE.ftl`, its description that one's attribute.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Product {
    /// Its price in Stars.
    pub stars: i64,
    /// What it adds to the balance.
    pub messages: i64,
    /// For how many days it makes the chat a premium one.
    pub premium_days: i64,
    /// The screen that follows the payment; none: the one that is there.
    pub thanks: Option<String>,
}

/// Whose orders go before others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Priority {
    /// Those of chats that ever paid for anything, or are premium ones.
    #[default]
    Paid,
    /// Those of premium chats.
    Premium,
}

impl Priority {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Paid, Self::Premium];

    /// Its name in a flow.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Paid => "paid",
            Self::Premium => "premium",
        }
    }

    /// Whether `chat` has it.
    pub const fn is_of(self, chat: &Chat) -> bool {
        match self {
            Self::Paid => chat.paid || chat.premium_until.is_some(),
            Self::Premium => chat.premium_until.is_some(),
        }
    }
}
