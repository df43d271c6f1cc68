//! Pure: no I/O, no clock. When a button is there, and which way a step goes.

use super::Flow;
use crate::flow::chat::Chat;

/// What has to be so of a chat: all of it. Without a test it always holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Condition(pub Vec<Test>);

/// One thing that can be so of a chat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Test {
    /// The variable has one of these values.
    Among {
        /// Which variable.
        variable: String,
        /// Its values.
        values: Vec<String>,
    },
    /// The variable has a value.
    Chosen(String),
    /// The variable has none.
    NotChosen(String),
    /// The chat is spoken to in one of these locales.
    Locale(Vec<String>),
    /// The balance is at least that.
    Balance(i64),
    /// Whether a generation is under way.
    Busy(bool),
    /// Whether it is a premium chat.
    Premium(bool),
}

impl Condition {
    /// Whether it holds for `chat`.
    pub fn holds(&self, flow: &Flow, chat: &Chat) -> bool {
        self.0.iter().all(|test| test.holds(flow, chat))
    }
}

impl Test {
    fn holds(&self, flow: &Flow, chat: &Chat) -> bool {
        match self {
            Self::Among { variable, values } => chat.vars.get(variable).is_some_and(|value| values.contains(value)),
            Self::Chosen(variable) => flow.has_chosen(chat, variable),
            Self::NotChosen(variable) => !flow.has_chosen(chat, variable),
            Self::Locale(locales) => locales.iter().any(|locale| locale == flow.spoken(chat)),
            Self::Balance(least) => chat.balance >= *least,
            Self::Busy(busy) => chat.busy.is_some() == *busy,
            Self::Premium(premium) => chat.premium_until.is_some() == *premium,
        }
    }
}
