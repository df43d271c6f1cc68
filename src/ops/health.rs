//! Whether the process should be sent requests. Degraded is not unready: Redis may be gone without harm.

use crate::storage::Storage;
use axum::Json;
use axum::http::StatusCode;
use axum::http::header::CACHE_CONTROL;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use std::time::Duration;
use tokio::time::timeout;

/// How long the store may take to answer before it counts as unreachable: less than probes usually wait.
const PING_TIMEOUT: Duration = Duration::from_millis(800);

/// What readiness looks at, asked anew for each probe.
#[expect(missing_debug_implementations, reason = "closures")]
pub struct Checks {
    /// It is pinged.
    pub storage: Storage,
    /// How the dedup gate stands.
    pub redis: Box<dyn Fn() -> Redis + Send + Sync>,
    /// How old the list of bots is.
    pub bots_age: Box<dyn Fn() -> Duration + Send + Sync>,
    /// Whether the process was told to stop.
    pub draining: Box<dyn Fn() -> bool + Send + Sync>,
}

/// How the dedup gate stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Redis {
    /// There is none in this profile.
    None,
    /// It answers.
    Up,
    /// It is gone around; the fence judges alone.
    Degraded,
}

#[derive(Serialize)]
pub(super) struct Live {
    status: &'static str,
}

pub(super) const LIVE: Live = Live { status: "live" };

#[derive(Serialize)]
struct Ready {
    status: &'static str,
    storage: &'static str,
    redis: Redis,
    bots_age_seconds: f64,
    draining: bool,
}

/// 200, or 503 if the store does not answer or the process is stopping.
pub(super) async fn ready(checks: &Checks) -> Response {
    let reachable = matches!(timeout(PING_TIMEOUT, checks.storage.ping()).await, Ok(Ok(())));
    let draining = (checks.draining)();
    let (code, status) = match reachable && !draining {
        true => (StatusCode::OK, "ready"),
        false => (StatusCode::SERVICE_UNAVAILABLE, "unready"),
    };
    let ready = Ready {
        status,
        storage: if reachable { "up" } else { "unreachable" },
        redis: (checks.redis)(),
        bots_age_seconds: (checks.bots_age)().as_secs_f64(),
        draining,
    };
    (code, [(CACHE_CONTROL, "no-store")], Json(ready)).into_response()
}
