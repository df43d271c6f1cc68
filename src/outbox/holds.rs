//! Which bots this process sends nothing for at this moment: Telegram does not know their token, floods them as a whole,
//! or they had what their limit gives them. In memory only: another process finds out at the price of one call.
//! Never about a single chat: that stands in its row.

use crate::telegram::id::{BotId, ChatId};
use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// How long a bot is left alone after its token was refused; each time twice as long, up to the longest.
const REFUSED_FIRST: Duration = Duration::from_secs(1);
const REFUSED_MAX: Duration = Duration::from_secs(60);
/// So many chats with a 429 within the window mean that Telegram slows down the bot and not the chats.
const FLOODED_CHATS: usize = 5;
const FLOOD_WINDOW: Duration = Duration::from_secs(5);
/// Longest time for which a bot waits as a whole because its chats were flooded.
const FLOOD_MAX: Duration = Duration::from_secs(30);
/// What a bot may be ahead of its limit.
const BURST: Duration = Duration::from_secs(1);

/// The holds of a process.
#[derive(Debug)]
pub(super) struct Holds {
    /// The time that one message takes of a bot's limit.
    interval: Duration,
    bots: Mutex<HashMap<BotId, State>>,
}

#[derive(Debug)]
struct State {
    until: Instant,
    /// The last wait because of the token, until that is accepted.
    refused: Option<Duration>,
    /// Whether a call is under way that finds out.
    probed: bool,
    flooded: HashSet<ChatId>,
    flooded_since: Instant,
    /// When what was sent is paid for.
    spent: Instant,
}

/// Leave to call for a bot, until it is dropped.
#[derive(Debug)]
pub(super) struct Leave<'a>(Option<(&'a Holds, BotId)>);

impl Drop for Leave<'_> {
    fn drop(&mut self) {
        if let Some((holds, bot)) = self.0
            && let Some(state) = holds.lock().get_mut(&bot)
        {
            state.probed = false;
        }
    }
}

impl Holds {
    /// With `rate_max` messages a second for each bot, if it is limited.
    pub(super) fn new(rate_max: Option<usize>) -> Self {
        let interval =
            rate_max.map_or(Duration::ZERO, |rate| Duration::from_secs(1) / u32::try_from(rate).unwrap_or(1));
        Self { interval, bots: Mutex::default() }
    }

    /// The bots that wait.
    pub(super) fn held(&self, now: Instant) -> Vec<BotId> {
        let waits = |state: &State| now < state.until || now + BURST < state.spent;
        self.lock().iter().filter(|(_, state)| waits(state)).map(|(bot, _)| *bot).collect()
    }

