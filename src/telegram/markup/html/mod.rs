//! Pure: no I/O, no clock. HTML as Telegram parses it, with its error texts and byte offsets.
//! Source: tdlib/td `td/telegram/MessageEntity.cpp`, `parse_html` and `decode_html_entity`.

mod reference;
mod tag;

use super::{Entity, Formatted, Kind};
use crate::telegram::link;
use reference::push_code;
pub use tag::TAGS;

/// What Telegram says after `can't parse entities: `.
pub type Detail = String;

/// Reads `html`.
///
/// # Errors
/// Telegram's words for the first thing that is wrong, with its byte offset.
pub fn parse(html: &str) -> Result<Formatted, Detail> {
    let mut parser =
        Parser { bytes: html.as_bytes(), place: 0, out: Vec::new(), units: 0, open: Vec::new(), done: vec![] };
    parser.run()?;
    let Parser { out, open, mut done, .. } = parser;
    if let Some(open) = open.last() {
        return Err(format!("Can't find end tag corresponding to start tag \"{}\"", open.name));
    }
    let text = String::from_utf8(out).map_err(|_| {
        "Text contains invalid Unicode characters after decoding HTML entities, check for unmatched surrogate code units"
    })?;
    for entity in &mut done {
        if let Draft { kind: Kind::Code, .. } = entity {
            entity.language = None;
        }
    }
    let mut formatted = Formatted { text, entities: done.into_iter().map(Draft::finish).collect() };
    formatted.sort();
    Ok(formatted)
}

struct Parser<'a> {
    bytes: &'a [u8],
    place: usize,
    out: Vec<u8>,
    /// UTF-16 code units in `out`.
    units: usize,
    open: Vec<Open>,
    done: Vec<Draft>,
}

/// A tag that was not closed yet.
struct Open {
    name: String,
    argument: String,
    units: usize,
    out: usize,
}

/// An entity, with the language that a code inside a pre leaves to it.
struct Draft {
    offset: usize,
    length: usize,
    kind: Kind,
    language: Option<String>,
}

impl Draft {
    fn finish(self) -> Entity {
        Entity { offset: self.offset, length: self.length, kind: self.kind }
    }
}

impl Parser<'_> {
    /// The byte at the place; 0 at the end, as in the original.
    fn byte(&self) -> u8 {
        self.bytes.get(self.place).copied().unwrap_or(0)
    }

    fn slice(&self, from: usize) -> &[u8] {
        self.bytes.get(from..self.place).unwrap_or_default()
    }

    fn lower(&self, from: usize) -> String {
        String::from_utf8_lossy(self.slice(from)).to_ascii_lowercase()
    }

    fn skip_spaces(&mut self) {
        while is_space(self.byte()) {
            self.place += 1;
        }
    }

    fn run(&mut self) -> Result<(), Detail> {
        while self.place < self.bytes.len() {
            let byte = self.byte();
            if byte == b'&'
                && let Some(code) = self.entity()
            {
                self.units += 1 + usize::from(code > 0xffff);
                push_code(&mut self.out, code);
                continue;
            }
            if byte != b'<' {
                if !(0x80..0xc0).contains(&byte) {
                    self.units += 1 + usize::from(byte >= 0xf0);
                }
                self.out.push(byte);
                self.place += 1;
                continue;
            }
            let begin = self.place;
            self.place += 1;
            if self.byte() == b'/' {
                self.end_tag(begin)?
            } else {
                self.start_tag(begin)?
            }
            self.place += 1;
        }
        Ok(())
    }

    fn end_tag(&mut self, begin: usize) -> Result<(), Detail> {
        let Some(open) = self.open.pop() else {
            return Err(format!("Unexpected end tag at byte offset {begin}"));
        };
        while !matches!(self.byte(), b'>' | 0) && !is_space(self.byte()) {
            self.place += 1;
        }
        let found = self.lower(begin + 2);
        self.skip_spaces();
        if self.byte() != b'>' {
            return Err(format!("Unclosed end tag at byte offset {begin}"));
        }
        let name = &open.name;
        if !found.is_empty() && found != *name {
            return Err(format!(
                "Unmatched end tag at byte offset {begin}, expected \"</{name}>\", found \"</{found}>\""
            ));
        }
        if self.units > open.units { self.close(open) } else { Ok(()) }
    }

    fn close(&mut self, open: Open) -> Result<(), Detail> {
        let (offset, length) = (open.units, self.units - open.units);
        let same = self.done.last_mut().filter(|last| last.offset == offset && last.length == length);
        let mut language = None;
        let kind = match open.name.as_str() {
            "i" | "em" => Kind::Italic,
            "b" | "strong" => Kind::Bold,
            "s" | "strike" | "del" => Kind::Strikethrough,
            "u" | "ins" => Kind::Underline,
            "tg-spoiler" | "span" => Kind::Spoiler,
            "blockquote" if open.argument.is_empty() => Kind::Blockquote,
            "blockquote" => Kind::ExpandableBlockquote,
            "tg-emoji" => match open.argument.parse::<i64>() {
                Ok(id) if id != 0 => Kind::CustomEmoji { custom_emoji_id: id.to_string() },
                _ => return Err("Invalid custom emoji identifier specified".to_owned()),
            },
            "a" => {
                let mut url = open.argument;
                if url.is_empty() {
                    url = String::from_utf8_lossy(self.out.get(open.out..).unwrap_or_default()).into_owned();
                }
                // A link that is none is left out without a word.
                match link::checked(&url) {
                    Ok(url) => Kind::TextLink { url },
                    Err(_) => return Ok(()),
                }
            }
            "pre" => match same {
                Some(Draft { kind: kind @ Kind::Code, language: language @ Some(_), .. }) => {
                    *kind = Kind::Pre { language: language.take() };
                    return Ok(());
                }
                _ => Kind::Pre { language: None },
            },
            _ => {
                language = Some(open.argument).filter(|argument| !argument.is_empty());
                match same {
                    Some(Draft { kind: Kind::Pre { language: outer @ None }, .. }) if language.is_some() => {
                        *outer = language;
                        return Ok(());
                    }
                    _ => Kind::Code,
                }
            }
        };
        self.done.push(Draft { offset, length, kind, language });
        Ok(())
    }
}

