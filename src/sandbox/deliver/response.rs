//! Pure: no I/O, no clock. An answer of the webhook, read as Telegram reads it (tdlib/td `tdnet/td/net/HttpReader.cpp`).

use super::body::{self, Framing};
use crate::sandbox::parameters::{self, Parameters, Shape, Unreadable};
use bytes::Bytes;
use std::time::Duration;

/// Longest head of a response (`MAX_TOTAL_HEADERS_LENGTH`).
const HEAD_MAX_BYTES: usize = 1 << 18;

const BAD_REQUEST: Unreadable = Unreadable { status: 400, description: "Bad Request" };
const BAD_LENGTH: Unreadable = Unreadable { status: 400, description: "Bad Request: invalid Content-Length" };
const HEAD_TOO_LONG: Unreadable =
    Unreadable { status: 431, description: "Request Header Fields Too Large: total headers size exceeded" };
const BAD_VERSION: Unreadable = Unreadable { status: 505, description: "HTTP Version Not Supported" };
const BAD_TRANSFER: Unreadable =
    Unreadable { status: 501, description: "Unimplemented: unsupported transfer-encoding" };
const BAD_ENCODING: Unreadable =
    Unreadable { status: 415, description: "Unsupported Media Type: unsupported content-encoding" };

/// An answer, complete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Response {
    /// Its status.
    pub(super) status: u16,
    /// The words behind the status; may be none.
    pub(super) reason: String,
    /// Whether the connection can be used again.
    pub(super) keep_alive: bool,
    /// What `Retry-After` asks for; zero, a date or junk asks for nothing.
    pub(super) retry_after: Option<Duration>,
    /// The parameters in its body.
    pub(super) parameters: Parameters,
    /// How many bytes it had.
    pub(super) length: usize,
}

/// Reads the response at the beginning of `bytes`; `None` while it is not complete.
pub(super) fn read(bytes: &[u8]) -> Result<Option<Response>, Unreadable> {
    let Some(head_length) = bytes.windows(4).take(HEAD_MAX_BYTES).position(|four| four == b"\r\n\r\n") else {
        return if bytes.len() > HEAD_MAX_BYTES { Err(HEAD_TOO_LONG) } else { Ok(None) };
    };
    let head = Head::read(&String::from_utf8_lossy(&bytes[..head_length]))?;
    let body_from = head_length + 4;
    let longest = match Shape::of(&head.content_type) {
        Shape::Json | Shape::Form => parameters::PARAMETERS_MAX_BYTES,
        Shape::Multipart | Shape::Other => usize::MAX,
    };
    let Some((content, body_length)) = body::read(&bytes[body_from..], head.framing()?, longest)? else {
        return Ok(None);
    };
    let content = if content.is_empty() { content } else { body::decode(content, head.encoding()?, longest)? };
    Ok(Some(Response {
        parameters: parameters::read(&head.content_type, &Bytes::from(content))?,
        status: head.status,
        reason: head.reason,
        keep_alive: head.keep_alive,
        retry_after: head.retry_after,
        length: body_from + body_length,
    }))
}

/// The head of a response, taken apart.
#[derive(Debug, Default)]
struct Head {
    status: u16,
    reason: String,
    keep_alive: bool,
    retry_after: Option<Duration>,
    content_length: Option<usize>,
    content_type: String,
    content_encoding: String,
    transfer_encoding: String,
}

impl Head {
    fn read(text: &str) -> Result<Self, Unreadable> {
        let mut lines = text.split("\r\n");
        let (version, rest) = lines.next().and_then(|line| line.split_once(' ')).ok_or(BAD_REQUEST)?;
        let keep_alive = match version {
            "HTTP/1.1" => true,
            "HTTP/1.0" => false,
            other if other.starts_with("HTTP/") => return Err(BAD_VERSION),
            _ => return Err(BAD_REQUEST),
        };
        let (status, reason) = rest.split_once(' ').ok_or(BAD_REQUEST)?;
        let status = status.parse().map_err(|_| BAD_REQUEST)?;
        let mut head = Self { status, reason: reason.to_owned(), keep_alive, ..Self::default() };
        for line in lines {
            let (name, value) = line.split_once(':').ok_or(BAD_REQUEST)?;
            head.take(&name.trim().to_ascii_lowercase(), value.trim())?;
        }
        Ok(head)
    }

    fn take(&mut self, name: &str, value: &str) -> Result<(), Unreadable> {
        match name {
            "connection" if value.eq_ignore_ascii_case("close") => self.keep_alive = false,
            "connection" if value.eq_ignore_ascii_case("keep-alive") => self.keep_alive = true,
            "content-length" => self.content_length = Some(value.parse().map_err(|_| BAD_LENGTH)?),
            "content-type" => value.clone_into(&mut self.content_type),
            "content-encoding" => self.content_encoding = value.to_ascii_lowercase(),
            "transfer-encoding" => self.transfer_encoding = value.to_ascii_lowercase(),
            "retry-after" => {
                self.retry_after = value.parse().ok().filter(|seconds| *seconds > 0).map(Duration::from_secs);
            }
            _ => {}
        }
        Ok(())
    }

