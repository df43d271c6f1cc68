//! A bot's webhook secrets as digests, compared in constant time.
//! Never keeps a secret, never returns early.

use crate::bot::Bot;
use crate::clock::Timestamp;
use crate::secret::Digest;
use subtle::Choice;

/// What a bot's secrets hash to.
#[derive(Debug)]
pub(super) struct Digests {
    current: Digest,
    /// Where there is no previous secret: random, and over since the epoch.
    previous: Digest,
    previous_until: Timestamp,
}

impl Digests {
    /// The secrets of `bot`.
    pub(super) fn of(bot: &Bot) -> Self {
        let (previous, previous_until) = bot.previous_secret.as_ref().map_or_else(
            || (Digest::random(), OVER),
            |(secret, until)| (Digest::of(secret.expose().as_bytes()), *until),
        );
        Self { current: Digest::of(bot.secret.expose().as_bytes()), previous, previous_until }
    }

    /// Those of no bot, for the work that a refusal of an unknown one costs.
    pub(super) fn of_nobody() -> Self {
        Self { current: Digest::random(), previous: Digest::random(), previous_until: OVER }
    }

    /// Whether `offered` is the current secret, or the previous one before its time is over.
    pub(super) fn accept(&self, offered: &[u8], now: Timestamp) -> bool {
        let offered = Digest::of(offered);
        let in_time = Choice::from(u8::from(now < self.previous_until));
        (offered.is(&self.current) | (offered.is(&self.previous) & in_time)).into()
    }
}

const OVER: Timestamp = Timestamp::from_unix_millis(i64::MIN);
