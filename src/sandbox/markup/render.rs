//! Pure: no I/O, no clock. Formatted text as HTML in Telegram's subset, safe to show: all that is no tag is escaped.

use super::{Entity, Formatted, Kind, split_units};
use crate::telegram::text::escape;

/// `formatted` as HTML. Entities that overlap without lying inside each other are closed and opened again.
pub(in crate::sandbox) fn render(formatted: &Formatted) -> String {
    let mut edges: Vec<usize> =
        formatted.entities.iter().flat_map(|entity| [entity.offset, entity.offset + entity.length]).collect();
    edges.sort_unstable();
    edges.dedup();

    let mut html = String::with_capacity(formatted.text.len());
    let mut open: Vec<&Entity> = Vec::new();
    let (mut rest, mut at) = (formatted.text.as_str(), 0);
    for edge in edges {
        let (piece, after) = split_units(rest, edge - at);
        html.push_str(&escape(piece));
        (rest, at) = (after, edge);
        let covers = |entity: &Entity| entity.offset <= edge && edge < entity.offset + entity.length;
        let keep = open.iter().take_while(|entity| covers(entity)).count();
        let closed = open.split_off(keep);
        html.extend(closed.iter().rev().map(|entity| tags(&entity.kind).1));
        let again = closed.into_iter().filter(|entity| covers(entity));
        let new = formatted.entities.iter().filter(|entity| entity.offset == edge);
        for entity in again.chain(new) {
            html.push_str(&tags(&entity.kind).0);
            open.push(entity);
        }
    }
    html.push_str(&escape(rest));
    html.extend(open.iter().rev().map(|entity| tags(&entity.kind).1));
    html
}

/// What opens and what closes.
fn tags(kind: &Kind) -> (String, &'static str) {
    let plain = |open: &str| open.to_owned();
    match kind {
        Kind::Bold => (plain("<b>"), "</b>"),
        Kind::Italic => (plain("<i>"), "</i>"),
        Kind::Underline => (plain("<u>"), "</u>"),
        Kind::Strikethrough => (plain("<s>"), "</s>"),
        Kind::Spoiler => (plain("<tg-spoiler>"), "</tg-spoiler>"),
        Kind::Code => (plain("<code>"), "</code>"),
        Kind::Blockquote => (plain("<blockquote>"), "</blockquote>"),
        Kind::ExpandableBlockquote => (plain("<blockquote expandable>"), "</blockquote>"),
        Kind::Pre { language: None } => (plain("<pre>"), "</pre>"),
        Kind::Pre { language: Some(language) } => {
            (format!("<pre><code class=\"language-{}\">", escape(language)), "</code></pre>")
        }
        Kind::TextLink { url } => (format!("<a href=\"{}\">", escape(url)), "</a>"),
        Kind::CustomEmoji { custom_emoji_id } => {
            (format!("<tg-emoji emoji-id=\"{}\">", escape(custom_emoji_id)), "</tg-emoji>")
        }
        Kind::Mention | Kind::Hashtag | Kind::BotCommand | Kind::Url | Kind::Email => (String::new(), ""),
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_was_parsed_comes_back() {
        for html in [
            "a &lt;b&gt; <b>😀<i>ж</i></b> x",
            "<a href=\"https://example.com/?a=1&amp;b=2\">x</a>",
            "<pre><code class=\"language-rust\">x</code></pre>",
            "<blockquote expandable>a</blockquote><tg-spoiler>b</tg-spoiler>",
        ] {
            assert_eq!(render(&parse(html).unwrap()), html);
        }
    }

    proptest! {
        #[test]
        fn whatever_is_shown_parses_to_what_it_was(html in "(<b>|</b>|<i>|</i>|&amp;|a|ж|😀| ){0,16}") {
            if let Ok(formatted) = parse(&html) {
                let again = parse(&render(&formatted)).unwrap();
                prop_assert_eq!(&again.text, &formatted.text);
            }
        }
    }
}
