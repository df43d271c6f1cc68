//! Pure: no I/O, no clock. Text as Telegram takes it: a subset of HTML, counted in code points after parsing.

/// Longest text of a message, in Unicode code points after entity parsing (Bot API, sendMessage).
pub const TEXT_MAX_CHARS: usize = 4096;

/// Longest caption of a photo, counted the same way (Bot API, sendPhoto).
pub const CAPTION_MAX_CHARS: usize = 1024;

/// Longest text or caption with its markup, in bytes (telegram-bot-api, `get_formatted_text`).
pub const MARKED_MAX_BYTES: usize = 32_768;

/// `text` with the letters escaped that HTML reads as markup.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            _ => escaped.push(letter),
        }
    }
    escaped
}

/// What is left to see of `html`: tags gone, entities turned into their letters.
pub fn plain(html: &str) -> String {
    let mut plain = String::with_capacity(html.len());
    let mut rest = html;
    while let Some((before, marked)) = rest.find(['<', '&']).map(|place| rest.split_at(place)) {
        plain.push_str(before);
        let (seen, after) = if marked.starts_with('<') { tag(marked) } else { entity(marked) };
        plain.extend(seen);
        rest = after;
    }
    plain.push_str(rest);
    plain
}

/// How many code points of `html` are seen.
pub fn visible_chars(html: &str) -> usize {
    plain(html).chars().count()
}

/// `text`, plain, with at most `max_chars` code points, the last one an ellipsis where some are missing.
pub fn shorten(text: &str, max_chars: usize) -> String {
    match text.char_indices().nth(max_chars) {
        None => text.to_owned(),
        Some(_) => text.chars().take(max_chars.saturating_sub(1)).chain(['…']).take(max_chars).collect(),
    }
}

/// `text`, plain, in parts of at most `max_chars` code points, each cut after the last empty line, else the last line, else
/// the last word that fits. Parts of nothing but white space are left out.
pub fn split(text: &str, max_chars: usize) -> Vec<String> {
    let mut parts = Vec::new();
    let mut rest = text.trim_end();
    while let Some((end, _)) = rest.char_indices().nth(max_chars.max(1)) {
        let (fits, _) = rest.split_at(end);
        let cut = ["\n\n", "\n", " "].iter().find_map(|gap| fits.rfind(gap).filter(|place| *place > 0)).unwrap_or(end);
        let (part, after) = rest.split_at(cut);
        parts.push(part.trim_end().to_owned());
        rest = after.trim_start();
    }
    parts.push(rest.to_owned());
    parts.retain(|part| !part.trim().is_empty());
    parts
}

/// Skips the tag at the start of `marked`; a `<` that opens none is seen itself.
fn tag(marked: &str) -> (Option<char>, &str) {
    match marked.find('>') {
        Some(end) => (None, marked.get(end + 1..).unwrap_or_default()),
        None => (Some('<'), marked.get(1..).unwrap_or_default()),
    }
}

/// Reads the entity at the start of `marked`; a `&` that begins none is seen itself.
fn entity(marked: &str) -> (Option<char>, &str) {
    let known = marked.get(1..).and_then(|rest| rest.split_once(';')).and_then(|(name, after)| {
        let letter = match name {
            "amp" => '&',
            "lt" => '<',
            "gt" => '>',
            "quot" => '"',
            _ => {
                let number = name.strip_prefix('#')?;
                let code = match number.strip_prefix(['x', 'X']) {
                    Some(hex) => u32::from_str_radix(hex, 16),
                    None => number.parse(),
                };
                code.ok().and_then(char::from_u32)?
            }
        };
        Some((Some(letter), after))
    });
    known.unwrap_or((Some('&'), marked.get(1..).unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_split_text_loses_no_word_and_every_part_fits(text in "[a-zя ]{0,40}(\n\n?[a-z😀 ]{0,30}){0,5}", max in 1..30_usize) {
            let parts = split(&text, max);
            prop_assert!(parts.iter().all(|part| (1..=max).contains(&part.chars().count())));
            let letters = |text: &str| text.chars().filter(|letter| !letter.is_whitespace()).collect::<String>();
            prop_assert_eq!(letters(&parts.concat()), letters(&text));
        }
    }

    #[test]
    fn a_text_is_cut_where_a_reader_would_cut_it() {
        assert_eq!(split("one two\n\nthree four\nfive", 12), ["one two", "three four", "five"]);
        assert_eq!(split("one two three", 8), ["one two", "three"]);
        assert_eq!(split("abcdefghij", 4), ["abcd", "efgh", "ij"]);
        assert_eq!(split("short", 4096), ["short"]);
    }

    #[test]
    fn tags_go_and_entities_are_letters() {
        assert_eq!(plain("<b>a</b> &lt;b&gt; &amp;amp; &#1078;&#x436; <a href=\"x\">y</a>"), "a <b> &amp; жж y");
        assert_eq!(plain("1 & 2 &nope; <"), "1 & 2 &nope; <");
        assert_eq!(visible_chars("<b>жж</b>"), 2);
    }

    #[test]
    fn what_is_too_long_ends_in_an_ellipsis() {
        assert_eq!(shorten("жжжж", 4), "жжжж");
        assert_eq!(shorten("жжжжж", 4), "жжж…");
        assert_eq!(shorten("ж", 0), "");
    }

    proptest! {
        #[test]
        fn what_is_escaped_is_seen_as_it_was(text in any::<String>()) {
            prop_assert_eq!(plain(&escape(&text)), text);
        }

        #[test]
        fn shortened_text_is_short(text in any::<String>(), max in 0usize..20) {
            prop_assert!(shorten(&text, max).chars().count() <= max);
        }
    }
}
