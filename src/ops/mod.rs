//! The ops listener: metrics and health. Never reachable from the public listener.

mod capacity;
mod health;
pub(crate) mod response_times;
mod timers;

pub use capacity::start_capacity;
pub use health::Checks;
pub use timers::{start_lane_depths, start_upkeep, start_webhook_info};

use axum::Router;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::routing::get;
use metrics_exporter_prometheus::PrometheusHandle;
use std::sync::Arc;

/// What Prometheus wants to be told of its text format.
const METRICS_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// The routes of the ops listener.
pub fn router(metrics: PrometheusHandle, checks: Checks) -> Router {
    let checks = Arc::new(checks);
    Router::new()
        .route("/metrics", get(async move || ([(CONTENT_TYPE, METRICS_TYPE)], metrics.render())))
        // The process runs and answers; nothing else may make an orchestrator kill it.
        .route("/health/live", get(async || ([(CACHE_CONTROL, "no-store")], axum::Json(health::LIVE))))
        .route("/health/ready", get(async move || health::ready(&checks).await))
}
