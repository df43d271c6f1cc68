//! Pure: no I/O, no clock. Text as Telegram takes it: a subset of HTML, counted in code points after parsing.

/// Longest text of a message, in Unicode code points after entity parsing (Bot API, sendMessage).
pub const TEXT_MAX_CHARS: usize = 4096;

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