/// What the original takes for a space: the end of the text, too, stops a name.
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | 0x0b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn entities(html: &str) -> Vec<(usize, usize, Kind)> {
        parse(html).unwrap().entities.into_iter().map(|entity| (entity.offset, entity.length, entity.kind)).collect()
    }

    #[test]
    fn errors_have_telegrams_words_and_offsets() {
        for (html, expected) in [
            ("1 < 2", "Unsupported start tag \"\" at byte offset 2"),
            ("ж <b", "Unclosed start tag at byte offset 3"),
            ("<script>alert(1)</script>", "Unsupported start tag \"script\" at byte offset 0"),
            ("a<br>", "Unsupported start tag \"br\" at byte offset 1"),
            ("<b/>", "Unsupported start tag \"b/\" at byte offset 0"),
            ("<b><i>test</b></i>", "Unmatched end tag at byte offset 10, expected \"</i>\", found \"</b>\""),
            ("<b>unclosed", "Can't find end tag corresponding to start tag \"b\""),
            ("a</b>", "Unexpected end tag at byte offset 1"),
            ("<b>a</b", "Unclosed end tag at byte offset 4"),
            ("<b>a</b x>", "Unclosed end tag at byte offset 4"),
            ("<a href=x/y>a</a>", "Unexpected end of name token at byte offset 8"),
            ("<a =\"x\">a</a>", "Empty attribute name in the tag \"a\" at byte offset 0"),
            ("<a href", "Unclosed start tag \"a\" at byte offset 0"),
            ("<a href=", "Unclosed start tag \"a\" at byte offset 0"),
            ("<a href=\"x", "Unclosed start tag at byte offset 0"),
            ("<span>a</span>", "Tag \"span\" must have class \"tg-spoiler\" at byte offset 0"),
            ("<tg-emoji emoji-id=\"9999999999999999999\">x</tg-emoji>", "Invalid custom emoji identifier specified"),
            (
                "&#55296;",
                "Text contains invalid Unicode characters after decoding HTML entities, check for unmatched surrogate \
                 code units",
            ),
        ] {
            assert_eq!(parse(html).unwrap_err(), expected, "{html}");
        }
    }

    #[test]
    fn entities_lie_over_utf16_units() {
        assert_eq!(entities("😀<B>ж</B>"), [(2, 1, Kind::Bold)]);
        assert_eq!(entities("<b><i>x</i></b>"), [(0, 1, Kind::Italic), (0, 1, Kind::Bold)]);
        assert_eq!(entities("<b>a<i>b</i></b>"), [(0, 2, Kind::Bold), (1, 1, Kind::Italic)]);
        assert_eq!(entities("<b></b>"), []);
        assert_eq!(entities("<b>x</>"), [(0, 1, Kind::Bold)]);
        let rust = || Kind::Pre { language: Some("rust".to_owned()) };
        assert_eq!(entities("<pre><code class=\"language-rust\">x</code></pre>"), [(0, 1, rust())]);
        assert_eq!(entities("<code class=\"language-rust\"><pre>x</pre></code>"), [(0, 1, rust())]);
        assert_eq!(entities("<code class=\"language-rust\">x</code>"), [(0, 1, Kind::Code)]);
        assert_eq!(entities("<blockquote expandable>x</blockquote>"), [(0, 1, Kind::ExpandableBlockquote)]);
        assert_eq!(entities("<a href='nowhere'>x</a>"), []);
        let url = "https://example.com/?a=1&b".to_owned();
        assert_eq!(entities("<a href=\"https://example.com/?a=1&amp;b\">x</a>"), [(0, 1, Kind::TextLink { url })]);
    }

    #[test]
    fn four_named_entities_and_all_numbers_are_letters() {
        assert_eq!(
            parse("&lt&gt;&amp;&quot; &apos; &nbsp; &#1078;&#x436 & &#0; &").unwrap().text,
            "<>&\" &apos; &nbsp; жж & &#0; &"
        );
    }

    proptest! {
        #[test]
        fn no_text_breaks_the_parser(html in "(<|>|/|&|;|#|\"|'|=| |a|b|pre|code|ж|😀|\u{0}){0,24}") {
            let _ = parse(&html);
        }
    }
}
