//! Pure: no I/O, no clock. Parameters read as Telegram reads them: junk is zero, a few words are true, all else is false.
//! Source: tdlib/telegram-bot-api `Client.cpp` (`to_bool`, `get_integer_arg`, `get_message_id`, `get_required_string_arg`).

use super::outcome::Failure;
use crate::sandbox::parameters::Parameters;
use crate::telegram::id::{ChatId, MessageId};
use serde_json::Value;
use std::ops::RangeInclusive;

/// The parameters of a call.
#[derive(Clone, Copy)]
pub(super) struct Arguments<'a>(pub(super) &'a Parameters);

impl<'a> Arguments<'a> {
    /// The text of `name`, empty where it is absent.
    pub(super) fn text(&self, name: &str) -> &'a str {
        self.0.get(name).unwrap_or_default()
    }

    /// The text of `name`, which has to be there.
    pub(super) fn required(&self, name: &str) -> Result<&'a str, Failure> {
        self.0.get(name).ok_or_else(|| Failure::bad(&format!("Parameter \"{name}\" is required")))
    }

    pub(super) fn flag(&self, name: &str) -> bool {
        matches!(self.text(name).to_ascii_lowercase().as_str(), "true" | "yes" | "1")
    }

    /// The number `name`, pushed into `range`; `default` where it is absent, zero where it is junk.
    pub(super) fn integer(&self, name: &str, default: i64, range: RangeInclusive<i64>) -> i64 {
        let value = self.0.get(name).map_or(default, digits);
        value.clamp(*range.start(), *range.end())
    }

    /// `chat_id`. A name is that of no chat: the world has none with a name.
    pub(super) fn chat(&self) -> Result<ChatId, Failure> {
        match self.text("chat_id") {
            "" => Err(Failure::bad("chat_id is empty")),
            id => Ok(ChatId(digits(id))),
        }
    }

    /// The chat that a call is about, if it names one.
    pub(super) fn chat_concerned(&self) -> Option<ChatId> {
        let id = self.0.get("chat_id").or_else(|| self.0.get("user_id")).map(digits)?;
        (id != 0).then_some(ChatId(id))
    }

    /// The message `name`; zero where it is absent or makes no sense.
    pub(super) fn message(&self, name: &str) -> MessageId {
        MessageId(digits(self.text(name)).clamp(0, i64::from(i32::MAX)))
    }

    /// The user `name`.
    pub(super) fn user(&self, name: &str) -> Result<ChatId, Failure> {
        match digits(self.text(name)) {
            id if id > 0 => Ok(ChatId(id)),
            _ => Err(Failure::bad(&format!("Invalid {name} specified"))),
        }
    }

    /// The JSON of `name`; `None` where it is absent. `what` names it where it is none.
    pub(super) fn json(&self, name: &str, what: &str) -> Result<Option<Value>, Failure> {
        let Some(text) = self.0.get(name) else { return Ok(None) };
        serde_json::from_str(text).map(Some).map_err(|_| Failure::bad(&format!("Can't parse {what} JSON object")))
    }
}

/// The digits at the beginning of `text`, with a minus before them.
pub(super) fn digits(text: &str) -> i64 {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let number = digits
        .bytes()
        .take_while(u8::is_ascii_digit)
        .fold(0_i64, |number, digit| number.saturating_mul(10).saturating_add(i64::from(digit - b'0')));
    if negative { -number } else { number }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(name: &str, value: &str) -> Parameters {
        Parameters { values: vec![(name.to_owned(), value.to_owned())], files: Vec::new() }
    }

    #[test]
    fn a_few_words_are_true_and_junk_is_zero() {
        for (value, expected) in
            [("true", true), ("YES", true), ("1", true), ("on", false), ("2", false), ("false", false)]
        {
            assert_eq!(Arguments(&with("x", value)).flag("x"), expected, "{value}");
        }
        for (value, expected) in [("12", 12), ("-3", 0), ("900", 100), ("12abc", 12), ("abc", 0), ("", 40)] {
            assert_eq!(Arguments(&with("x", value)).integer("x", 40, 0..=100), expected, "{value}");
        }
    }

    #[test]
    fn an_absent_parameter_is_named() {
        let failure = Arguments(&Parameters::default()).required("error_message").unwrap_err();
        assert!(failure.answer().body.contains(r#"Bad Request: parameter \"error_message\" is required"#));
    }
}
