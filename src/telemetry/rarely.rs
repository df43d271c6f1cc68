//! When to say again what happens over and over: at once, then at most once in a while.
//! Never says anything itself.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::time::Instant;

/// Lets the first of many through, and one in each period after it.
#[derive(Debug)]
pub struct Rarely {
    period: Duration,
    created: Instant,
    /// Milliseconds after `created` before which nothing is said.
    silent_until: AtomicU64,
    kept_silent: AtomicU64,
}

impl Rarely {
    /// At most once in `period`.
    pub fn every(period: Duration) -> Self {
        Self { period, created: Instant::now(), silent_until: AtomicU64::new(0), kept_silent: AtomicU64::new(0) }
    }

    /// It was said without asking: silent for a period from now on.
    pub fn was_said(&self) {
        let next = millis(self.created.elapsed()).saturating_add(millis(self.period));
        self.silent_until.store(next, Ordering::Relaxed);
        self.kept_silent.store(0, Ordering::Relaxed);
    }

    /// Whether to say it now; then also how often it was kept silent since it was last said.
    pub fn due(&self) -> Option<u64> {
        let now = millis(self.created.elapsed());
        let silent_until = self.silent_until.load(Ordering::Relaxed);
        let won = now >= silent_until && {
            let next = now.saturating_add(millis(self.period));
            self.silent_until.compare_exchange(silent_until, next, Ordering::Relaxed, Ordering::Relaxed).is_ok()
        };
        if won {
            return Some(self.kept_silent.swap(0, Ordering::Relaxed));
        }
        self.kept_silent.fetch_add(1, Ordering::Relaxed);
        None
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn says_the_first_and_then_one_a_period_with_the_number_of_the_silent_ones() {
        let rarely = Rarely::every(Duration::from_secs(60));

        assert_eq!(rarely.due(), Some(0));
        assert_eq!(rarely.due(), None);
        tokio::time::advance(Duration::from_secs(59)).await;
        assert_eq!(rarely.due(), None);
        tokio::time::advance(Duration::from_secs(1)).await;
        assert_eq!(rarely.due(), Some(2));
        assert_eq!(rarely.due(), None);
    }
}
