//! Pure: no I/O, no clock. A JSON object of parameters: strings are decoded, and whatever else is a value stays as it was
//! written (`parse_json_parameters` in tdlib/td `HttpReader.cpp`, `json_string_decode` in its `JsonBuilder.cpp`).

/// How deep a value may be nested (`DEFAULT_MAX_DEPTH`).
const DEPTH_MAX: u32 = 100;

/// The members of the object in `text`, as far as it can be read.
pub(super) fn read(text: &[u8]) -> Vec<(String, String)> {
    let mut values = Vec::new();
    let mut reader = Reader { rest: text };
    // Telegram logs what broke, and goes on with what it has.
    let _ = reader.object(&mut values);
    values
}

/// The text cannot be read on.
struct Broken;

struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    fn object(&mut self, values: &mut Vec<(String, String)>) -> Result<(), Broken> {
        self.skip_space();
        self.expect(b'{')?;
        loop {
            self.skip_space();
            if self.take(b'}') {
                return Ok(());
            }
            let name = self.string()?;
            self.skip_space();
            self.expect(b':')?;
            self.skip_space();
            let value = if self.peek() == Some(b'"') { self.string()? } else { self.raw()? };
            values.push((name, value));
            self.skip_space();
            // A comma before the brace is taken, as there.
            if self.peek() != Some(b'}') {
                self.expect(b',')?;
            }
        }
    }

    fn raw(&mut self) -> Result<String, Broken> {
        let from = self.rest;
        self.skip_value(DEPTH_MAX)?;
        let raw = &from[..from.len() - self.rest.len()];
        Ok(String::from_utf8_lossy(raw).into_owned())
    }

    fn skip_value(&mut self, depth: u32) -> Result<(), Broken> {
        let deeper = || depth.checked_sub(1).ok_or(Broken);
        match self.peek().ok_or(Broken)? {
            b'"' => self.string().map(drop),
            b'{' => {
                let deeper = deeper()?;
                self.skip_members(b'}', |reader| {
                    reader.string()?;
                    reader.skip_space();
                    reader.expect(b':')?;
                    reader.skip_space();
                    reader.skip_value(deeper)
                })
            }
            b'[' => {
                let deeper = deeper()?;
                self.skip_members(b']', |reader| reader.skip_value(deeper))
            }
            b'-' | b'+' | b'.' | b'0'..=b'9' => {
                while matches!(self.peek(), Some(b'-' | b'+' | b'.' | b'e' | b'E' | b'0'..=b'9')) {
                    self.rest = &self.rest[1..];
                }
                Ok(())
            }
            _ => {
                let words: [&[u8]; 3] = [b"null", b"true", b"false"];
                let word = words.into_iter().find(|word| self.rest.starts_with(word)).ok_or(Broken)?;
                self.rest = &self.rest[word.len()..];
                Ok(())
            }
        }
    }

    fn skip_members(&mut self, end: u8, member: impl Fn(&mut Self) -> Result<(), Broken>) -> Result<(), Broken> {
        self.rest = &self.rest[1..];
        self.skip_space();
        if self.take(end) {
            return Ok(());
        }
        loop {
            self.skip_space();
            member(self)?;
            self.skip_space();
            if self.take(end) {
                return Ok(());
            }
            self.expect(b',')?;
        }
    }

    fn string(&mut self) -> Result<String, Broken> {
        self.expect(b'"')?;
        let mut bytes = Vec::new();
        loop {
            match self.next()? {
                b'"' => return Ok(String::from_utf8_lossy(&bytes).into_owned()),
                b'\\' => match self.next()? {
                    b'b' => bytes.push(8),
                    b'f' => bytes.push(12),
                    b'n' => bytes.push(b'\n'),
                    b'r' => bytes.push(b'\r'),
                    b't' => bytes.push(b'\t'),
                    b'u' => bytes.extend_from_slice(self.escaped()?.encode_utf8(&mut [0; 4]).as_bytes()),
                    other => bytes.push(other),
                },
                other => bytes.push(other),
            }
        }
    }

    /// What stands behind `\u`: four digits, and for a pair of surrogates another escape.
    fn escaped(&mut self) -> Result<char, Broken> {
        let first = self.four_digits()?;
        let mut code = first;
        if (0xd800..0xdc00).contains(&first) && self.rest.starts_with(b"\\u") {
            let mut ahead = Reader { rest: &self.rest[2..] };
            let second = ahead.four_digits()?;
            if (0xdc00..0xe000).contains(&second) {
                code = 0x1_0000 + ((first & 0x3ff) << 10 | second & 0x3ff);
                self.rest = ahead.rest;
            }
        }
        Ok(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    fn four_digits(&mut self) -> Result<u32, Broken> {
        let mut code = 0;
        for _ in 0..4 {
            code = code << 4 | char::from(self.next()?).to_digit(16).ok_or(Broken)?;
        }
        Ok(code)
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.rest = &self.rest[1..];
        }
    }

    fn peek(&self) -> Option<u8> {
        self.rest.first().copied()
    }

    fn next(&mut self) -> Result<u8, Broken> {
        let (first, rest) = self.rest.split_first().ok_or(Broken)?;
        self.rest = rest;
        Ok(*first)
    }

    fn take(&mut self, byte: u8) -> bool {
        let there = self.peek() == Some(byte);
        if there {
            self.rest = &self.rest[1..];
        }
        there
    }

    fn expect(&mut self, byte: u8) -> Result<(), Broken> {
        self.take(byte).then_some(()).ok_or(Broken)
    }
}

