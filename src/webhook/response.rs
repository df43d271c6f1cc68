//! Every response the endpoint can give: 200, 401, 403, 404, 413, 503. JSON or empty, never `text/plain`, which
//! Telegram spools to a file and moves its connection to a slow thread for; never compressed.

use super::delivery::Reply;
use crate::roster::Known;
use crate::telegram::answer::Answer;
use crate::telegram::update::Kind;
use crate::telemetry::metrics::{Outcome, Refusal};
use bytes::Bytes;
use http::header::{CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderValue, Response, StatusCode};
use http_body_util::Full;
use std::sync::Arc;
use std::time::Duration;

/// A body, whole from the start.
pub type Body = Full<Bytes>;

const JSON: HeaderValue = HeaderValue::from_static("application/json");
const ACCESS_DENIED: &[u8] = br#"{"error":"Access denied"}"#;

/// How a request ended, for the layer that counts it. A response extension; it never leaves the process.
#[derive(Clone, Debug)]
pub(super) struct Ended {
    /// Whose update it brought, as far as that was known.
    pub(super) bot: Option<Arc<Known>>,
    /// Of which kind, as far as that was known.
    pub(super) kind: Kind,
    /// How.
    pub(super) outcome: Outcome,
}

impl Ended {
    /// It ended before its kind was known.
    pub(super) fn unread(bot: Option<Arc<Known>>, outcome: Outcome) -> Self {
        Self { bot, kind: Kind::Other, outcome }
    }
}

/// 403, 401, 404 or 413.
pub(super) fn refused(refusal: Refusal, bot: Option<Arc<Known>>) -> Response<Body> {
    let ended = Ended::unread(bot, Outcome::Refused(refusal));
    match refusal {
        Refusal::Subnet => empty(StatusCode::FORBIDDEN, ended),
        Refusal::Path => empty(StatusCode::NOT_FOUND, ended),
        Refusal::Size => empty(StatusCode::PAYLOAD_TOO_LARGE, ended),
        Refusal::Secret => {
            let mut response = empty(StatusCode::UNAUTHORIZED, ended);
            response.headers_mut().insert(CONTENT_TYPE, JSON);
            *response.body_mut() = Body::from(ACCESS_DENIED);
            response
        }
    }
}

/// 503: Telegram sends it again when `Retry-After` says, in whole seconds; it takes 0 for an absent one.
pub(super) fn later(ended: Ended, retry_after: Duration) -> Response<Body> {
    let seconds = retry_after.as_secs() + u64::from(retry_after.subsec_nanos() > 0);
    let mut response = empty(StatusCode::SERVICE_UNAVAILABLE, ended);
    response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds.max(1)));
    response
}

/// What the handler's reply is on the wire.
pub(super) fn reply(reply: &Reply, bot: Arc<Known>, kind: Kind) -> Response<Body> {
    match reply {
        Reply::Answered { answer, outcome } => answered(answer, Ended { bot: Some(bot), kind, outcome: *outcome }),
        Reply::Later { outcome, retry_after } => later(Ended { bot: Some(bot), kind, outcome: *outcome }, *retry_after),
    }
}

fn answered(answer: &Answer, ended: Ended) -> Response<Body> {
    let mut response = empty(StatusCode::OK, ended);
    if !answer.body().is_empty() {
        response.headers_mut().insert(CONTENT_TYPE, JSON);
        *response.body_mut() = Body::from(Bytes::copy_from_slice(answer.body().as_bytes()));
    }
    response
}

fn empty(status: StatusCode, ended: Ended) -> Response<Body> {
    let mut response = Response::new(Body::default());
    *response.status_mut() = status;
    response.extensions_mut().insert(ended);
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_after_is_rounded_up_to_whole_seconds_and_never_zero() {
        for (millis, header) in [(0, "1"), (1, "1"), (1000, "1"), (1001, "2"), (30_000, "30")] {
            let response = later(Ended::unread(None, Outcome::Shed), Duration::from_millis(millis));
            assert_eq!(response.headers()[RETRY_AFTER], header, "{millis} ms");
        }
    }
}