    /// Leave to call for `bot`. While its token stands refused, one call at a time has it: none where another finds out.
    pub(super) fn leave(&self, bot: BotId) -> Option<Leave<'_>> {
        match self.lock().get_mut(&bot).filter(|state| state.refused.is_some()) {
            None => Some(Leave(None)),
            Some(state) if state.probed => None,
            Some(state) => {
                state.probed = true;
                Some(Leave(Some((self, bot))))
            }
        }
    }

    /// Telegram refuses the bot's token. Says how long the bot waits.
    pub(super) fn refused(&self, bot: BotId, now: Instant) -> Duration {
        self.change(bot, now, |state| {
            // Calls that were under way together are one refusal.
            if let Some(wait) = state.refused.filter(|_| now < state.until) {
                return wait;
            }
            let wait = state.refused.map_or(REFUSED_FIRST, |wait| (wait * 2).min(REFUSED_MAX));
            state.refused = Some(wait);
            state.until = state.until.max(now + wait);
            wait
        })
    }

    /// Telegram takes the bot's token. Says whether it did not, before.
    pub(super) fn accepted(&self, bot: BotId) -> bool {
        self.lock().get_mut(&bot).is_some_and(|state| state.refused.take().is_some())
    }

    /// A chat of the bot got a 429. Says how long the bot as a whole waits, if it does.
    pub(super) fn flooded(&self, bot: BotId, chat: ChatId, wait: Duration, now: Instant) -> Option<Duration> {
        self.change(bot, now, |state| {
            if now.duration_since(state.flooded_since) > FLOOD_WINDOW {
                state.flooded.clear();
                state.flooded_since = now;
            }
            state.flooded.insert(chat);
            if state.flooded.len() < FLOODED_CHATS {
                return None;
            }
            state.flooded.clear();
            let wait = wait.min(FLOOD_MAX);
            state.until = state.until.max(now + wait);
            Some(wait)
        })
    }

    /// The bot sent so many messages.
    pub(super) fn spent(&self, bot: BotId, messages: u32, now: Instant) {
        if !self.interval.is_zero() && messages > 0 {
            self.change(bot, now, |state| state.spent = state.spent.max(now) + self.interval * messages);
        }
    }

    fn change<T>(&self, bot: BotId, now: Instant, change: impl FnOnce(&mut State) -> T) -> T {
        let mut bots = self.lock();
        let state = bots.entry(bot).or_insert_with(|| State {
            until: now,
            refused: None,
            probed: false,
            flooded: HashSet::new(),
            flooded_since: now,
            spent: now,
        });
        change(state)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<BotId, State>> {
        self.bots.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOT: BotId = BotId(42);
    const SECOND: Duration = Duration::from_secs(1);

    #[tokio::test(start_paused = true)]
    async fn a_bot_without_a_valid_token_waits_longer_each_time_until_it_is_accepted() {
        let holds = Holds::new(None);
        let mut now = Instant::now();
        let waits: Vec<u64> = (0..8)
            .map(|_| {
                let wait = holds.refused(BOT, now);
                assert_eq!(holds.refused(BOT, now), wait, "the calls of one moment are one refusal");
                assert_eq!(holds.held(now), [BOT]);
                now += wait;
                assert_eq!(holds.held(now), []);
                wait.as_secs()
            })
            .collect();
        assert_eq!(waits, [1, 2, 4, 8, 16, 32, 60, 60]);
        assert!(holds.accepted(BOT));
        assert!(!holds.accepted(BOT));
        assert_eq!(holds.refused(BOT, now), SECOND);
    }

    #[tokio::test(start_paused = true)]
    async fn whether_a_refused_token_is_taken_again_is_found_out_by_one_call() {
        let holds = Holds::new(None);
        let many = [holds.leave(BOT), holds.leave(BOT)];
        assert!(many.iter().all(Option::is_some), "nothing is known against it yet");
        holds.refused(BOT, Instant::now());
        let probe = holds.leave(BOT);
        assert!(probe.is_some() && holds.leave(BOT).is_none());
        drop(many);
        assert!(holds.leave(BOT).is_none(), "who called before it was refused ends nothing");
        drop(probe);
        assert!(holds.leave(BOT).is_some());
        holds.accepted(BOT);
        let many = [holds.leave(BOT), holds.leave(BOT)];
        assert!(many.iter().all(Option::is_some));
    }

    #[tokio::test(start_paused = true)]
    async fn many_flooded_chats_slow_the_bot_and_few_do_not() {
        let holds = Holds::new(None);
        let now = Instant::now();
        for chat in [1, 2, 3, 4, 4, 4] {
            assert_eq!(holds.flooded(BOT, ChatId(chat), 7 * SECOND, now), None);
        }
        assert_eq!(holds.held(now), []);
        assert_eq!(holds.flooded(BOT, ChatId(5), 7 * SECOND, now), Some(7 * SECOND));
        assert_eq!((holds.held(now), holds.held(now + 7 * SECOND)), (vec![BOT], vec![]));

        for chat in 1..=20 {
            let now = now + FLOOD_WINDOW * 2 * chat;
            assert_eq!(holds.flooded(BOT, ChatId(chat.into()), SECOND, now), None, "one now and then is nothing");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_limited_bot_waits_when_it_is_a_second_ahead() {
        let holds = Holds::new(Some(10));
        let now = Instant::now();
        holds.spent(BOT, 10, now);
        assert_eq!(holds.held(now), []);
        holds.spent(BOT, 5, now);
        assert_eq!(holds.held(now), [BOT]);
        assert_eq!(holds.held(now + SECOND / 2), []);
    }
}
