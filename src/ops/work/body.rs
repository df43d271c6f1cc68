//! The body of a call: its type, its length, its fields.

use super::refusal::Refusal;
use axum::body::Body;
use axum::extract::{FromRequest, Request};
use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;
use bytes::Bytes;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde::de::DeserializeOwned;

/// Longest body that is JSON.
const JSON_MAX_BYTES: usize = 1 << 20;

/// A body that is JSON.
#[derive(Debug)]
pub(super) struct Json<T>(pub(super) T);

impl<T: DeserializeOwned, S: Sync> FromRequest<S> for Json<T> {
    type Rejection = Refusal;

    async fn from_request(request: Request, _: &S) -> Result<Self, Refusal> {
        if content_type(request.headers()) != "application/json" {
            return Err(Refusal::ContentType("application/json"));
        }
        let body = read(request.into_body(), JSON_MAX_BYTES).await?;
        let mut json = serde_json::Deserializer::from_slice(&body);
        let read = serde_path_to_error::deserialize(&mut json).map_err(|error| {
            let field = error.path().to_string();
            let field = if field == "." { String::new() } else { field };
            Refusal::field(field, error.into_inner().to_string())
        })?;
        json.end().map_err(|error| Refusal::field("", error.to_string()))?;
        Ok(Self(read))
    }
}

/// The type of a body, without its parameters.
pub(super) fn content_type(headers: &HeaderMap) -> String {
    let value = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// All of a body, at most `max_bytes` of it.
pub(super) async fn read(body: Body, max_bytes: usize) -> Result<Bytes, Refusal> {
    match Limited::new(body, max_bytes).collect().await {
        Ok(collected) => Ok(collected.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => Err(Refusal::TooLarge(max_bytes)),
        Err(_) => Err(Refusal::field("", "it broke off")),
    }
}
