//! Pure: no I/O, no clock. Buttons under a message.

use serde::{Deserialize, Serialize};

/// Longest callback payload the Bot API accepts, in bytes; one more and the whole send is refused (`BUTTON_DATA_INVALID`).
pub const CALLBACK_DATA_MAX_BYTES: usize = 64;

/// Rows of buttons, as `reply_markup` takes them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct InlineKeyboard {
    /// The rows, top to bottom.
    pub inline_keyboard: Vec<Vec<InlineButton>>,
}

/// One button: what it says and what it does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InlineButton {
    /// What it says, plain text.
    pub text: String,
    /// What it does.
    #[serde(flatten)]
    pub action: ButtonAction,
}

/// What a button does when pressed; the Bot API wants exactly one of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ButtonAction {
    /// Sends this payload back to us, at most [`CALLBACK_DATA_MAX_BYTES`] bytes.
    CallbackData(String),
    /// Opens a link.
    Url(String),
    /// Opens a web app.
    WebApp(WebApp),
}

/// A web app by its address.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WebApp {
    /// An `https://` address.
    pub url: String,
}
