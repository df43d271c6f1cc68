//! How fast messages may go into one chat. A short wait is slept off before the answer, a long one is a 429.
//!
//! Sources: Bots FAQ ("more than one message per second", "20 messages per minute"); tdlib/td `NetQueryCreator.cpp`
//! (`total_timeout_limit`). How long a burst may be Telegram does not say.

use super::outcome::Failure;
use crate::clock::Timestamp;
use crate::sandbox::clock::Clock;
use crate::telegram::id::ChatId;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Longest wait for a bot that the server sleeps off itself.
pub(super) const ABSORBED_MAX: Duration = Duration::from_secs(8);

/// A chat's limit: one message each `each`, but `burst` of them may come at once.
#[derive(Clone, Copy, Debug)]
struct Limit {
    each: Duration,
    burst: u32,
}

const PRIVATE: Limit = Limit { each: Duration::from_secs(1), burst: 10 };
const GROUP: Limit = Limit { each: Duration::from_secs(3), burst: 20 };

/// When each chat's next message is due if nothing may come early.
#[derive(Debug, Default)]
pub(super) struct Flood(Mutex<HashMap<ChatId, Timestamp>>);

impl Flood {
    /// Takes a place in `chat` and waits for it.
    pub(super) async fn pass(&self, chat: ChatId, clock: &Clock) -> Result<(), Failure> {
        let now = clock.now();
        let wait = self.take(chat, now).map_err(Failure::flood)?;
        if !wait.is_zero() {
            clock.sleep_until(now.plus(wait)).await;
        }
        Ok(())
    }

    /// How long to wait for a place, which is then taken; or for how long there is none.
    fn take(&self, chat: ChatId, now: Timestamp) -> Result<Duration, Duration> {
        let limit = if chat.0 < 0 { GROUP } else { PRIVATE };
        let mut chats = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let due = chats.get(&chat).copied().unwrap_or(now).max(now);
        let early = limit.each * (limit.burst - 1);
        let wait = due.since(now).saturating_sub(early);
        if wait > ABSORBED_MAX {
            return Err(wait);
        }
        chats.insert(chat, due.plus(limit.each));
        Ok(wait)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_passes_then_waits_grow_to_eight_seconds_and_then_it_is_refused() {
        let (flood, now) = (Flood::default(), Timestamp::from_unix_seconds(1_780_000_000));
        let take = |chat, now| flood.take(ChatId(chat), now).map(|wait| wait.as_secs());
        for _ in 0..PRIVATE.burst {
            assert_eq!(take(1, now), Ok(0));
        }
        for wait in 1..=8 {
            assert_eq!(take(1, now), Ok(wait));
        }
        assert_eq!(take(1, now), Err(Duration::from_secs(9)));
        assert_eq!(take(2, now), Ok(0), "another chat");
        assert_eq!(take(1, now.plus(Duration::from_secs(1))), Ok(8));
        assert_eq!(take(1, now.plus(Duration::from_secs(60))), Ok(0));
    }

    #[test]
    fn a_group_takes_twenty_at_once_and_then_one_in_three_seconds() {
        let (flood, now) = (Flood::default(), Timestamp::from_unix_seconds(1_780_000_000));
        let waits = (0..23).map(|_| flood.take(ChatId(-1), now).map(|wait| wait.as_secs()));
        let expected = [[Ok(0); 20].as_slice(), &[Ok(3), Ok(6), Err(Duration::from_secs(9))]].concat();
        assert_eq!(waits.collect::<Vec<_>>(), expected);
    }
}
