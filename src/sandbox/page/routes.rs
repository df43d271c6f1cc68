//! Everything that the page's listener answers, on one screen.

use super::{Page, assets, events, guard, inside, people, trouble};
use crate::shutdown::Tasks;
use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::from_fn;
use axum::routing::{get, post};

/// Longest body of a request, in bytes: a text of 4,096 characters, escaped.
const BODY_MAX_BYTES: usize = 64 * 1024;

/// The routes.
pub(super) fn all(page: Page, tasks: Tasks) -> Router {
    Router::new()
        // what is drawn
        .route("/", get(assets::index))
        .route("/assets/{*path}", get(assets::one))
        // what it is told
        .route("/events", get(async move |page| events::stream(page, tasks).await))
        // what users do
        .route("/api/users", post(people::add))
        .route("/api/users/{user}/starts", post(people::starts))
        .route("/api/users/{user}/says", post(people::says))
        .route("/api/users/{user}/sends", post(people::sends))
        .route("/api/users/{user}/presses", post(people::presses))
        .route("/api/users/{user}/pays", post(people::pays))
        .route("/api/users/{user}/blocks", post(people::blocks))
        .route("/api/users/{user}/unblocks", post(people::unblocks))
        .route("/api/users/{user}/speaks", post(people::speaks))
        .route("/api/users/{user}/group", post(people::group))
        // what goes wrong
        .route("/api/faults", post(trouble::strike))
        .route("/api/faults/clear", post(trouble::clear))
        .route("/api/delay", post(trouble::delay))
        .route("/api/traffic", post(trouble::traffic))
        .route("/api/connections", post(trouble::connections))
        // what there is to see
        .route("/api/wire/{row}", get(inside::wire))
        .route("/api/state/{user}", get(inside::state))
        .layer(DefaultBodyLimit::max(BODY_MAX_BYTES))
        .with_state(page)
        // outermost: also what is not there is told to nobody else's page
        .layer(from_fn(guard::guard))
}
