//! Pure: no I/O, no clock. What a worker made of an order.

use super::chat::Arguments;
use super::content::PhotoSource;
use crate::telegram::text::escape;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Most messages of one output.
pub const CONTENTS_MAX: usize = 10;

/// What a worker made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// Messages to the user, in this order.
    pub contents: Vec<Piece>,
    /// Of a generation: the screen that follows them, instead of the one that the flow says.
    pub screen: Option<String>,
    /// Of a call: what its screen shows.
    pub show: Option<Face>,
    /// Variables of the chat and the values they take; the empty value takes a variable's value away. What the flow does
    /// not allow is left out.
    pub set: BTreeMap<String, String>,
}

/// One message of an output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The photo above the text.
    pub photo: Option<PhotoSource>,
    /// Its text; a photo's caption. A plain one that is too long becomes several messages.
    pub words: Option<Words>,
    /// Its buttons.
    pub buttons: Vec<Vec<OfferedButton>>,
}

/// What a screen shows that a worker made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Face {
    /// Its text; its photo's caption.
    pub words: Words,
    /// Where Telegram fetches the photo above the text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub photo_url: Option<String>,
    /// Its buttons, above those of the flow's screen.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub buttons: Vec<Vec<OfferedButton>>,
}

impl Face {
    /// The button of that number, counted from 0 through all rows.
    pub fn button(&self, number: usize) -> Option<&OfferedButton> {
        self.buttons.iter().flatten().nth(number)
    }
}

/// A text of a worker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Words {
    /// As it is to be read.
    Text(String),
    /// HTML in Telegram's subset.
    Html(String),
}

impl Words {
    /// The same in HTML.
    pub fn html(&self) -> Cow<'_, str> {
        match self {
            Self::Text(text) => Cow::Owned(escape(text)),
            Self::Html(html) => Cow::Borrowed(html),
        }
    }
}

/// A button that a worker puts under what it made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OfferedButton {
    /// What it says, plain.
    pub label: String,
    /// What it does.
    #[serde(flatten)]
    pub action: OfferedAction,
}

/// What a worker's button does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OfferedAction {
    /// Goes to a screen of the flow.
    Screen(String),
    /// Asks a worker for the same screen anew; only on a screen that a worker made.
    Call(OfferedCall),
    /// Opens a link.
    Url(String),
}

/// What a worker's button asks for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OfferedCall {
    /// What the worker is to do.
    pub name: String,
    /// With what. They stay in the chat, so they may be longer than a button's payload.
    #[serde(default, skip_serializing_if = "Arguments::is_empty")]
    pub arguments: Arguments,
}
