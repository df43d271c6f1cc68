//! A bot's webhook secrets as digests of equal length, compared in constant time.
//! Never keeps a secret, never returns early.

use crate::bot::Bot;
use crate::clock::Timestamp;
use crate::secret;
use sha2::{Digest, Sha256};
use std::fmt;
use subtle::{Choice, ConstantTimeEq};

type Sum = [u8; 32];

/// What a bot's secrets hash to. Comparing digests hides how long a secret is, which comparing secrets would tell.
pub(super) struct Digests {
    current: Sum,
    /// Where there is no previous secret: random, and over since the epoch.
    previous: Sum,
    previous_until: Timestamp,
}

impl Digests {
    /// The secrets of `bot`.
    pub(super) fn of(bot: &Bot) -> Self {
        let (previous, previous_until) = bot
            .previous_secret
            .as_ref()
            .map_or_else(|| (secret::random(), OVER), |(secret, until)| (sum(secret.expose().as_bytes()), *until));
        Self { current: sum(bot.secret.expose().as_bytes()), previous, previous_until }
    }

    /// Those of no bot, for the work that a refusal of an unknown one costs.
    pub(super) fn of_nobody() -> Self {
        Self { current: secret::random(), previous: secret::random(), previous_until: OVER }
    }

    /// Whether `offered` is the current secret, or the previous one before its time is over.
    pub(super) fn accept(&self, offered: &[u8], now: Timestamp) -> bool {
        let offered = sum(offered);
        let in_time = Choice::from(u8::from(now < self.previous_until));
        (offered.ct_eq(&self.current) | (offered.ct_eq(&self.previous) & in_time)).into()
    }
}

impl fmt::Debug for Digests {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

const OVER: Timestamp = Timestamp::from_unix_millis(i64::MIN);

fn sum(bytes: &[u8]) -> Sum {
    Sha256::digest(bytes).into()
}
