//! A dependency that is gone around for a while: said by the metric, in readiness, and in the log once a minute.
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
        self.degraded.store(true, Ordering::Relaxed);
        metrics::degraded(self.dependency, true);
        if self.log.due().is_some() {
            tracing::warn!(
                dependency = self.dependency.name(),
                "{} is degraded, going on without: {reason}",
                self.dependency.name()
            );
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
