//! What the simulated Telegram does with formatted text beside parsing it: entities that a caller lists, those that are
//! found in a text, and a text as HTML that is safe to show.

mod found;
mod given;
mod render;

pub(super) use crate::telegram::markup::{Entity, Formatted, Kind, clean, parse, units};
pub(super) use found::with_found;
pub(super) use given::given;
pub(super) use render::render;

/// Splits `text` after `count` UTF-16 code units, or at its end.
fn split_units(text: &str, count: usize) -> (&str, &str) {
    let mut left = count;
    let place = text.char_indices().find_map(|(place, letter)| {
        if left < letter.len_utf16() {
            return Some(place);
        }
        left -= letter.len_utf16();
        None
    });
    text.split_at(place.unwrap_or(text.len()))
}
