//! Pure: no I/O, no clock. How a call ends, and in which words.
//! Source: tdlib/telegram-bot-api `Query.h` (`JsonQueryOk`, `JsonQueryError`), `Client.cpp` (`fail_query_with_error`).

use crate::sandbox::json;
use crate::sandbox::world::Refused;
use serde::Serialize;
use std::time::Duration;

/// What a call is answered with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// HTTP status, which is `error_code` where it fails.
    pub status: u16,
    /// The JSON object.
    pub body: String,
    /// The header `Retry-After`, in seconds.
    pub retry_after: Option<u64>,
}

/// A success.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Done {
    /// JSON.
    result: String,
    description: Option<&'static str>,
}

impl Done {
    /// With `result`, which is JSON already.
    pub(super) fn json(result: String) -> Self {
        Self { result, description: None }
    }

    /// With the object `result`.
    pub(super) fn object(result: &impl Serialize) -> Self {
        Self::json(json::write(result))
    }

    /// `true`, which is all there is to say.
    pub(super) fn yes() -> Self {
        Self::json("true".to_owned())
    }

    /// `true`, and what was done.
    pub(super) fn said(description: &'static str) -> Self {
        Self { description: Some(description), ..Self::yes() }
    }

    pub(super) fn answer(self) -> Answer {
        let Self { result, description } = self;
        let description =
            description.map(|said| format!(",\"description\":{}", json::write(&said))).unwrap_or_default();
        Answer { status: 200, body: format!("{{\"ok\":true,\"result\":{result}{description}}}"), retry_after: None }
    }
}

/// A failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Failure {
    code: u16,
    description: String,
    retry_after: Option<u64>,
}

impl Failure {
    /// With these very words.
    pub(super) fn verbatim(code: u16, description: impl Into<String>) -> Self {
        Self { code, description: description.into(), retry_after: None }
    }

    /// 400, worded as [`Failure::worded`] does.
    pub(super) fn bad(text: &str) -> Self {
        Self::worded(400, text)
    }

    /// `code` and its prefix before `text`, whose first letter becomes a small one, unless what follows shows that it
    /// is a code of Telegram's own side.
    pub(super) fn worded(code: u16, text: &str) -> Self {
        let prefix = match code {
            401 => "Unauthorized",
            403 => "Forbidden",
            500 => "Internal Server Error",
            _ => "Bad Request",
        };
        let mut letters = text.chars();
        let first = letters.next().unwrap_or_default();
        let raw = letters.clone().next().is_some_and(|second| second == '_' || second.is_ascii_uppercase());
        let first = if raw { first } else { first.to_ascii_lowercase() };
        Self::verbatim(code, format!("{prefix}: {first}{}", letters.as_str()))
    }

    pub(super) fn unauthorized() -> Self {
        Self::verbatim(401, "Unauthorized")
    }

    pub(super) fn unknown_method() -> Self {
        Self::verbatim(404, "Not Found: method not found")
    }

    pub(super) fn is_unknown_method(&self) -> bool {
        *self == Self::unknown_method()
    }

    /// 429, with the wait in whole seconds, at least one.
    pub(super) fn flood(wait: Duration) -> Self {
        let seconds = u64::try_from(wait.as_millis().div_ceil(1000)).unwrap_or(u64::MAX).max(1);
        let description = format!("Too Many Requests: retry after {seconds}");
        Self { code: 429, description, retry_after: Some(seconds) }
    }

    /// A bare status, as a fault asks for.
    pub(super) fn of_status(code: u16) -> Self {
        let reason = http::StatusCode::from_u16(code).ok().and_then(|status| status.canonical_reason());
        Self::verbatim(code, reason.unwrap_or("Internal Server Error"))
    }

    pub(super) fn answer(self) -> Answer {
        #[derive(Serialize)]
        struct Parameters {
            retry_after: u64,
        }
        #[derive(Serialize)]
        struct Object {
            ok: bool,
            error_code: u16,
            description: String,
            #[serde(skip_serializing_if = "Option::is_none")]
            parameters: Option<Parameters>,
        }
        let Self { code, description, retry_after } = self;
        let parameters = retry_after.map(|retry_after| Parameters { retry_after });
        let body = json::write(&Object { ok: false, error_code: code, description, parameters });
        Answer { status: code, body, retry_after }
    }
}

impl From<Refused> for Failure {
    fn from(refused: Refused) -> Self {
        Self::worded(refused.code(), &refused.to_string())
    }
}

/// What parsers say, which is always a bad request.
impl From<String> for Failure {
    fn from(text: String) -> Self {
        Self::bad(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_letter_is_lowered_but_in_codes() {
        assert_eq!(Failure::bad("Chat not found").description, "Bad Request: chat not found");
        assert_eq!(Failure::bad("BUTTON_DATA_INVALID").description, "Bad Request: BUTTON_DATA_INVALID");
        assert_eq!(Failure::worded(403, "Bot was blocked").description, "Forbidden: bot was blocked");
    }

    #[test]
    fn answers_are_written_as_telegram_does() {
        assert_eq!(
            Done::said("Webhook was set").answer().body,
            r#"{"ok":true,"result":true,"description":"Webhook was set"}"#
        );
        let flood = Failure::flood(Duration::from_millis(2001)).answer();
        assert_eq!(flood.retry_after, Some(3));
        assert_eq!(
            flood.body,
            r#"{"ok":false,"error_code":429,"description":"Too Many Requests: retry after 3","parameters":{"retry_after":3}}"#
        );
    }
}
