//! Pure: no I/O, no clock. Character references: four names, and all numbers.

use super::Parser;

impl Parser<'_> {
    /// The character reference at the place, which is then behind it; `None`, the place kept, where there is none.
    pub(super) fn entity(&mut self) -> Option<u32> {
        let at = |place: usize| self.bytes.get(place).copied().unwrap_or(0);
        let mut end = self.place + 1;
        let code = if at(end) == b'#' {
            end += 1;
            let radix = if at(end) == b'x' {
                end += 1;
                16
            } else {
                10
            };
            let mut code: u32 = 0;
            while let Some(digit) = char::from(at(end)).to_digit(radix) {
                code = code.wrapping_mul(radix).wrapping_add(digit);
                end += 1;
            }
            if code == 0 || code >= 0x10_ffff || end - self.place >= 10 {
                return None;
            }
            code
        } else {
            while at(end).is_ascii_alphabetic() {
                end += 1;
            }
            u32::from(match self.bytes.get(self.place + 1..end)? {
                b"lt" => '<',
                b"gt" => '>',
                b"amp" => '&',
                b"quot" => '"',
                _ => return None,
            })
        };
        self.place = if at(end) == b';' { end + 1 } else { end };
        Some(code)
    }
}

/// Writes `code` as UTF-8, also where it is half of a surrogate pair, which then is found to be none.
pub(super) fn push_code(out: &mut Vec<u8>, code: u32) {
    match char::from_u32(code) {
        Some(letter) => out.extend(letter.encode_utf8(&mut [0; 4]).as_bytes()),
        None => out.push(0xff),
    }
}
