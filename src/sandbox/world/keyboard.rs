//! Pure: no I/O, no clock. An inline keyboard as Telegram keeps it and writes it back.

use super::view;
use serde::ser::{SerializeMap, SerializeStruct};
use serde::{Serialize, Serializer};
use serde_json::Value;

/// Rows of buttons; none at all is no keyboard.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::sandbox) struct Keyboard(pub(in crate::sandbox) Vec<Vec<Key>>);

impl Keyboard {
    /// Whether there is none.
    pub(in crate::sandbox) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All buttons, row by row.
    pub(in crate::sandbox) fn keys(&self) -> impl Iterator<Item = &Key> {
        self.0.iter().flatten()
    }

    pub(super) fn view(&self) -> Vec<Vec<view::Button>> {
        self.0.iter().map(|row| row.iter().map(Key::view).collect()).collect()
    }
}

impl Serialize for Keyboard {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("InlineKeyboardMarkup", 1)?;
        object.serialize_field("inline_keyboard", &self.0)?;
        object.end()
    }
}

/// One button.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::sandbox) struct Key {
    /// What it says.
    pub(in crate::sandbox) text: String,
    /// What it does.
    pub(in crate::sandbox) does: Does,
}

/// What a button does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::sandbox) enum Does {
    Callback(String),
    Url(String),
    WebApp(String),
    Pay,
    /// A field that the sandbox keeps but does not act on.
    Other(&'static str, Value),
}

impl Key {
    fn view(&self) -> view::Button {
        let action = match &self.does {
            Does::Callback(data) => view::Action::Callback { data: data.clone() },
            Does::Url(url) => view::Action::Url { url: url.clone() },
            Does::WebApp(url) => view::Action::WebApp { url: url.clone() },
            Does::Pay => view::Action::Pay,
            Does::Other(field, _) => view::Action::Other { what: (*field).to_owned() },
        };
        view::Button { text: self.text.clone(), action }
    }
}

impl Serialize for Key {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct WebApp<'a> {
            url: &'a str,
        }
        let mut object = serializer.serialize_map(Some(2))?;
        object.serialize_entry("text", &self.text)?;
        match &self.does {
            Does::Callback(data) => object.serialize_entry("callback_data", data)?,
            Does::Url(url) => object.serialize_entry("url", url)?,
            Does::WebApp(url) => object.serialize_entry("web_app", &WebApp { url })?,
            Does::Pay => object.serialize_entry("pay", &true)?,
            Does::Other(field, value) => object.serialize_entry(field, value)?,
        }
        object.end()
    }
}
