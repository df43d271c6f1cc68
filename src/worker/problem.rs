//! Pure: no I/O, no clock. Why a call was not done: problem details (RFC 9457).

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The content type of problem details.
pub const PROBLEM_TYPE: &str = "application/problem+json";

/// Why a call was not done.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Problem {
    /// What kind it is. It stays the same from version to version, and programs may look at it.
    #[serde(rename = "type")]
    pub kind: String,
    /// The same in words.
    pub title: String,
    /// The status of the answer.
    pub status: u16,
    /// What is to be done about it, for people.
    pub detail: String,
    /// What is wrong with the body, one for each field.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<FieldError>,
}

/// What is wrong with a field of a body.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FieldError {
    /// Where it is: `contents[0].html`. Empty: the body as a whole.
    pub field: String,
    /// What is wrong with it.
    pub message: String,
}
