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
