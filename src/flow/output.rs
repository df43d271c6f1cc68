//! Pure: no I/O, no clock. What a worker made of an order.

use super::chat::Arguments;
use super::content::PhotoSource;
use super::definition::Photo;
use super::render::NOTHING;
use crate::telegram::keyboard::{ButtonAction, InlineButton};
use crate::telegram::link;
use crate::telegram::markup::{self, Formatted, clean};
use crate::telegram::text::{MARKED_MAX_BYTES, escape, plain, shorten, split};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Most messages of one output.
pub const CONTENTS_MAX: usize = 10;

/// Most characters of one text of an output, which may become several messages; what is longer is cut.
pub const WORDS_MAX_CHARS: usize = 32_768;

/// Most bytes of a [`Face`], as JSON: it lies in its chat's row. One that is larger counts as a failure.
pub const FACE_MAX_BYTES: usize = 16_384;

/// Most buttons that a worker can put under one message; the others are left out.
pub const BUTTONS_MAX: usize = 50;

/// Most characters of the label of such a button; a longer one is cut.
pub const LABEL_MAX_CHARS: usize = 64;

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

    /// The photo above its text, if its address is one.
    pub(super) fn photo(&self) -> Option<Photo> {
        self.photo_url.as_ref().filter(|url| link::checked(url).is_ok()).cloned().map(Photo::Url)
    }

    /// As it is kept in the chat; none if it is too large for that.
    pub fn json(&self) -> Option<String> {
        serde_json::to_string(self).ok().filter(|json| json.len() <= FACE_MAX_BYTES)
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
    /// The same in HTML that Telegram takes. Where its markup is broken, it has none.
    pub fn html(&self) -> Cow<'_, str> {
        match self {
            Self::Html(html) if markup::parse(html).is_ok() => Cow::Borrowed(html),
            Self::Html(html) => Cow::Owned(escape(&plain(html))),
            Self::Text(text) => Cow::Owned(escape(text)),
        }
    }

    /// The same without markup.
    pub fn plain(&self) -> Cow<'_, str> {
        match self {
            Self::Text(text) => Cow::Borrowed(text),
            Self::Html(html) => Cow::Owned(plain(html)),
        }
    }

    /// The same as messages of at most `max_chars` visible characters each, HTML; none where there is nothing to see. What
    /// is too long for one has no markup.
    pub(super) fn messages(&self, max_chars: usize) -> Vec<String> {
        let (html, plain) = (self.html(), self.plain());
        let seen = clean(&Formatted::plain(&plain)).text;
        if seen.is_empty() {
            return Vec::new();
        }
        if plain.chars().count() <= max_chars && html.len() <= MARKED_MAX_BYTES {
            return vec![html.into_owned()];
        }
        split(&shorten(&plain, WORDS_MAX_CHARS), max_chars).iter().map(|part| escape(part)).collect()
    }
}

/// Whether Telegram can be asked for `photo`.
pub(super) fn is_fetchable(photo: &PhotoSource) -> bool {
    match photo {
        PhotoSource::Url(url) => link::checked(url).is_ok(),
        PhotoSource::File(_) => true,
    }
}

/// A worker's buttons as Telegram takes them. `action` says what those do that open no link, by their number; those of
/// which it says nothing are left out, and so are links that are none.
pub(super) fn rows(
    buttons: &[Vec<OfferedButton>],
    action: impl Fn(usize, &OfferedAction) -> Option<ButtonAction>,
) -> Vec<Vec<InlineButton>> {
    let mut numbers = 0..BUTTONS_MAX;
    let mut button = |offered: &OfferedButton| {
        let number = numbers.next()?;
        let action = match &offered.action {
            OfferedAction::Url(url) => link::checked(url).ok().map(|_| ButtonAction::Url(url.clone())),
            other => action(number, other),
        };
        Some(InlineButton { text: offered.shown_label(), action: action? })
    };
    let rows = buttons.iter().map(|row| row.iter().filter_map(&mut button).collect::<Vec<_>>());
    rows.filter(|row| !row.is_empty()).collect()
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

impl OfferedButton {
    fn shown_label(&self) -> String {
        let label = clean(&Formatted::plain(&self.label)).text;
        if label.trim().is_empty() { NOTHING.to_owned() } else { shorten(&label, LABEL_MAX_CHARS) }
    }
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
