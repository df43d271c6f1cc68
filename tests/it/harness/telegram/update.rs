//! The body of a request as Telegram writes it: its own order, its own escapes, its own white space.

use super::fresh_id;

/// An update on its way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Update {
    /// Its `update_id`.
    pub id: i64,
    /// The bytes that are posted.
    pub body: Vec<u8>,
}

impl Update {
    /// A new update that carries `object`, already written, as `kind`.
    pub fn new(kind: &str, object: &str) -> Self {
        let id = fresh_id();
        // The line break after the id is Telegram's.
        Self { id, body: format!("{{\"update_id\":{id},\n\"{kind}\":{object}}}").into_bytes() }
    }

    /// Any bytes; `id` is only what failures call it.
    pub fn raw(id: i64, body: impl Into<Vec<u8>>) -> Self {
        Self { id, body: body.into() }
    }
}

/// A JSON string as Telegram writes it: ASCII alone, every other letter as `\uXXXX` in lower case.
pub(super) fn string(text: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' => quoted += "\\\"",
            '\\' => quoted += "\\\\",
            '\n' => quoted += "\\n",
            '\r' => quoted += "\\r",
            '\t' => quoted += "\\t",
            ' '..='~' => quoted.push(letter),
            _ => {
                for unit in letter.encode_utf16(&mut [0; 2]) {
                    quoted += &format!("\\u{unit:04x}");
                }
            }
        }
    }
    quoted.push('"');
    quoted
}

#[test]
fn telegram_escapes_every_letter_outside_ascii() {
    assert_eq!(string("Аня \"😀\"\n/"), r#""\u0410\u043d\u044f \"\ud83d\ude00\"\n/""#);
}
