//! Waiting for a condition of another process, which cannot wake us. Where something can, await that instead.

use std::time::Duration;
use tokio::time::{Instant, sleep};

/// How long a condition may take before a test gives up: far more than it takes on a busy machine.
pub const LIMIT: Duration = Duration::from_secs(30);

/// Asks `condition` until it has an answer; `what` is how a failure calls it.
pub async fn until<T>(what: &str, condition: impl AsyncFnMut() -> Option<T>) -> T {
    until_within(LIMIT, what, condition).await
}

/// The same with a limit of its own.
pub async fn until_within<T>(limit: Duration, what: &str, mut condition: impl AsyncFnMut() -> Option<T>) -> T {
    let end = Instant::now() + limit;
    loop {
        if let Some(answer) = condition().await {
            return answer;
        }
        assert!(Instant::now() < end, "waited {limit:?} in vain: {what}");
        sleep(Duration::from_millis(10)).await;
    }
}
