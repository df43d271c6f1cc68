//! Pure: no I/O, no clock. `name=value&…`, of a query string or of a form.

use super::Parameters;

/// Reads `name=value&…`, of a query string or of a form.
pub fn read_query(text: &[u8]) -> Parameters {
    let pairs = text.split(|byte| *byte == b'&').filter(|pair| !pair.is_empty());
    let values = pairs.map(|pair| {
        let equals = pair.iter().position(|byte| *byte == b'=').unwrap_or(pair.len());
        (decoded(&pair[..equals]), decoded(pair.get(equals + 1..).unwrap_or_default()))
    });
    Parameters { values: values.collect(), files: Vec::new() }
}

/// `text` with `+` and `%41` replaced; what is no escape stays as it is.
fn decoded(text: &[u8]) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let [byte, tail @ ..] = rest {
        rest = tail;
        bytes.push(match (byte, tail) {
            (b'+', _) => b' ',
            (b'%', [high, low, after @ ..]) => match (hex(*high), hex(*low)) {
                (Some(high), Some(low)) => {
                    rest = after;
                    high << 4 | low
                }
                _ => b'%',
            },
            _ => *byte,
        });
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_replaced_and_broken_ones_kept() {
        let read = read_query(b"text=a+b%26%d0%90&x&y=&%6d=1=2&z=%zz%4");
        let pairs: Vec<_> = read.values.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(pairs, [("text", "a b&А"), ("x", ""), ("y", ""), ("m", "1=2"), ("z", "%zz%4")]);
        assert_eq!(read.get("x"), None, "empty is absent");
    }
}
