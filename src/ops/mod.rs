//! The ops listener: metrics, health, and the API of workers. Never reachable from the public listener.

mod capacity;
mod health;
pub(crate) mod response_times;
mod timers;
mod work;

pub use capacity::start_capacity;
pub use health::Checks;
pub use timers::{start_lane_depths, start_upkeep, start_webhook_info};
pub use work::{Api, Tokens};

use axum::Router;
use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::IntoResponse;
use axum::routing::get;
use metrics_exporter_prometheus::PrometheusHandle;
use std::any::Any;
use std::sync::Arc;
use tower_http::catch_panic::CatchPanicLayer;

/// What Prometheus wants to be told of its text format.
const METRICS_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// The routes of the ops listener.
pub fn router(metrics: PrometheusHandle, checks: Checks, work: Api) -> Router {
    let checks = Arc::new(checks);
    let router = Router::new()
        .route("/metrics", get(async move || ([(CONTENT_TYPE, METRICS_TYPE)], metrics.render())))
        // The process runs and answers; nothing else may make an orchestrator kill it.
        .route("/health/live", get(async || ([(CACHE_CONTROL, "no-store")], axum::Json(health::LIVE))))
        .route("/health/ready", get(async move || health::ready(&checks).await))
        .merge(work.routes());
    guarded(router)
}

/// A panic in one of its routes is a 500, where else the connection would be cut without a word.
fn guarded(router: Router) -> Router {
    router.layer(CatchPanicLayer::custom(|_: Box<dyn Any + Send>| StatusCode::INTERNAL_SERVER_ERROR.into_response()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::Body;
    use axum::http::Request;
    use tower::ServiceExt;

    #[tokio::test]
    async fn a_panic_in_a_route_is_a_500_that_says_nothing() {
        let router = guarded(Router::new().route("/", get(async || -> &str { panic!("on purpose") })));
        let answer = router.oneshot(Request::new(Body::empty())).await.unwrap();
        assert_eq!(answer.status(), 500);
        assert!(axum::body::to_bytes(answer.into_body(), 10).await.unwrap().is_empty());
    }
}
