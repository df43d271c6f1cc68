//! Values that must be in no log, error, metric or panic, and the randomness they are made from.

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::fmt;
use subtle::{Choice, ConstantTimeEq};

/// A token, a webhook secret or a password. `Debug` shows `***`; there is no `Display`.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Secret(String);

impl Secret {
    /// Takes `value` out of sight.
    pub fn new(value: impl Into<String>) -> Self {
        Self(value.into())
    }

    /// The value itself, for the wire and for the store. Never for anything that is read by people.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// A new random value of 43 characters `A–Z a–z 0–9 _ -` (256 bits): what Telegram allows in a `secret_token`.
    pub fn generate() -> Self {
        const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
        let bytes: [u8; 43] = random();
        Self(bytes.iter().map(|byte| char::from(ALPHABET[usize::from(byte % 64)])).collect())
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

/// What a secret hashes to, to compare it by: in constant time, and without telling how long it is, which comparing
/// secrets would.
#[derive(Clone)]
pub struct Digest([u8; 32]);

impl Digest {
    /// That of `secret`.
    pub fn of(secret: &[u8]) -> Self {
        Self(Sha256::digest(secret).into())
    }

    /// One that no secret has.
    pub fn random() -> Self {
        Self(random())
    }

    /// Whether they are the same.
    pub fn is(&self, other: &Self) -> Choice {
        self.0.ct_eq(&other.0)
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

/// `N` random bytes of the operating system.
///
/// # Panics
/// If the operating system has no randomness to give, which no caller could mend.
#[expect(clippy::disallowed_methods, reason = "the one source of randomness")]
pub fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).expect("the operating system gives random bytes");
    bytes
}