    fn framing(&self) -> Result<Framing, Unreadable> {
        match (self.transfer_encoding.as_str(), self.content_length) {
            ("", length) => Ok(Framing::Length(length.unwrap_or(0))),
            ("chunked", _) => Ok(Framing::Chunked),
            _ => Err(BAD_TRANSFER),
        }
    }

    fn encoding(&self) -> Result<body::Encoding, Unreadable> {
        match self.content_encoding.as_str() {
            "" | "none" => Ok(body::Encoding::None),
            "gzip" | "deflate" => Ok(body::Encoding::Compressed),
            _ => Err(BAD_ENCODING),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn complete(text: &str) -> Response {
        read(text.as_bytes()).unwrap().unwrap()
    }

    #[test]
    fn a_status_line_needs_a_space_behind_its_code_and_no_reason() {
        assert_eq!(complete("HTTP/1.1 200 \r\n\r\n").reason, "");
        assert_eq!(complete("HTTP/1.1 502 Bad Gateway\r\n\r\n").reason, "Bad Gateway");
        assert_eq!(read(b"HTTP/1.1 200\r\n\r\n"), Err(BAD_REQUEST));
        assert_eq!(read(b"HTTP/2 200 OK\r\n\r\n"), Err(BAD_VERSION));
        assert_eq!(read(b"SSH-2.0 x y\r\n\r\n"), Err(BAD_REQUEST));
    }

    #[test]
    fn line_ends_are_crlf() {
        assert_eq!(read(b"HTTP/1.1 200 OK\n\n"), Ok(None));
    }

    #[test]
    fn who_keeps_the_connection() {
        let keeps = |version: &str, header: &str| complete(&format!("{version} 200 OK\r\n{header}\r\n\r\n")).keep_alive;
        assert!(keeps("HTTP/1.1", "a: b"));
        assert!(!keeps("HTTP/1.1", "Connection: close"));
        assert!(!keeps("HTTP/1.0", "a: b"));
        assert!(keeps("HTTP/1.0", "connection: Keep-Alive"));
    }

    #[test]
    fn a_body_ends_where_its_length_says_and_is_none_without() {
        let json = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";
        let sized = format!("{json}Content-Length: 14\r\n\r\n{{\"method\":\"a\"}}HTTP/1.1");
        let response = complete(&sized);
        assert_eq!(response.parameters.get("method"), Some("a"));
        assert_eq!(response.length, sized.len() - "HTTP/1.1".len());
        assert_eq!(read(&sized.as_bytes()[..sized.len() - 9]), Ok(None));
        let unsized_body = complete(&format!("{json}\r\n{{\"method\":\"a\"}}"));
        assert_eq!(unsized_body.parameters, Parameters::default());
        assert_eq!(unsized_body.length, json.len() + 2, "the rest is taken for the next response");
    }

    #[test]
    fn other_framings_are_refused() {
        let with = |header: &str| read(format!("HTTP/1.1 200 OK\r\n{header}\r\n\r\nxx").as_bytes());
        assert_eq!(with("Transfer-Encoding: gzip"), Err(BAD_TRANSFER));
        assert_eq!(with("Content-Length: two"), Err(BAD_LENGTH));
        assert_eq!(with("no colon"), Err(BAD_REQUEST));
    }

    #[test]
    fn an_unknown_content_encoding_fails_only_where_there_is_a_body() {
        let with = |encoding: &str, length: u8| {
            let head = format!("HTTP/1.1 200 OK\r\nContent-Encoding: {encoding}\r\nContent-Length: {length}\r\n\r\nxx");
            read(head.as_bytes()).map(|response| response.is_some())
        };
        assert_eq!(with("identity", 2), Err(BAD_ENCODING));
        assert_eq!(with("br", 2), Err(BAD_ENCODING));
        assert_eq!(with("br", 0), Ok(true));
        assert_eq!(with("none", 2), Ok(true));
    }

    #[test]
    fn retry_after_is_a_number_of_seconds() {
        let with = |value: &str| complete(&format!("HTTP/1.1 503 x\r\nRetry-After: {value}\r\n\r\n")).retry_after;
        assert_eq!(with("17"), Some(Duration::from_secs(17)));
        for nothing in ["0", "-1", "1.5", "soon", "Wed, 21 Oct 2026 07:28:00 GMT"] {
            assert_eq!(with(nothing), None, "{nothing}");
        }
    }

    #[test]
    fn a_long_body_is_refused_by_its_length_before_it_came() {
        let with = |content_type: &str| {
            read(
                format!("HTTP/1.1 200 OK\r\nContent-Type: {content_type}\r\nContent-Length: 1048577\r\n\r\n")
                    .as_bytes(),
            )
        };
        assert_eq!(with("application/json"), Err(parameters::TOO_MANY_PARAMETERS));
        assert_eq!(with("text/plain"), Ok(None));
    }

    #[test]
    fn an_endless_head_is_refused() {
        let head = [b"HTTP/1.1 200 OK\r\nx: ".as_slice(), &vec![b'x'; HEAD_MAX_BYTES]].concat();
        assert_eq!(read(&head), Err(HEAD_TOO_LONG));
    }

    proptest! {
        #[test]
        fn nothing_breaks_the_reader(text in proptest::collection::vec(any::<u8>(), 0..300)) {
            let _ = read(&text);
            let _ = read(&[b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", &text[..]].concat());
        }
    }
}
