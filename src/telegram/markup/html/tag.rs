//! Pure: no I/O, no clock. The beginning of a tag, with its attributes.

use super::reference::push_code;
use super::{Detail, Open, Parser, is_space};

/// The tags of Telegram's subset (Bot API, formatting options, HTML style).
pub const TAGS: [&str; 16] = [
    "a",
    "b",
    "strong",
    "i",
    "em",
    "s",
    "strike",
    "del",
    "u",
    "ins",
    "tg-spoiler",
    "tg-emoji",
    "span",
    "pre",
    "code",
    "blockquote",
];

impl Parser<'_> {
    pub(super) fn start_tag(&mut self, begin: usize) -> Result<(), Detail> {
        while !matches!(self.byte(), b'>' | 0) && !is_space(self.byte()) {
            self.place += 1;
        }
        if self.byte() == 0 {
            return Err(format!("Unclosed start tag at byte offset {begin}"));
        }
        let name = self.lower(begin + 1);
        if !TAGS.contains(&name.as_str()) {
            return Err(format!("Unsupported start tag \"{name}\" at byte offset {begin}"));
        }
        let mut argument = String::new();
        while self.byte() != b'>' {
            self.skip_spaces();
            if self.byte() == b'>' {
                break;
            }
            self.attribute(begin, &name, &mut argument)?;
        }
        if name == "span" && argument != "spoiler" {
            return Err(format!("Tag \"span\" must have class \"tg-spoiler\" at byte offset {begin}"));
        }
        self.open.push(Open { name, argument, units: self.units, out: self.out.len() });
        Ok(())
    }

    fn attribute(&mut self, begin: usize, tag: &str, argument: &mut String) -> Result<(), Detail> {
        let from = self.place;
        while !matches!(self.byte(), b'=' | b'>' | b'/' | b'"' | b'\'' | 0) && !is_space(self.byte()) {
            self.place += 1;
        }
        let attribute = String::from_utf8_lossy(self.slice(from)).into_owned();
        if attribute.is_empty() {
            return Err(format!("Empty attribute name in the tag \"{tag}\" at byte offset {begin}"));
        }
        let unclosed = || format!("Unclosed start tag \"{tag}\" at byte offset {begin}");
        self.skip_spaces();
        if self.byte() != b'=' {
            if self.byte() == 0 {
                return Err(unclosed());
            }
            if tag == "blockquote" && attribute == "expandable" {
                "1".clone_into(argument);
            }
            return Ok(());
        }
        self.place += 1;
        self.skip_spaces();
        if self.byte() == 0 {
            return Err(unclosed());
        }
        let value = self.attribute_value()?;
        if self.byte() == 0 {
            return Err(format!("Unclosed start tag at byte offset {begin}"));
        }
        match (tag, attribute.as_str()) {
            ("a", "href") | ("tg-emoji", "emoji-id") => *argument = value,
            ("code", "class") if value.starts_with("language-") => value["language-".len()..].clone_into(argument),
            ("span", "class") if value.starts_with("tg-") => value["tg-".len()..].clone_into(argument),
            ("blockquote", "expandable") => "1".clone_into(argument),
            _ => {}
        }
        Ok(())
    }

    fn attribute_value(&mut self) -> Result<String, Detail> {
        let quote = self.byte();
        if !matches!(quote, b'"' | b'\'') {
            let from = self.place;
            while self.byte().is_ascii_alphanumeric() || matches!(self.byte(), b'.' | b'-') {
                self.place += 1;
            }
            if self.byte() != b'>' && !is_space(self.byte()) {
                return Err(format!("Unexpected end of name token at byte offset {from}"));
            }
            return Ok(self.lower(from));
        }
        self.place += 1;
        let mut value = Vec::new();
        while self.byte() != quote && self.byte() != 0 {
            if self.byte() == b'&'
                && let Some(code) = self.entity()
            {
                push_code(&mut value, code);
                continue;
            }
            value.push(self.byte());
            self.place += 1;
        }
        if self.byte() == quote {
            self.place += 1;
        }
        Ok(String::from_utf8_lossy(&value).into_owned())
    }
}
