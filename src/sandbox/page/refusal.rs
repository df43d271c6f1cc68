//! How the page's requests fail: a status, and one line for the person in front of it.

use super::super::world::Impossible;
use axum::Json;
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use serde_json::json;

/// Why something was not done.
#[derive(Debug, thiserror::Error)]
pub(super) enum Refusal {
    /// It is not there.
    #[error("there is no {0}")]
    NotThere(&'static str),
    /// What was asked for makes no sense.
    #[error("{0}")]
    Senseless(&'static str),
    /// A user cannot do that.
    #[error(transparent)]
    Impossible(#[from] Impossible),
    /// The store or the Bot API did not do it.
    #[error("{0:#}")]
    Failed(anyhow::Error),
}

impl From<crate::storage::Error> for Refusal {
    fn from(error: crate::storage::Error) -> Self {
        Self::Failed(error.into())
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let status = match self {
            Self::NotThere(_) => StatusCode::NOT_FOUND,
            Self::Senseless(_) => StatusCode::UNPROCESSABLE_ENTITY,
            Self::Impossible(_) => StatusCode::CONFLICT,
            Self::Failed(_) => StatusCode::BAD_GATEWAY,
        };
        (status, Json(json!({ "error": self.to_string() }))).into_response()
    }
}
