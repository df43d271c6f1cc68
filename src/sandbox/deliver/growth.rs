//! Pure: no I/O, no clock. How many connections are wanted, and when one more may be opened (`create_new_connections` in
//! tdlib/telegram-bot-api `WebhookActor.cpp`).

use crate::clock::Timestamp;
use std::time::Duration;

/// A webhook is active this long after a success.
const ACTIVE: Duration = Duration::from_secs(10);

/// The growth of a webhook's connections.
#[derive(Debug)]
pub(super) struct Growth {
    max: usize,
    last_success: Option<Timestamp>,
    active: Limit,
    inactive: Limit,
}

/// Whether another connection may be opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Room {
    /// Now.
    Now,
    /// Wanted, and allowed then.
    At(Timestamp),
    /// There are as many as are wanted.
    Enough,
}

impl Growth {
    /// Of a webhook that has succeeded in nothing yet.
    pub(super) fn new(max: usize) -> Self {
        Self {
            max,
            last_success: None,
            active: Limit::new(Duration::from_millis(50), 10),
            inactive: Limit::new(Duration::from_secs(2), 1),
        }
    }

    /// An update was delivered.
    pub(super) fn success(&mut self, now: Timestamp) {
        self.last_success = Some(now);
    }

    /// Whether one more may be opened beside `open` ones for `queues` loaded queues, and if so counts it as opened.
    pub(super) fn take(&mut self, now: Timestamp, open: usize, queues: usize) -> Room {
        let active = self.last_success.is_some_and(|last| now.since(last) <= ACTIVE);
        let wanted = if active { queues.clamp(1, self.max) } else { queues.min(1) };
        if open >= wanted {
            return Room::Enough;
        }
        let limit = if active { &mut self.active } else { &mut self.inactive };
        limit.take(now).map_or(Room::Now, Room::At)
    }
}

/// `burst` at once, then one each `stride` (tdlib/td `FloodControlFast.h`).
#[derive(Debug)]
struct Limit {
    stride: Duration,
    burst: u32,
    /// When everything taken so far would have been taken, at one each stride.
    level: Timestamp,
}

impl Limit {
    fn new(stride: Duration, burst: u32) -> Self {
        Self { stride, burst, level: Timestamp::default() }
    }

    /// Takes one; when it will be possible, if it is not yet.
    fn take(&mut self, now: Timestamp) -> Option<Timestamp> {
        let slack = self.stride * (self.burst - 1);
        let over = self.level.since(now).saturating_sub(slack);
        if over > Duration::ZERO {
            return Some(now.plus(over));
        }
        self.level = self.level.max(now).plus(self.stride);
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Timestamp = Timestamp::from_unix_seconds(1_780_000_000);

    /// At which milliseconds connections open until there are `count`, where success came at once or never.
    fn openings(success: Option<Timestamp>, max: usize, queues: usize, count: usize) -> Vec<u128> {
        let mut growth = Growth::new(max);
        growth.last_success = success;
        let (mut now, mut opened) = (START, Vec::new());
        while opened.len() < count {
            match growth.take(now, opened.len(), queues) {
                Room::Now => opened.push(now.since(START).as_millis()),
                Room::At(later) => now = later,
                Room::Enough => break,
            }
        }
        opened
    }

    #[test]
    fn an_active_webhook_gets_ten_at_once_and_then_twenty_a_second() {
        let opened = openings(Some(START), 40, 100, 50);
        assert_eq!(opened.len(), 40, "never more than max_connections");
        assert_eq!(opened[..10], [0; 10]);
        assert_eq!(opened[10..14], [50, 100, 150, 200]);
        assert_eq!(opened[39], 1500);
    }

    #[test]
    fn an_inactive_one_gets_one() {
        assert_eq!(openings(None, 40, 100, 50), [0]);
        let long_ago = Timestamp::from_unix_seconds(1_780_000_000 - 11);
        assert_eq!(openings(Some(long_ago), 40, 100, 50), [0]);
    }

    #[test]
    fn an_inactive_one_tries_again_each_two_seconds() {
        let mut growth = Growth::new(40);
        assert_eq!(growth.take(START, 0, 5), Room::Now);
        assert_eq!(growth.take(START, 0, 5), Room::At(START.plus(Duration::from_secs(2))));
        assert_eq!(growth.take(START.plus(Duration::from_secs(2)), 0, 5), Room::Now);
    }

    #[test]
    fn no_more_are_wanted_than_there_are_queues_but_an_active_webhook_keeps_one() {
        assert_eq!(openings(Some(START), 40, 3, 50).len(), 3);
        assert_eq!(openings(Some(START), 40, 0, 50).len(), 1);
        assert_eq!(openings(None, 40, 0, 50).len(), 0);
    }
}
