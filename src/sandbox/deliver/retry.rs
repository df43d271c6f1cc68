//! Pure: no I/O, no clock. How long an update waits after a failure (`on_update_error` in tdlib/telegram-bot-api
//! `WebhookActor.cpp`).

use crate::sandbox::seed::Random;
use std::time::Duration;

/// `WEBHOOK_MAX_RESEND_TIMEOUT`: from here on the wait is random, up to its double.
const LONG_SECONDS: u64 = 60;
/// Longest wait that `Retry-After` can ask for.
const RETRY_AFTER_MAX: Duration = Duration::from_secs(3600);

/// How often an update failed, and how far its waits have grown.
#[derive(Clone, Copy, Debug)]
pub(super) struct Backoff {
    failures: u32,
    seconds: u64,
}

impl Default for Backoff {
    fn default() -> Self {
        Self { failures: 0, seconds: 1 }
    }
}

impl Backoff {
    /// How often it failed.
    pub(super) fn failures(self) -> u32 {
        self.failures
    }

    /// One more failure: how long to wait. `retry_after` replaces the wait and leaves its growth as it was.
    pub(super) fn fail(&mut self, retry_after: Option<Duration>, random: &mut Random) -> Duration {
        let first = self.failures == 0;
        self.failures = self.failures.saturating_add(1);
        if let Some(asked) = retry_after {
            return asked.min(RETRY_AFTER_MAX);
        }
        if first {
            return Duration::ZERO;
        }
        let longest = random.within(LONG_SECONDS..=2 * LONG_SECONDS);
        self.seconds = longest.min(self.seconds * 2);
        Duration::from_secs(self.seconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sandbox::seed::Seed;

    fn waits(count: usize, seed: u64) -> Vec<u64> {
        let mut random = Seed::new(seed).random("retry");
        let mut backoff = Backoff::default();
        (0..count).map(|_| backoff.fail(None, &mut random).as_secs()).collect()
    }

    #[test]
    fn waits_double_and_end_in_a_random_one_or_two_minutes() {
        let mut late = Vec::new();
        for seed in 0..200 {
            let waits = waits(30, seed);
            assert_eq!(waits[..6], [0, 2, 4, 8, 16, 32]);
            assert!((60..=64).contains(&waits[6]), "{}", waits[6]);
            late.extend_from_slice(&waits[7..]);
        }
        assert_eq!((late.iter().min(), late.iter().max()), (Some(&60), Some(&120)));
        assert!((60..=120).all(|seconds| late.contains(&seconds)), "each as likely as any other");
    }

    #[test]
    fn retry_after_replaces_the_wait_and_not_its_growth() {
        let mut random = Seed::new(1).random("retry");
        let mut backoff = Backoff::default();
        let mut fail = |asked: Option<u64>| backoff.fail(asked.map(Duration::from_secs), &mut random).as_secs();
        assert_eq!(
            [fail(None), fail(None), fail(Some(7)), fail(None), fail(Some(9999)), fail(None)],
            [0, 2, 7, 4, 3600, 8]
        );
    }

    #[test]
    fn a_first_failure_that_asks_for_a_wait_has_had_its_immediate_repeat() {
        let mut random = Seed::new(1).random("retry");
        let mut backoff = Backoff::default();
        assert_eq!(backoff.fail(Some(Duration::from_secs(5)), &mut random), Duration::from_secs(5));
        assert_eq!(backoff.fail(None, &mut random), Duration::from_secs(2));
    }
}
