//! Pure: no I/O, no clock. What is written beside the chat, in the same commit: the ledger, payments, what was said.

use super::event::Purchase;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What a commit writes beside the chat and its jobs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Books {
    /// Why the balance changes. The sum of the amounts is what it changes by.
    pub entries: Vec<Entry>,
    /// The key of a job in a lane that ends with it undone, leased or not: see [`task_key`](super::decision::task_key).
    pub cancelled: Option<String>,
    /// A payment. One whose charge is known already makes the whole commit a duplicate.
    pub payment: Option<Payment>,
    /// The charge whose Stars went back to the payer, and which is known.
    pub refunded: Option<String>,
    /// What becomes of what was said.
    pub memory: Memory,
}

impl Books {
    /// Whether nothing is to be written.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// A line of the ledger. A chat's balance is the sum of its lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// What it is.
    pub kind: EntryKind,
    /// By how much the balance changes.
    pub amount: i64,
    /// Why: a generation, a charge, an operator's words.
    pub reference: String,
}

/// What a line of the ledger is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EntryKind {
    /// What a chat had when the ledger was opened.
    Opening,
    /// What every chat gets at first contact.
    Free,
    /// Taken for a generation, which is not delivered yet.
    Reserved,
    /// Delivered: what was taken stays taken. Its amount is 0.
    Spent,
    /// Not delivered: what was taken is given back.
    Returned,
    /// Bought with a payment.
    Paid,
    /// Taken back because the payment was.
    Refunded,
    /// What was to be taken back and is not there any more.
    WrittenOff,
    /// Given or taken by an operator.
    Granted,
    /// Changed by a dialogue that does not say why.
    Adjusted,
}

impl EntryKind {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::Opening,
        Self::Free,
        Self::Reserved,
        Self::Spent,
        Self::Returned,
        Self::Paid,
        Self::Refunded,
        Self::WrittenOff,
        Self::Granted,
        Self::Adjusted,
    ];

    /// Its name in the ledger.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Opening => "opening",
            Self::Free => "free",
            Self::Reserved => "reserved",
            Self::Spent => "spent",
            Self::Returned => "returned",
            Self::Paid => "paid",
            Self::Refunded => "refunded",
            Self::WrittenOff => "written_off",
            Self::Granted => "granted",
            Self::Adjusted => "adjusted",
        }
    }

    /// The kind of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

impl fmt::Display for EntryKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A payment as it is recorded: always, whether or not anything can be given for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Payment {
    /// By which Telegram knows it, unique within a bot.
    pub charge: String,
    /// What was bought; none: the flow does not (or no longer) sell that for this price, so an operator has to look.
    pub product: Option<String>,
    /// The invoice's payload, as it came.
    pub payload: String,
    /// `XTR`.
    pub currency: String,
    /// What was paid, in Stars.
    pub amount: i64,
    /// What was added to the balance.
    pub messages: i64,
    /// For how many days the chat was made a premium one.
    pub premium_days: i64,
    /// Whether it is known only because it was refunded.
    pub refunded: bool,
}

impl Payment {
    /// A payment for which nothing is given.
    pub fn unassigned(charge: &str, purchase: &Purchase<'_>) -> Self {
        Self {
            charge: charge.to_owned(),
            product: None,
            payload: purchase.payload.clone().into_owned(),
            currency: purchase.currency.clone().into_owned(),
            amount: purchase.total_amount,
            messages: 0,
            premium_days: 0,
            refunded: false,
        }
    }
}

/// What becomes of what was said in a chat.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Memory {
    /// It stays.
    #[default]
    Kept,
    /// This follows; only the last `turns_max` turns stay.
    Continued {
        /// What was said, in this order.
        turns: Vec<Turn>,
        /// How many stay.
        turns_max: u32,
    },
    /// It goes.
    Forgotten,
}

/// Something that was said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Turn {
    /// By whom.
    pub role: Role,
    /// What, plain.
    pub text: String,
}

/// Who said something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The user.
    User,
    /// The bot.
    Assistant,
}

impl Role {
    /// Its name in the store, and in an OpenAI-compatible API.
    pub const fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
        }
    }

    /// The role of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::User, Self::Assistant].into_iter().find(|role| role.name() == name)
    }
}
