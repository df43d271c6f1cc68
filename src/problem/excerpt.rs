//! Pure: no I/O, no clock. The line a problem stands in, with its word marked below.

use super::Problem;

/// Longest line that is shown, in characters; what is behind it is no place that a caret below would help to find.
const LINE_MAX_CHARS: usize = 160;

/// A line of a text, and what is marked in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// The line, a tab as one space, cut where it is long.
    pub line: String,
    /// How many characters stand before the mark.
    pub before: usize,
    /// How many are marked, at least one.
    pub marked: usize,
}

impl Excerpt {
    /// The line of `problem`, if it has one that reaches as far as its place.
    pub fn of(problem: &Problem) -> Option<Self> {
        let before = problem.position?.column.checked_sub(1)?;
        let shown = |letter: char| if letter.is_control() { ' ' } else { letter };
        let line: String = problem.quote.as_ref()?.trim_end().chars().take(LINE_MAX_CHARS).map(shown).collect();
        let rest: String = line.chars().skip(before).collect();
        // The end of the line is a place too: something is missing there.
        (before <= line.chars().count()).then(|| Self { before, marked: word(&rest), line })
    }
}

/// How many characters the first word of `text` has: a text in quotation marks, the head of a section, a name, or a
/// single mark.
fn word(text: &str) -> usize {
    let is_name = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.');
    let name = |text: &str| text.chars().take_while(|letter| is_name(*letter)).count();
    let length = match text.chars().next() {
        Some(quote @ ('"' | '\'')) => text.chars().skip(1).position(|letter| letter == quote).map_or(0, |end| end + 2),
        Some('[') => {
            let inner = name(text.trim_start_matches('['));
            if text.chars().nth(inner + 1) == Some(']') { inner + 2 } else { 0 }
        }
        _ => name(text),
    };
    length.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn marked(text: &str, offset: usize) -> Option<String> {
        let excerpt = Excerpt::of(&Problem::new("a.toml", "wrong").at(text, offset))?;
        Some(excerpt.line.chars().skip(excerpt.before).take(excerpt.marked).collect())
    }

    #[test]
    fn the_word_at_the_place_is_marked() {
        let text = "start = \"дом\"\r\n[screens.home]\n\tback = tru\ngo = \"a";
        let at = |word: &str| marked(text, text.find(word).unwrap()).unwrap();
        assert_eq!(at("\"дом"), "\"дом\"");
        assert_eq!(at("screens"), "screens.home");
        assert_eq!(at("[screens"), "[screens.home]");
        assert_eq!(at("tru"), "tru");
        assert_eq!(at("\"a"), "\"");
        assert_eq!(marked(text, text.len()).unwrap(), "");
    }

    #[test]
    fn a_place_far_out_in_a_long_line_has_no_excerpt() {
        assert_eq!(marked(&"x".repeat(1_000), 900), None);
        assert_eq!(marked(&" x".repeat(500), 11).unwrap(), "x");
    }

    #[test]
    fn what_has_no_place_has_no_excerpt() {
        assert_eq!(Excerpt::of(&Problem::new("REDIS_URL", "wrong")), None);
    }

    proptest! {
        #[test]
        fn it_ends_well_for_every_text(text in ".*|[\"a \t\r\n]*", offset in 0..200_usize) {
            if let Some(excerpt) = Excerpt::of(&Problem::new("", "").at(&text, offset)) {
                prop_assert!(excerpt.before <= excerpt.line.chars().count() && excerpt.marked > 0);
            }
        }
    }
}
