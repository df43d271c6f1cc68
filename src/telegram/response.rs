//! Pure: no I/O, no clock. How the Bot API answers a method.

use serde::Deserialize;

/// `{"ok":…}`: a result, or an error with its code.
#[derive(Clone, Debug, Deserialize)]
pub struct Response<T> {
    /// Whether the method succeeded.
    pub ok: bool,
    /// Its result.
    pub result: Option<T>,
    /// The HTTP status once more.
    pub error_code: Option<u16>,
    /// What went wrong; on success what was done.
    pub description: Option<String>,
    /// What to do about it.
    pub parameters: Option<Parameters>,
}

/// `ResponseParameters`.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
pub struct Parameters {
    /// Seconds to wait (429).
    pub retry_after: Option<u64>,
    /// The new id of a group that became a supergroup.
    pub migrate_to_chat_id: Option<i64>,
}
