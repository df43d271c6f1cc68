//! Whose turn it is in a pair of lanes: the priority lane's, but for one turn in so many, which is the ordinary lane's.

use crate::storage::Lane;
use std::sync::atomic::{AtomicU32, Ordering};

/// Counts the turns of each pair.
#[derive(Debug)]
pub(super) struct Floor {
    every: u32,
    text: AtomicU32,
    image: AtomicU32,
}

/// The lane that goes before `lane`, if one does.
pub const fn priority(lane: Lane) -> Option<Lane> {
    match lane {
        Lane::Text => Some(Lane::TextPriority),
        Lane::Image => Some(Lane::ImagePriority),
        Lane::Outbound | Lane::TextPriority | Lane::ImagePriority | Lane::Default => None,
    }
}

impl Floor {
    /// One turn in `every` is the ordinary lane's.
    pub(super) const fn every(every: u32) -> Self {
        Self { every, text: AtomicU32::new(0), image: AtomicU32::new(0) }
    }

    /// Takes the next `turns` of the pair of `lane`, and says how many of them are the ordinary lane's.
    pub(super) fn take(&self, lane: Lane, turns: usize) -> usize {
        let counter = if matches!(lane, Lane::Image | Lane::ImagePriority) { &self.image } else { &self.text };
        let turns = u32::try_from(turns).unwrap_or(u32::MAX);
        let first = counter.fetch_add(turns, Ordering::Relaxed);
        let ordinary = (0..turns).filter(|turn| first.wrapping_add(*turn) % self.every == self.every - 1);
        ordinary.count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_turn_in_five_is_the_ordinary_lanes_however_many_are_taken_at_once() {
        for at_once in [1, 2, 3, 7, 64] {
            let floor = Floor::every(5);
            let ordinary: usize = (0..100).map(|_| floor.take(Lane::Text, at_once)).sum();
            assert_eq!(ordinary, 100 * at_once / 5);
        }
        let floor = Floor::every(5);
        assert_eq!([0; 6].map(|_| floor.take(Lane::Text, 1)), [0, 0, 0, 0, 1, 0]);
        assert_eq!(floor.take(Lane::Image, 4), 0, "each pair has turns of its own");
    }
}
