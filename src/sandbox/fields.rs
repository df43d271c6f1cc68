//! Pure: no I/O, no clock. The fields of a JSON object that came as a parameter, with Telegram's words for what is wrong.
//! Source: tdlib/td `tdutils/td/utils/JsonBuilder.cpp`, `JsonObject`.

use serde_json::{Map, Value};

/// An object's fields.
pub(super) struct Fields<'a>(pub(super) &'a Map<String, Value>);

/// Whether a field has to be there.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    Required,
    Optional,
}

impl Fields<'_> {
    /// The field `name`; `null` is none.
    pub(super) fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    /// A string; a number is taken as its digits; empty where it is absent and need not be there.
    pub(super) fn text(&self, name: &str, wanted: Wanted) -> Result<String, String> {
        match self.get(name) {
            Some(Value::String(text)) => Ok(text.clone()),
            Some(Value::Number(number)) => Ok(number.to_string()),
            Some(_) => Err(format!("Field \"{name}\" must be of type String")),
            None if wanted == Wanted::Required => Err(missing(name)),
            None => Ok(String::new()),
        }
    }

    /// An integer, also one written as a string.
    pub(super) fn integer(&self, name: &str) -> Result<i64, String> {
        let wrong = || format!("Field \"{name}\" must be a valid Number");
        match self.get(name) {
            Some(Value::Number(number)) => number.as_i64().ok_or_else(wrong),
            Some(Value::String(text)) => text.parse().map_err(|_| wrong()),
            Some(_) => Err(format!("Field \"{name}\" must be of type Number")),
            None => Err(missing(name)),
        }
    }

    /// A boolean; false where it is absent.
    pub(super) fn flag(&self, name: &str) -> Result<bool, String> {
        match self.get(name) {
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(_) => Err(format!("Field \"{name}\" must be of type Boolean")),
            None => Ok(false),
        }
    }

    /// An array; empty where it is absent.
    pub(super) fn array(&self, name: &str) -> Result<&[Value], String> {
        match self.get(name) {
            Some(Value::Array(array)) => Ok(array),
            Some(_) => Err(format!("Field \"{name}\" must be of type Array")),
            None => Ok(&[]),
        }
    }

    /// An object, which has to be there.
    pub(super) fn object(&self, name: &str) -> Result<Fields<'_>, String> {
        match self.get(name) {
            Some(Value::Object(object)) => Ok(Fields(object)),
            Some(_) => Err(format!("Field \"{name}\" must be of type Object")),
            None => Err(missing(name)),
        }
    }
}

fn missing(name: &str) -> String {
    format!("Can't find field \"{name}\"")
}
