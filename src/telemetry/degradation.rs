//! A dependency that is gone around for a while: said by the metric, in readiness, and in the log, there when it begins,
//! when it ends, and once a minute between.
//! Never an outage: what is an outage is an error of its caller.

use super::metrics::{self, Dependency};
use super::rarely::Rarely;
use std::fmt::Display;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How often the log says that a dependency is still gone around.
const LOG_PERIOD: Duration = Duration::from_secs(60);

/// Whether a dependency is gone around.
#[derive(Debug)]
pub struct Degradation {
    dependency: Dependency,
    degraded: AtomicBool,
    log: Rarely,
}

impl Degradation {
    /// Nothing is wrong with `dependency` yet.
    pub fn of(dependency: Dependency) -> Self {
        metrics::degraded(dependency, false);
        Self { dependency, degraded: AtomicBool::new(false), log: Rarely::every(LOG_PERIOD) }
    }

    /// It is gone around because of `reason`, which holds no secret.
    pub fn goes_on(&self, reason: &dyn Display) {
        let dependency = self.dependency.name();
        metrics::degraded(self.dependency, true);
        if !self.degraded.swap(true, Ordering::Relaxed) {
            self.log.was_said();
            tracing::warn!(dependency, "{dependency} is degraded, going on without: {reason}");
        } else if self.log.due().is_some() {
            tracing::warn!(dependency, "{dependency} is still degraded, going on without: {reason}");
        }
    }

    /// It is used again.
    pub fn is_over(&self) {
        if self.degraded.swap(false, Ordering::Relaxed) {
            metrics::degraded(self.dependency, false);
            tracing::info!(dependency = self.dependency.name(), "{} is used again", self.dependency.name());
        }
    }

    /// Whether it is gone around now.
    pub fn is_degraded(&self) -> bool {
        self.degraded.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::LogFormat;
    use crate::telemetry::log::tests::logged;
    use tokio::time::advance;

    /// The lines' endings of what `story` logs, in a world whose clock stands still.
    fn told(story: impl AsyncFnOnce(Degradation)) -> Vec<String> {
        let world = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        let text = logged("info", LogFormat::Json, || {
            world.block_on(async { story(Degradation::of(Dependency::Redis)).await })
        });
        let message = |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap()["message"].clone();
        text.lines().map(|line| message(line).as_str().unwrap().to_owned()).collect()
    }

    #[test]
    fn every_beginning_and_every_end_is_logged_however_soon_they_follow() {
        let lines = told(async |redis| {
            for reason in ["one", "two"] {
                redis.goes_on(&reason);
                redis.goes_on(&reason);
                redis.is_over();
                redis.is_over();
            }
        });
        assert_eq!(
            lines,
            [
                "redis is degraded, going on without: one",
                "redis is used again",
                "redis is degraded, going on without: two",
                "redis is used again",
            ]
        );
    }

    #[test]
    fn what_goes_on_is_logged_once_a_minute() {
        let lines = told(async |redis| {
            for second in 0..150 {
                redis.goes_on(&second);
                advance(Duration::from_secs(1)).await;
            }
        });
        assert_eq!(
            lines,
            [
                "redis is degraded, going on without: 0",
                "redis is still degraded, going on without: 60",
                "redis is still degraded, going on without: 120",
            ]
        );
    }
}
