//! Pure: no I/O, no clock. What a worker gives back.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// What was made of a job. Of a `generate` it has `contents`, of a `call` it has `show`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Completion {
    /// The proof that the job is held. A [`Runner`](super::Runner) writes it.
    pub lease: String,
    /// Of a `generate`: the messages to the user, in this order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 10)]
    pub contents: Vec<Content>,
    /// Of a `generate`: the screen that follows them, if it is another one than the flow says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub screen: Option<String>,
    /// Of a `call`: what its screen shows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub show: Option<Show>,
    /// Variables of the chat and their new values; the empty value takes one away. What the flow does not allow is left
    /// out.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub set: BTreeMap<String, String>,
}

/// One message: a text, or a photo with or without one. It has at most one of `text` and `html`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Content {
    /// Its text as it is to be read; a photo's caption. One that is too long for a message becomes several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Its text in Telegram's HTML, at most 4,096 visible characters; 1,024 under a photo.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub html: Option<String>,
    /// The photo above the text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub photo: Option<Photo>,
    /// Rows of buttons: `screen` and `url` alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub buttons: Vec<Vec<Button>>,
}

/// A photo: exactly one of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Photo {
    /// Telegram fetches it there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// It was uploaded for this job, and this is what the upload gave.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
}

/// What a screen shows. It has one of `text` and `html`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Show {
    /// Its text as it is to be read, at most 4,096 characters; 1,024 under a photo.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The same in Telegram's HTML.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub html: Option<String>,
    /// Where Telegram fetches the photo above the text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub photo_url: Option<String>,
    /// Rows of buttons, above those that the flow's screen has.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub buttons: Vec<Vec<Button>>,
}

/// A button: what it says, and exactly one thing that it does.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Button {
    /// What it says, plain.
    #[schema(min_length = 1, max_length = 64)]
    pub label: String,
    /// It goes to this screen of the flow. A button whose screen is gone is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub screen: Option<String>,
    /// It opens a link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// It asks for the same screen anew; only in `show`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<Call>,
}

/// What a button asks a worker for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Call {
    /// What it is for.
    #[schema(min_length = 1, max_length = 64)]
    pub name: String,
    /// What the worker is told beside.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub arguments: BTreeMap<String, String>,
}

impl Completion {
    /// One text to the user.
    pub fn text(text: impl Into<String>) -> Self {
        Self::default().and(Content { text: Some(text.into()), ..Content::default() })
    }

    /// What a screen shows.
    pub fn show(show: Show) -> Self {
        Self { show: Some(show), ..Self::default() }
    }

    /// The same with one more message.
    #[must_use]
    pub fn and(mut self, content: Content) -> Self {
        self.contents.push(content);
        self
    }

    /// The same with a variable of the chat that takes a value.
    #[must_use]
    pub fn set(mut self, variable: impl Into<String>, value: impl Into<String>) -> Self {
        self.set.insert(variable.into(), value.into());
        self
    }
}

impl Button {
    /// One that goes to a screen of the flow.
    pub fn to_screen(label: impl Into<String>, screen: impl Into<String>) -> Self {
        Self { label: label.into(), screen: Some(screen.into()), ..Self::default() }
    }

    /// One that asks for the same screen anew.
    pub fn calling(label: impl Into<String>, call: Call) -> Self {
        Self { label: label.into(), call: Some(call), ..Self::default() }
    }
}
