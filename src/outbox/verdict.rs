//! What a failed call means for its job.

use crate::bot_api::Error;
use crate::secret::random;
use crate::storage::End;
use crate::telemetry::metrics;
use std::time::Duration;
use tracing::{error, warn};

/// The first wait after a failure; each further one is twice as long.
const BACKOFF_FIRST: Duration = Duration::from_secs(1);
/// The longest wait after a failure.
const BACKOFF_MAX: Duration = Duration::from_secs(60);

/// How a job ends its lease after `error` at its `attempts`th attempt.
pub(super) fn verdict(error: &Error, attempts: u32, bot: &str) -> End {
    match error {
        Error::RateLimited { retry_after } => {
            metrics::rate_limit_wait(*retry_after);
            End::Again { after: *retry_after, hold: true }
        }
        Error::Unauthorized => {
            error!(bot, "Telegram does not know the token of bot {bot}: its screens wait");
            End::Again { after: BACKOFF_MAX, hold: false }
        }
        Error::Refused { .. } | Error::Forbidden { .. } => {
            warn!(bot, error = %error, "Telegram refuses a screen, it waits for the chat's next one");
            End::Parked
        }
        Error::Failed(_) | Error::Uncertain(_) => {
            warn!(bot, error = error as &dyn std::error::Error, attempts, "a call failed and is tried again");
            let [jitter] = random::<1>();
            End::Again { after: backoff(attempts, jitter), hold: false }
        }
    }
}

/// The wait after the `attempts`th failure: doubling, less up to a quarter by `jitter`.
fn backoff(attempts: u32, jitter: u8) -> Duration {
    let doubled = BACKOFF_FIRST.saturating_mul(1 << attempts.saturating_sub(1).min(16)).min(BACKOFF_MAX);
    doubled.mul_f64(1.0 - f64::from(jitter) / 255.0 / 4.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_and_stay_bounded() {
        for jitter in [0, 128, 255] {
            let waits: Vec<_> = (1..100).map(|attempts| backoff(attempts, jitter)).collect();
            assert!(waits.is_sorted());
            assert!(waits.iter().all(|wait| *wait >= BACKOFF_FIRST * 3 / 4 && *wait <= BACKOFF_MAX));
        }
    }
}
