//! Where the sandbox's chance comes from: one number, so that a run can be had again.
//! Never a source of secrets: those are made in [`crate::secret`].

use std::fmt;
use std::ops::RangeInclusive;

/// The number from which all chance of a run follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seed(u64);

impl Seed {
    /// The seed `number`.
    pub const fn new(number: u64) -> Self {
        Self(number)
    }

    /// The chance of one part of the sandbox. Each has its own, so that what one part does changes nothing for another.
    pub fn random(self, part: &str) -> Random {
        // FNV-1a: any fixed hash would do, and the standard library's is not fixed.
        let hash = part.bytes().fold(0xcbf2_9ce4_8422_2325_u64 ^ self.0, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        Random(fastrand::Rng::with_seed(hash))
    }
}

impl fmt::Display for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A row of chances that is the same whenever seed and part are.
#[derive(Clone, Debug)]
pub struct Random(fastrand::Rng);

impl Random {
    /// A number of `range`, each as likely as any other.
    ///
    /// # Panics
    /// If the range is empty.
    pub fn within(&mut self, range: RangeInclusive<u64>) -> u64 {
        self.0.u64(range)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_has_the_same_chances_and_parts_differ() {
        let numbers = |seed: u64, part: &str| {
            let mut random = Seed::new(seed).random(part);
            [(); 8].map(|()| random.within(0..=u64::MAX))
        };
        assert_eq!(numbers(1, "deliver"), numbers(1, "deliver"));
        assert_ne!(numbers(1, "deliver"), numbers(2, "deliver"));
        assert_ne!(numbers(1, "deliver"), numbers(1, "world"));
    }
}
