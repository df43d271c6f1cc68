//! The API of workers: jobs out, results in. Every route is one file's function, and the document that describes it is
//! made from the same functions and types. Never reachable from the public listener.

mod access;
mod body;
mod calls;
mod document;
mod refusal;
mod upload;

pub use access::Tokens;

use crate::config;
use crate::lanes::Lanes;
use crate::shutdown::Tasks;
use crate::storage::Storage;
use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::routing::{any, get};
use refusal::Refusal;
use std::sync::Arc;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// What the API works with. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Api(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    lanes: Lanes,
    storage: Storage,
    tokens: Tokens,
    /// It was told to stop when the process was.
    draining: Tasks,
}

impl Api {
    /// The API of `workers`. When `draining` is told to stop, nobody is given a job any more.
    pub fn new(lanes: Lanes, storage: Storage, workers: &[config::Worker], draining: Tasks) -> Self {
        Self(Arc::new(Shared { lanes, storage, tokens: Tokens::of(workers), draining }))
    }

    /// Its routes, all of them below `/v1`.
    pub(super) fn routes(self) -> Router {
        let (routes, document) = OpenApiRouter::with_openapi(document::head())
            .routes(routes!(calls::lease))
            .routes(routes!(calls::heartbeat))
            .routes(routes!(calls::progress))
            .routes(routes!(upload::file))
            .routes(routes!(calls::complete))
            .routes(routes!(calls::fail))
            .split_for_parts();
        let document = document::written(document);
        let nothing = any(async || Refusal::NotFound("there is nothing here"));
        routes
            .route("/v1/openapi.json", get(async move || document::answer(document.clone())))
            .route("/v1", nothing.clone())
            .route("/v1/", nothing.clone())
            .route("/v1/{*rest}", nothing)
            .method_not_allowed_fallback(async || Refusal::Method)
            // Each call has a limit of its own, which it answers itself.
            .layer(DefaultBodyLimit::disable())
            .with_state(self)
    }
}
