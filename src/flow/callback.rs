//! Pure: no I/O, no clock. The payload of a button: which screen it stands on, and which button it is.

use super::chat::Revision;
use std::fmt;

/// Longest name of a screen or button, in bytes.
/// Two of them, two colons and the longest revision (13 digits) fit [`CALLBACK_DATA_MAX_BYTES`].
///
/// [`CALLBACK_DATA_MAX_BYTES`]: crate::telegram::keyboard::CALLBACK_DATA_MAX_BYTES
pub const NAME_MAX_BYTES: usize = 24;

const DIGITS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";

/// The button under content that opens a screen in a message of its own: content stays as it is.
pub const OPEN: &str = ">";

/// A button's payload: `SCREEN:BUTTON`, or `SCREEN:BUTTON:REVISION` (base 36) for one that costs.
/// A worker's buttons have no names but numbers, see [`Face::button`](super::output::Face::button).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Callback<'a> {
    /// The screen that the button stands on.
    pub screen: &'a str,
    /// The button.
    pub button: &'a str,
    /// The revision it was drawn with.
    pub revision: Option<Revision>,
}

impl<'a> Callback<'a> {
    /// Reads a payload; none where it is not one of ours, letter by letter.
    pub fn parse(data: &'a str) -> Option<Self> {
        let mut parts = data.split(':');
        let screen = parts.next().filter(|name| is_name(name))?;
        let button = parts.next().filter(|name| is_name(name) || *name == OPEN || number(name).is_some())?;
        let revision = match parts.next() {
            None => None,
            Some(digits) => Some(i64::from_str_radix(digits, 36).ok().map(Revision)?),
        };
        Some(Self { screen, button, revision }).filter(|callback| callback.to_string() == data)
    }
}

impl Callback<'_> {
    /// Which of a worker's buttons it is.
    pub fn number(&self) -> Option<usize> {
        number(self.button)
    }
}

/// The number that `button` is, written the one way that a number is.
fn number(button: &str) -> Option<usize> {
    button.parse::<u16>().ok().map(usize::from).filter(|number| number.to_string() == button)
}

impl fmt::Display for Callback<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.screen, self.button)?;
        if let Some(revision) = self.revision {
            f.write_str(":")?;
            write_base36(f, u64::try_from(revision.0).unwrap_or(0))?;
        }
        Ok(())
    }
}

/// Whether `name` may name a screen, a button, a command or a variable:
/// a letter, then letters, digits, `_` and `-`, all lower case, at most [`NAME_MAX_BYTES`].
pub fn is_name(name: &str) -> bool {
    name.len() <= NAME_MAX_BYTES
        && name.starts_with(|first: char| first.is_ascii_lowercase())
        && name.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-'))
}

fn write_base36(f: &mut fmt::Formatter<'_>, number: u64) -> fmt::Result {
    if number >= 36 {
        write_base36(f, number / 36)?;
    }
    let digit = usize::try_from(number % 36).ok().and_then(|digit| DIGITS.get(digit)).copied().unwrap_or(b'0');
    fmt::Write::write_char(f, char::from(digit))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::telegram::keyboard::CALLBACK_DATA_MAX_BYTES;
    use proptest::prelude::*;

    const NAME: &str = "[a-z][a-z0-9_-]{0,23}";
    const BUTTON: &str = "[a-z][a-z0-9_-]{0,23}|>|[1-9][0-9]{0,3}|0";

    proptest! {
        #[test]
        fn a_payload_fits_and_reads_back(
            screen in NAME,
            button in BUTTON,
            revision in proptest::option::of(0..=i64::MAX),
        ) {
            let callback = Callback { screen: &screen, button: &button, revision: revision.map(Revision) };
            let data = callback.to_string();
            prop_assert!(data.len() <= CALLBACK_DATA_MAX_BYTES);
            prop_assert_eq!(Callback::parse(&data), Some(callback));
        }

        #[test]
        fn whatever_is_read_is_written_the_same(data in "[a-z0-9:+_A-Z>-]{0,70}|.*") {
            if let Some(callback) = Callback::parse(&data) {
                prop_assert_eq!(callback.to_string(), data);
            }
        }
    }

    #[test]
    fn the_longest_payload_fits() {
        let name = "n".repeat(NAME_MAX_BYTES);
        let longest = Callback { screen: &name, button: &name, revision: Some(Revision(i64::MAX)) }.to_string();
        assert!(longest.len() <= CALLBACK_DATA_MAX_BYTES, "{} bytes", longest.len());
    }

    #[test]
    fn other_payloads_are_not_ours() {
        for data in [
            "", ":", "a", "a:", ":b", "a:01", "a:-1", "a:99999", "a:>>", ">:a", "a:b:", "a:b:+1", "a:b:01", "a:b:A",
            "a:b:-1", "a:b:1:2", "A:b", "a b:c", "1a:b",
        ] {
            assert_eq!(Callback::parse(data), None, "{data}");
        }
    }
}
