//! Pure: no I/O, no clock. Whether Telegram takes a text as HTML: every tag known, closed, and in its order.
//! What it refuses is refused whole, so a flow's texts are looked at before they are sent.

/// The tags of Telegram's subset (Bot API, formatting options, HTML style).
const TAGS: [&str; 16] = [
    "a",
    "b",
    "blockquote",
    "code",
    "del",
    "em",
    "i",
    "ins",
    "pre",
    "s",
    "span",
    "strike",
    "strong",
    "tg-emoji",
    "tg-spoiler",
    "u",
];

/// Why Telegram would refuse a text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// A `<` that begins no tag.
    #[error("a `<` that begins no tag; write `&lt;`")]
    Open,
    /// A tag outside the subset.
    #[error("the tag `{0}`, which Telegram does not know")]
    Unknown(String),
    /// An end without its beginning, or in the wrong order.
    #[error("`</{0}>` where no `<{0}>` is to be closed")]
    Unopened(String),
    /// A beginning without its end.
    #[error("`<{0}>` without its end")]
    Unclosed(String),
}

/// Checks the tags of `html`.
///
/// # Errors
/// The first thing that Telegram would refuse it for.
pub fn check(html: &str) -> Result<(), Refused> {
    let mut open: Vec<String> = Vec::new();
    let mut rest = html;
    while let Some((_, from)) = rest.split_once('<') {
        let (tag, after) = split_tag(from).ok_or(Refused::Open)?;
        rest = after;
        let (ends, name) = match tag.strip_prefix('/') {
            Some(name) => (true, name),
            None => (false, tag),
        };
        let name = name.split(char::is_whitespace).next().unwrap_or_default().to_ascii_lowercase();
        if name.is_empty() {
            return Err(Refused::Open);
        }
        if !TAGS.contains(&name.as_str()) {
            return Err(Refused::Unknown(name));
        }
        if !ends {
            open.push(name);
        } else if open.pop().as_ref() != Some(&name) {
            return Err(Refused::Unopened(name));
        }
    }
    open.pop().map_or(Ok(()), |name| Err(Refused::Unclosed(name)))
}

/// The inside of the tag that `from` stands in, and what follows it. A `>` between quotes does not end it.
fn split_tag(from: &str) -> Option<(&str, &str)> {
    let mut quote = None;
    let end = from.find(|letter| match (quote, letter) {
        (None, '>') => true,
        (None, '"' | '\'') => {
            quote = Some(letter);
            false
        }
        (Some(opened), _) if opened == letter => {
            quote = None;
            false
        }
        _ => false,
    })?;
    Some((from.get(..end)?, from.get(end + 1..)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_telegram_takes_is_taken() {
        for html in [
            "",
            "plain & simple > all",
            "<b>a <i>b</i></b> <a href=\"https://example.com/?a>b\">c</a>",
            "<span class='tg-spoiler'>a</span><B>b</b>",
            "<pre><code class=\"language-rust\">a</code></pre>",
        ] {
            assert_eq!(check(html), Ok(()), "{html}");
        }
    }

    #[test]
    fn what_telegram_refuses_is_told() {
        assert_eq!(check("1 < 2"), Err(Refused::Open));
        assert_eq!(check("a < b > c"), Err(Refused::Open));
        assert_eq!(check("<p>a</p>"), Err(Refused::Unknown("p".to_owned())));
        assert_eq!(check("a<br>"), Err(Refused::Unknown("br".to_owned())));
        assert_eq!(check("<b><i>a</b></i>"), Err(Refused::Unopened("b".to_owned())));
        assert_eq!(check("a</b>"), Err(Refused::Unopened("b".to_owned())));
        assert_eq!(check("<b>a"), Err(Refused::Unclosed("b".to_owned())));
    }

    proptest! {
        #[test]
        fn escaped_text_is_always_taken(text in any::<String>()) {
            prop_assert_eq!(check(&crate::telegram::text::escape(&text)), Ok(()));
        }

        #[test]
        fn any_text_is_checked(text in "[<>/ab\"' ]{0,20}") {
            let _ = check(&text);
        }
    }
}
