//! Pure: no I/O, no clock. The bytes of a delivery, to the letter (`send_update` in tdlib/telegram-bot-api
//! `WebhookActor.cpp`, `JsonUpdate` in its `WebhookActor.h`).

use super::target::{DEFAULT_PORT, Target};
use crate::sandbox::updates::Pending;
use crate::secret::Secret;
use bytes::Bytes;

/// Longest head of a request; with a longer one nothing is ever sent (tdlib/td `HttpHeaderCreator.h`).
const HEAD_MAX_BYTES: usize = 4096;

/// A request that is ready to be written.
#[derive(Clone, Debug)]
pub(super) struct Request {
    /// What goes out.
    pub(super) bytes: Bytes,
    /// The same, with what must not be seen hidden.
    pub(super) shown: Vec<u8>,
}

/// The delivery of `update` to `target`; `None` where its head would be too long.
pub(super) fn request(target: &Target, secret: Option<&Secret>, update: &Pending) -> Option<Request> {
    let body = body(update);
    let credentials = (!target.userinfo.is_empty()).then(|| base64(target.userinfo.as_bytes()));
    let sent = head(target, credentials.as_deref(), secret.map(Secret::expose), body.len());
    if sent.len() > HEAD_MAX_BYTES {
        return None;
    }
    let shown = head(target, credentials.as_ref().map(|_| "***"), secret.map(|_| "***"), body.len());
    let bytes = [sent.as_bytes(), &body].concat().into();
    Some(Request { bytes, shown: [shown.as_bytes(), &body].concat() })
}

/// Order and spelling are Telegram's; there is no `User-Agent`, no `Accept`, no `Date`.
fn head(target: &Target, credentials: Option<&str>, secret: Option<&str>, length: usize) -> String {
    let mut lines = vec![format!("POST {} HTTP/1.1", target.path)];
    lines.push(match target.port {
        DEFAULT_PORT => format!("Host: {}", target.host),
        port => format!("Host: {}:{port}", target.host),
    });
    lines.extend(credentials.map(|credentials| format!("Authorization: Basic {credentials}")));
    lines.extend(secret.map(|secret| format!("X-Telegram-Bot-Api-Secret-Token: {secret}")));
    lines.push("Content-Type: application/json".to_owned());
    lines.push(format!("Content-Length: {length}"));
    lines.push("Connection: keep-alive".to_owned());
    lines.push("Accept-Encoding: gzip, deflate".to_owned());
    lines.push("\r\n".to_owned());
    lines.join("\r\n")
}

fn body(update: &Pending) -> Vec<u8> {
    let start = format!("{{\"update_id\":{},\n\"{}\":", update.id, update.kind);
    [start.as_bytes(), &update.object, b"}"].concat()
}

fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let bits = (0..3).fold(0_usize, |bits, place| bits << 8 | usize::from(chunk.get(place).copied().unwrap_or(0)));
        for place in 0..4 {
            let letter = char::from(ALPHABET[bits >> (18 - 6 * place) & 63]);
            text.push(if place <= chunk.len() { letter } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Timestamp;
    use crate::telegram::id::UpdateId;

    fn update() -> Pending {
        let object = Bytes::from_static(b"{\"id\":\"7\"}");
        Pending { id: UpdateId(9), kind: "callback_query", object, queue: 1, expires: Timestamp::default() }
    }

    fn text(url: &str, secret: Option<&str>) -> (String, String) {
        let target = Target::parse(url).unwrap();
        let request = request(&target, secret.map(Secret::new).as_ref(), &update()).unwrap();
        (String::from_utf8(request.bytes.to_vec()).unwrap(), String::from_utf8(request.shown).unwrap())
    }

    #[test]
    fn a_request_has_exactly_these_bytes() {
        let (plain, _) = text("http://127.0.0.1/", None);
        let expected = "POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 44\r\n\
                        Connection: keep-alive\r\nAccept-Encoding: gzip, deflate\r\n\r\n\
                        {\"update_id\":9,\n\"callback_query\":{\"id\":\"7\"}}";
        assert_eq!(plain, expected);
    }

    #[test]
    fn credentials_and_secret_stand_between_host_and_type_and_are_not_shown() {
        let (sent, shown) = text("http://ann:xy@Example.com:8080/hook?a=b", Some("s3cret"));
        let between = "POST /hook?a=b HTTP/1.1\r\nHost: example.com:8080\r\nAuthorization: Basic YW5uOnh5\r\n\
                       X-Telegram-Bot-Api-Secret-Token: s3cret\r\nContent-Type: ";
        assert!(sent.starts_with(between), "{sent}");
        assert!(shown.starts_with(&between.replace("YW5uOnh5", "***").replace("s3cret", "***")), "{shown}");
    }

    #[test]
    fn too_long_a_head_is_never_sent() {
        let target = Target::parse(&format!("http://127.0.0.1/{}", "a".repeat(4096))).unwrap();
        assert!(request(&target, None, &update()).is_none());
    }

    #[test]
    fn base64_is_padded() {
        assert_eq!(
            ["", "a", "ab", "abc", "abcd"].map(|text| base64(text.as_bytes())),
            ["", "YQ==", "YWI=", "YWJj", "YWJjZA=="]
        );
    }
}