#[cfg(test)]
mod tests {
    use super::read;
    use proptest::prelude::*;

    fn pairs(text: &str) -> Vec<(String, String)> {
        read(text.as_bytes())
    }

    fn expected(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn strings_are_decoded_and_the_rest_stays_as_written() {
        let text = r#" {"s":"a\n\"\u0410\ud83d\ude00\/","n":-1.50,"t":true,"z":null,"o":{"a": [1, "x"]},"l":[ ]} "#;
        let read = [
            ("s", "a\n\"А😀/"),
            ("n", "-1.50"),
            ("t", "true"),
            ("z", "null"),
            ("o", r#"{"a": [1, "x"]}"#),
            ("l", "[ ]"),
        ];
        assert_eq!(pairs(text), expected(&read));
    }

    #[test]
    fn what_was_read_before_a_break_is_kept() {
        let before = [("method", "sendMessage"), ("chat_id", "7")];
        for rest in
            ["", ",", r#","text""#, r#","text":"no end"#, r#","text":nul"#, r#" "text":"x"}"#, r#","a":{"b":}}"#]
        {
            let text = format!(r#"{{"method":"sendMessage","chat_id":7{rest}"#);
            assert_eq!(pairs(&text), expected(&before), "{rest}");
        }
    }

    #[test]
    fn what_is_no_object_has_no_parameters() {
        for text in ["", "[1]", "\"x\"", "null", "  ", r#"[{"method":"x"}]"#] {
            assert_eq!(pairs(text), vec![], "{text}");
        }
    }

    #[test]
    fn nesting_ends_at_a_hundred() {
        let nested = |depth: usize| format!(r#"{{"a":{}{}}}"#, "[".repeat(depth), "]".repeat(depth));
        assert_eq!(pairs(&nested(100)).len(), 1);
        assert_eq!(pairs(&nested(101)).len(), 0);
    }

    proptest! {
        #[test]
        fn nothing_breaks_the_reader(text in proptest::collection::vec(any::<u8>(), 0..200)) {
            read(&text);
        }

        #[test]
        fn what_a_library_writes_is_read(strings in proptest::collection::btree_map(".*", ".*", 0..5)) {
            let text = serde_json::to_vec(&strings).unwrap();
            prop_assert_eq!(read(&text), strings.into_iter().collect::<Vec<_>>());
        }
    }
}
