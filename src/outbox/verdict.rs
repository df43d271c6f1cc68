//! What a failed call means for its job, its chat and its bot.

use crate::bot_api::Error;
use crate::secret::random;
use crate::storage::Reach;
use std::time::Duration;

/// The first wait after a failure; each further one is twice as long.
const BACKOFF_FIRST: Duration = Duration::from_secs(1);
/// The longest wait after a failure.
const BACKOFF_MAX: Duration = Duration::from_secs(60);

/// What to do about a failed call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Call again after this long.
    Again(Duration),
    /// 429: the chat waits this long.
    Flooded(Duration),
    /// 401 or 404: the bot waits. Nothing is refused, since it says nothing about the chat.
    TokenRefused,
    /// It will never be done.
    Never(Reach),
}

impl Verdict {
    /// On `error` at a job's `attempts`th attempt.
    pub(super) fn of(error: &Error, attempts: u32) -> Self {
        match error {
            Error::RateLimited { retry_after } => Self::Flooded(*retry_after),
            Error::Unauthorized => Self::TokenRefused,
            Error::Forbidden { .. } => Self::Never(Reach::Unreachable),
            Error::Refused { .. } if error.is_of_the_chat() => Self::Never(Reach::Unreachable),
            Error::Refused { .. } => Self::Never(Reach::Reachable),
            Error::Failed(_) | Error::Uncertain(_) => {
                let [jitter] = random::<1>();
                Self::Again(backoff(attempts, jitter))
            }
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
