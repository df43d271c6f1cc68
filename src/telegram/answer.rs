//! Pure: no I/O, no clock. The body of a 200: nothing, or one Bot API method that Telegram runs for us.

use super::method::Inline;
use std::sync::Arc;

/// What an update is answered with, kept as the exact bytes, so that a repeat gets the same ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer(Option<Arc<str>>);

impl Answer {
    /// 200 with an empty body.
    pub const EMPTY: Self = Self(None);

    /// 200 with `method` as its body.
    pub fn inline(method: &Inline<'_>) -> Self {
        Self::from_body(&serde_json::to_string(method).unwrap_or_default())
    }

    /// The answer that was recorded as `body`; an empty one is the empty answer.
    pub fn from_body(body: &str) -> Self {
        Self((!body.is_empty()).then(|| Arc::from(body)))
    }

    /// The body's bytes, empty or JSON.
    pub fn body(&self) -> &str {
        self.0.as_deref().unwrap_or_default()
    }
}
