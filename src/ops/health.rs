//! Whether the process should be sent requests. Degraded is not unready: Redis may be gone without harm.

use crate::dedup::Claims;
use crate::roster::Roster;
use crate::shutdown::Tasks;
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
#[derive(Clone, Debug)]
pub struct Checks {
    /// It is pinged.
    pub storage: Storage,
    /// It may be an old list.
    pub roster: Roster,
    /// It may be gone around.
    pub claims: Claims,
    /// It was told to stop when the process was.
    pub draining: Tasks,
}

/// How something stands that the process can do without for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Standing {
    /// There is none in this profile.
    None,
    Up,
    Degraded,
}

impl Standing {
    fn of(degraded: bool) -> Self {
        if degraded { Self::Degraded } else { Self::Up }
    }
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
    redis: Standing,
    bots: Standing,
    draining: bool,
}

/// 200, or 503 if the store does not answer or the process is stopping.
pub(super) async fn ready(checks: &Checks) -> Response {
    let reachable = matches!(timeout(PING_TIMEOUT, checks.storage.ping()).await, Ok(Ok(())));
    let draining = checks.draining.is_stopping();
    let (code, status) = match reachable && !draining {
        true => (StatusCode::OK, "ready"),
        false => (StatusCode::SERVICE_UNAVAILABLE, "unready"),
    };
    let ready = Ready {
        status,
        storage: if reachable { "up" } else { "unreachable" },
        redis: if checks.claims.is_off() { Standing::None } else { Standing::of(checks.claims.is_degraded()) },
        bots: Standing::of(checks.roster.is_degraded()),
        draining,
    };
    (code, [(CACHE_CONTROL, "no-store")], Json(ready)).into_response()
}
