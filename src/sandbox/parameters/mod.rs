//! The parameters of a method call as Telegram reads them, from the body of a request to the Bot API or from that of an
//! answer to the webhook: one parser for both, as there (tdlib/td `tdnet/td/net/HttpReader.cpp`).
//! Never what a parameter means.

use bytes::Bytes;

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
        self.values
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.as_str())
            .filter(|value| !value.is_empty())
    }

    /// The file that came in the field `name`.
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

/// Reads a body of type `content_type`. What JSON held before a break is kept, as Telegram does.
///
/// # Errors
/// Where it is too long, or is form data that does not follow its own rules.
pub fn read(content_type: &str, body: &Bytes) -> Result<Parameters, Unreadable> {
    let _ = (content_type, body);
    todo!()
}

/// Reads `name=value&…`, of a query string or of a form.
pub fn read_query(text: &[u8]) -> Parameters {
    let _ = text;
    todo!()
}
