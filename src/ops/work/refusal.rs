//! Why a call is not done, as problem details. The one place where an error becomes an answer of this API.

use crate::lanes;
use crate::storage;
use crate::telemetry::rarely::Rarely;
use crate::worker::{FieldError, PROBLEM_TYPE, Problem};
use axum::Json;
use axum::http::header::{CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use std::error::Error;
use std::sync::LazyLock;
use std::time::Duration;
use tracing::warn;

/// What a 503 asks a worker to wait, in seconds.
pub(super) const RETRY_AFTER_SECONDS: u64 = 1;

/// What stands before the name of each kind.
const KIND: &str = "urn:tapgate:problem:";

/// Why a call is not done.
#[derive(Debug)]
pub(super) enum Refusal {
    /// 401.
    Token,
    /// 403: the worker may not take jobs of that lane.
    Lane(String),
    /// 404: what there is not.
    NotFound(&'static str),
    /// 405.
    Method,
    /// 409.
    LeaseLost,
    /// 413: longer than this, in bytes.
    TooLarge(usize),
    /// 415: this is what is taken.
    ContentType(&'static str),
    /// 422: what is wrong with each field.
    Invalid(Vec<FieldError>),
    /// 503: in a while.
    NotNow(&'static str),
}

impl Refusal {
    /// One thing is wrong with the body.
    pub(super) fn field(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Invalid(vec![FieldError { field: field.into(), message: message.into() }])
    }

    fn problem(self) -> Problem {
        let (status, kind, title, detail) = match &self {
            Self::Token => (
                401,
                "unauthorized",
                "the token is missing or wrong",
                "send `Authorization: Bearer TOKEN` with a token of [workers.NAME] or TAPGATE_WORKER_TOKEN".to_owned(),
            ),
            Self::Lane(lane) => (
                403,
                "forbidden-lane",
                "the worker may not take jobs of this lane",
                format!("add {lane} to the worker's `lanes` in the settings, or ask for another lane"),
            ),
            Self::NotFound(what) => (404, "not-found", *what, "/v1/openapi.json has all there is".to_owned()),
            Self::Method => (
                405,
                "method-not-allowed",
                "this is not done with this method",
                "the header Allow has those that are; /v1/openapi.json has all there is".to_owned(),
            ),
            Self::LeaseLost => (
                409,
                "lease-lost",
                "the job is not held under this lease",
                "drop the job: it has ended, or the lease ran out and another worker has it".to_owned(),
            ),
            Self::TooLarge(most) => (413, "too-large", "the body is too large", format!("send at most {most} bytes")),
            Self::ContentType(wanted) => {
                (415, "unsupported-media-type", "the body is of another type", format!("send {wanted}"))
            }
            Self::Invalid(errors) => {
                let first = errors.first().map(|error| format!("{}: {}", error.field, error.message));
                (422, "invalid", "the body is not as it has to be", first.unwrap_or_default())
            }
            Self::NotNow(why) => (503, "not-now", *why, "send it again after Retry-After seconds".to_owned()),
        };
        let title = title.to_owned();
        let errors = if let Self::Invalid(errors) = self { errors } else { Vec::new() };
        Problem { kind: format!("{KIND}{kind}"), title, status, detail, errors }
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let problem = self.problem();
        let status = StatusCode::from_u16(problem.status).unwrap_or(StatusCode::SERVICE_UNAVAILABLE);
        let mut response = (status, Json(problem)).into_response();
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(PROBLEM_TYPE));
        if status == StatusCode::UNAUTHORIZED {
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if status == StatusCode::SERVICE_UNAVAILABLE {
            headers.insert(RETRY_AFTER, HeaderValue::from(RETRY_AFTER_SECONDS));
        }
        response
    }
}

impl From<lanes::Error> for Refusal {
    fn from(error: lanes::Error) -> Self {
        match error {
            lanes::Error::Lost => Self::LeaseLost,
            lanes::Error::Storage(error) => Self::from(error),
            lanes::Error::Contended => Self::NotNow("the chat changes all the time"),
            error @ lanes::Error::NoFlow(_) => {
                say(&error);
                Self::NotNow("the bot or its flow is not on this server")
            }
        }
    }
}

impl From<storage::Error> for Refusal {
    fn from(error: storage::Error) -> Self {
        say(&error);
        match error {
            storage::Error::Data(_) => Self::field("", "the store does not take something in it"),
            _ => Self::NotNow("the store does not answer"),
        }
    }
}

/// An outage meets every call, so it is logged now and then.
fn say(error: &(dyn Error + 'static)) {
    static SAID: LazyLock<Rarely> = LazyLock::new(|| Rarely::every(Duration::from_secs(60)));

    if let Some(silent) = SAID.due() {
        warn!(error, silent, "a worker's call was not done ({silent} more since the last line)");
    }
}
