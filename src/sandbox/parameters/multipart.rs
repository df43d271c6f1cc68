//! Pure: no I/O, no clock. `multipart/form-data`: a part with a file name is a file, any other a value.

use super::{FILES_MAX, File, PARAMETERS_MAX_BYTES, Parameters, TOO_MANY_PARAMETERS, Unreadable};
use bytes::Bytes;

const NO_BOUNDARY: Unreadable = Unreadable { status: 400, description: "Bad Request: boundary not found" };
const BAD_PART: Unreadable = Unreadable { status: 400, description: "Bad Request: can't parse multipart data" };
const TOO_MANY_FILES: Unreadable =
    Unreadable { status: 413, description: "Request Entity Too Large: too many files attached" };

/// Reads the parts of `body`.
pub(super) fn read(content_type: &str, body: &Bytes) -> Result<Parameters, Unreadable> {
    let boundary = [b"\r\n--", boundary(content_type).ok_or(NO_BOUNDARY)?.as_bytes()].concat();
    // The first boundary may stand at the very beginning, without a line before it.
    let mut at = if body.starts_with(&boundary[2..]) {
        boundary.len() - 2
    } else {
        find(body, &boundary).ok_or(NO_BOUNDARY)? + boundary.len()
    };
    let mut parameters = Parameters::default();
    let mut values_bytes = 0;
    loop {
        let rest = &body[at..];
        if rest.starts_with(b"--") {
            return Ok(parameters);
        }
        let line_end = find(rest, b"\r\n").ok_or(BAD_PART)?;
        // The head may be empty, so its end is looked for from the line end on.
        let head_end = find(&rest[line_end..], b"\r\n\r\n").ok_or(BAD_PART)? + line_end;
        let content_from = head_end + 4;
        let content_length = find(&rest[content_from..], &boundary).ok_or(BAD_PART)?;
        let content = body.slice(at + content_from..at + content_from + content_length);
        let head = Head::read(&String::from_utf8_lossy(&rest[line_end..head_end]));
        let field = head.field.ok_or(BAD_PART)?;
        match head.file_name {
            Some(name) => parameters.files.push(File { field, name, content_type: head.content_type, content }),
            None => {
                values_bytes += field.len() + content.len();
                parameters.values.push((field, String::from_utf8_lossy(&content).into_owned()));
            }
        }
        if parameters.files.len() > FILES_MAX {
            return Err(TOO_MANY_FILES);
        }
        if values_bytes > PARAMETERS_MAX_BYTES {
            return Err(TOO_MANY_PARAMETERS);
        }
        at += content_from + content_length + boundary.len();
    }
}

/// What the head of a part says.
#[derive(Default)]
struct Head {
    field: Option<String>,
    file_name: Option<String>,
    content_type: String,
}

impl Head {
    fn read(text: &str) -> Self {
        let mut head = Self::default();
        for (name, value) in text.lines().filter_map(|line| line.split_once(':')) {
            match name.trim().to_ascii_lowercase().as_str() {
                "content-disposition" => {
                    head.field = attribute(value, "name");
                    head.file_name = attribute(value, "filename");
                }
                "content-type" => value.trim().clone_into(&mut head.content_type),
                _ => {}
            }
        }
        head
    }
}

fn boundary(content_type: &str) -> Option<String> {
    attribute(content_type, "boundary").filter(|boundary| !boundary.is_empty())
}

/// The attribute `name` of a header's value: `; name=value` or `; name="value"`.
fn attribute(value: &str, name: &str) -> Option<String> {
    let mut rest = value;
    while let Some(semicolon) = rest.find(';') {
        rest = rest[semicolon + 1..].trim_start();
        let (key, tail) = rest.split_once('=')?;
        let (found, after) = match tail.strip_prefix('"') {
            Some(quoted) => quoted_string(quoted)?,
            None => {
                let end = tail.find(';').unwrap_or(tail.len());
                (tail[..end].trim().to_owned(), &tail[end..])
            }
        };
        if key.trim().eq_ignore_ascii_case(name) {
            return Some(found);
        }
        rest = after;
    }
    None
}

/// What stands before the closing quote, and what comes after it.
fn quoted_string(text: &str) -> Option<(String, &str)> {
    let mut found = String::new();
    let mut letters = text.char_indices();
    while let Some((place, letter)) = letters.next() {
        match letter {
            '"' => return Some((found, &text[place + 1..])),
            '\\' => found.push(letters.next()?.1),
            other => found.push(other),
        }
    }
    None
}

fn find(text: &[u8], part: &[u8]) -> Option<usize> {
    text.windows(part.len()).position(|window| window == part)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TYPE: &str = "multipart/form-data; boundary=\"xx\"";

    fn body(parts: &[&str]) -> Bytes {
        let parts: String = parts.iter().map(|part| format!("--xx\r\n{part}\r\n")).collect();
        Bytes::from(format!("{parts}--xx--\r\n"))
    }

    #[test]
    fn a_part_with_a_file_name_is_a_file() {
        let body = body(&[
            "Content-Disposition: form-data; name=\"method\"\r\n\r\nsendPhoto",
            "content-disposition: form-data; filename=\"a;b.png\"; name=photo\r\nContent-Type: image/png\r\n\r\n\r\n--x",
        ]);
        let read = read(TYPE, &body).unwrap();
        assert_eq!(read.get("method"), Some("sendPhoto"));
        let file = read.file("photo").unwrap();
        assert_eq!((file.name.as_str(), file.content_type.as_str()), ("a;b.png", "image/png"));
        assert_eq!(&file.content[..], b"\r\n--x");
    }

    #[test]
    fn what_breaks_the_rules_of_parts_is_refused() {
        assert_eq!(read("multipart/form-data", &body(&[])), Err(NO_BOUNDARY));
        assert_eq!(read(TYPE, &Bytes::from_static(b"method=x")), Err(NO_BOUNDARY));
        assert_eq!(read(TYPE, &Bytes::from_static(b"--xx\r\n\r\nno end")), Err(BAD_PART));
        assert_eq!(read(TYPE, &body(&["Content-Disposition: form-data\r\n\r\nno name"])), Err(BAD_PART));
        let file = "Content-Disposition: form-data; name=a; filename=b\r\n\r\nx";
        assert_eq!(read(TYPE, &body(&[file; 50])).unwrap().files.len(), 50);
        assert_eq!(read(TYPE, &body(&[file; 51])), Err(TOO_MANY_FILES));
    }
}
