//! Pure: no I/O, no clock. What Telegram takes away from a text before it counts it: control characters, and white
//! space at both ends. Source: tdlib/td `td/utils/misc.cpp` `clean_input_string`, `MessageEntity.cpp`
//! `fix_formatted_text`.

use super::{Formatted, units};

/// `formatted` as it is kept; entities that lie over nothing any more are gone.
pub fn clean(formatted: &Formatted) -> Formatted {
    let text: String = formatted.text.chars().map(cleaned).collect();
    let end = text.trim_end_matches(is_white).len();
    let body = text.get(..end).unwrap_or_default();
    let begin = body.len() - body.trim_start_matches(is_white).len();
    let kept = body.get(begin..).unwrap_or_default();
    let (gone, left) = (units(body.get(..begin).unwrap_or_default()), units(kept));
    let entities = formatted.entities.iter().filter_map(|entity| {
        let from = entity.offset.saturating_sub(gone);
        let to = (entity.offset + entity.length).saturating_sub(gone).min(left);
        let mut entity = entity.clone();
        (entity.offset, entity.length) = (from, to.checked_sub(from).filter(|length| *length > 0)?);
        Some(entity)
    });
    Formatted { text: kept.to_owned(), entities: entities.collect() }
}

/// Control characters become spaces, one letter for one, so that offsets stay right.
fn cleaned(letter: char) -> char {
    match letter {
        '\n' => '\n',
        '\u{0}'..='\u{1f}' => ' ',
        // Marks that other programs use to turn the text around.
        '\u{2028}'..='\u{202e}' => '\u{200b}',
        other => other,
    }
}

fn is_white(letter: char) -> bool {
    matches!(letter, ' ' | '\n' | '\u{a0}' | '\u{200b}'..='\u{200d}' | '\u{2060}')
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;

    #[test]
    fn white_space_at_the_ends_goes_and_entities_follow() {
        let cleaned = clean(&parse(" \n a<b>b </b>\n").unwrap());
        assert_eq!(cleaned.text, "ab");
        assert_eq!((cleaned.entities[0].offset, cleaned.entities[0].length), (1, 1));
        assert_eq!(clean(&parse("<b>  </b>").unwrap()), Formatted::default());
        assert_eq!(clean(&Formatted::plain("a\tb\n\nc")).text, "a b\n\nc");
    }
}
