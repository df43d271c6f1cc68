//! JSON byte for byte as Telegram writes it: no white space, every letter outside ASCII as `\uxxxx` in lower case,
//! six decimals on every float. Fields stand in the order of the struct.
//! Source: tdlib/td `tdutils/td/utils/JsonBuilder.cpp`, `StringBuilder.h`.

use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};
use std::io;

/// `value` as JSON.
pub(super) fn write(value: &impl Serialize) -> String {
    let mut bytes = Vec::new();
    let mut serializer = Serializer::with_formatter(&mut bytes, Telegram);
    value.serialize(&mut serializer).expect("a vector takes all bytes, and keys are strings");
    String::from_utf8(bytes).expect("only ASCII is written")
}

struct Telegram;

impl Formatter for Telegram {
    fn write_f64<W: ?Sized + io::Write>(&mut self, writer: &mut W, value: f64) -> io::Result<()> {
        write!(writer, "{value:.6}")
    }

    fn write_string_fragment<W: ?Sized + io::Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        let mut rest = fragment;
        while let Some(place) = rest.find(|letter: char| !letter.is_ascii()) {
            let (before, from) = rest.split_at(place);
            writer.write_all(before.as_bytes())?;
            let mut letters = from.chars();
            let letter = letters.next().unwrap_or_default();
            for unit in letter.encode_utf16(&mut [0; 2]) {
                write!(writer, "\\u{unit:04x}")?;
            }
            rest = letters.as_str();
        }
        writer.write_all(rest.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_outside_ascii_are_escaped_in_lower_case_and_nothing_else_is() {
        assert_eq!(
            write(&"Ж/\"\\\n\u{1}é😀<a>"),
            r#""\u0436"#.replace("0436", "0416") + r#"/\"\\\n\u0001\u00e9\ud83d\ude00<a>""#
        );
    }

    #[test]
    fn a_float_has_six_decimals() {
        assert_eq!(write(&48.8584), "48.858400");
        assert_eq!(write(&2.0), "2.000000");
    }
}
