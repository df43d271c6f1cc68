//! The parameters of a method call as Telegram reads them, from the body of a request to the Bot API or from that of an
//! answer to the webhook: one parser for both, as there (tdlib/td `tdnet/td/net/HttpReader.cpp`).
//! Never what a parameter means.

mod form;
mod json;
mod multipart;

pub use form::read_query;

use bytes::Bytes;

/// Most bytes a call's parameters can have together, files not counted (`MAX_TOTAL_PARAMETERS_LENGTH`).
pub const PARAMETERS_MAX_BYTES: usize = 1 << 20;
/// Most files a call can have.
pub const FILES_MAX: usize = 50;

/// The parameters of one call, in the order in which they were read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parameters {
    /// Names and values; a name may come twice, and then the first counts.
    pub values: Vec<(String, String)>,
    /// Uploaded files.
    pub files: Vec<File>,
}

/// An uploaded file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// The name of the field it came in.
    pub field: String,
    /// Its own name.
    pub name: String,
    /// Its media type; empty where none was given.
    pub content_type: String,
    /// What is in it.
    pub content: Bytes,
}

impl Parameters {
    /// The value of `name`; empty is the same as absent for Telegram, and `None` here.
    pub fn get(&self, name: &str) -> Option<&str> {
        let first = self.values.iter().find(|(known, _)| known == name);
        first.map(|(_, value)| value.as_str()).filter(|value| !value.is_empty())
    }

    /// The file that came in the field `field`.
    pub fn file(&self, field: &str) -> Option<&File> {
        self.files.iter().find(|file| file.field == field)
    }
}

/// Why a body has no parameters.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{description}")]
pub struct Unreadable {
    /// The HTTP status that says so.
    pub status: u16,
    /// What Telegram says.
    pub description: &'static str,
}

/// More parameters, or longer ones, than a call can have.
pub const TOO_MANY_PARAMETERS: Unreadable =
    Unreadable { status: 413, description: "Request Entity Too Large: too many parameters" };

/// The shapes of a body that parameters can be read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// `application/json`
    Json,
    /// `application/x-www-form-urlencoded`
    Form,
    /// `multipart/form-data`
    Multipart,
    /// Anything else: nothing is read from it.
    Other,
}

impl Shape {
    /// The shape that `content_type` names: a part of it is enough, in any case.
    pub fn of(content_type: &str) -> Self {
        let lower = content_type.to_ascii_lowercase();
        let named = [
            ("multipart/form-data", Self::Multipart),
            ("application/x-www-form-urlencoded", Self::Form),
            ("application/json", Self::Json),
        ];
        named.iter().find(|(name, _)| lower.contains(name)).map_or(Self::Other, |(_, shape)| *shape)
    }
}

/// Reads a body of type `content_type`. What JSON held before a break is kept, as Telegram does.
///
/// # Errors
/// Where it is too long, or is form data that does not follow its own rules.
pub fn read(content_type: &str, body: &Bytes) -> Result<Parameters, Unreadable> {
    let shape = Shape::of(content_type);
    if matches!(shape, Shape::Json | Shape::Form) && body.len() > PARAMETERS_MAX_BYTES {
        return Err(TOO_MANY_PARAMETERS);
    }
    match shape {
        Shape::Json => Ok(Parameters { values: json::read(body), files: Vec::new() }),
        Shape::Form => Ok(read_query(body)),
        Shape::Multipart => multipart::read(content_type, body),
        Shape::Other => Ok(Parameters::default()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_ok(content_type: &str, body: &'static [u8]) -> Vec<(String, String)> {
        read(content_type, &Bytes::from_static(body)).unwrap().values
    }

    #[test]
    fn a_type_is_looked_for_as_a_part_in_any_case() {
        let one = vec![("a".to_owned(), "1".to_owned())];
        assert_eq!(read_ok("Application/JSON; charset=utf-8", b"{\"a\":1}"), one);
        assert_eq!(read_ok("x-application/x-www-form-urlencoded", b"a=1"), one);
        assert_eq!(read_ok("text/plain", b"a=1"), vec![]);
        assert_eq!(read_ok("", b"{\"a\":1}"), vec![]);
    }

    #[test]
    fn a_mebibyte_of_parameters_is_read_and_a_byte_more_is_not() {
        let body = |length: usize| Bytes::from([&b"a="[..], &vec![b'x'; length - 2]].concat());
        assert!(read("application/x-www-form-urlencoded", &body(PARAMETERS_MAX_BYTES)).is_ok());
        let refused = read("application/x-www-form-urlencoded", &body(PARAMETERS_MAX_BYTES + 1));
        assert_eq!(refused, Err(TOO_MANY_PARAMETERS));
        assert_eq!(read("application/json", &body(PARAMETERS_MAX_BYTES + 1)), Err(TOO_MANY_PARAMETERS));
        assert!(read("text/plain", &body(PARAMETERS_MAX_BYTES + 1)).is_ok());
    }
}
