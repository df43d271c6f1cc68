//! Pure: no I/O, no clock. How JSON columns are written and read, the same in both profiles.
//! Never puts a stored value into an error.

use super::Error;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// `value` as a JSON column holds it.
pub(super) fn encode<T: Serialize>(value: &T) -> String {
    serde_json::to_string(value).expect("our own columns have string keys and nothing that refuses to be written")
}

/// What the column holds.
pub(super) fn decode<T: DeserializeOwned>(table: &'static str, column: &'static str, text: &str) -> Result<T, Error> {
    serde_json::from_str(text).map_err(|error| corrupt(table, column, reason(&error)))
}

/// The same for a column that may be empty.
pub(super) fn decode_optional<T: DeserializeOwned>(
    table: &'static str,
    column: &'static str,
    text: Option<&str>,
) -> Result<Option<T>, Error> {
    text.map(|text| decode(table, column, text)).transpose()
}

/// A stored value that is not what it should be; `reason` is in our own words.
pub(super) fn corrupt(table: &'static str, column: &'static str, reason: impl Into<String>) -> Error {
    Error::Corrupt { table, column, source: reason.into().into() }
}

/// serde's own words may quote the value.
fn reason(error: &serde_json::Error) -> String {
    let kind = match error.classify() {
        serde_json::error::Category::Io | serde_json::error::Category::Eof => "it ends too early",
        serde_json::error::Category::Syntax => "it is not JSON",
        serde_json::error::Category::Data => "it has another shape",
    };
    format!("{kind} (byte {} of line {})", error.column(), error.line())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::error::Error as _;

    #[test]
    fn an_error_never_shows_the_value() {
        let error = decode::<i64>("chats", "desired", r#""a user's text""#).unwrap_err();
        assert_eq!(error.to_string(), "column desired of table chats does not decode");
        let source = error.source().unwrap().to_string();
        assert!(!source.contains("user"), "{source}");
    }
}
