//! Simulated time: runs at a speed of its own, jumps when told to, stands still if it should. Everything in the sandbox
//! that Telegram would do by the clock asks this one, and never the real one.

use crate::clock::Timestamp;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::Instant;

/// How much simulated time goes by in a second of real time.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Speed(f64);

impl Speed {
    /// Time moves only where [`Clock::advance`] moves it.
    pub const STILL: Self = Self(0.0);
    /// A second a second.
    pub const REAL: Self = Self(1.0);

    /// `factor` seconds a second; `None` where that is not a finite number from zero.
    pub fn times(factor: f64) -> Option<Self> {
        (factor.is_finite() && factor >= 0.0).then_some(Self(factor))
    }

    /// The factor itself.
    pub const fn factor(self) -> f64 {
        self.0
    }
}

/// The simulated clock; a clone is the same clock.
#[derive(Clone, Debug)]
pub struct Clock(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    state: Mutex<State>,
    /// Told of whatever makes a sleeper's reckoning wrong: a jump or another speed.
    changed: watch::Sender<()>,
}

#[derive(Debug)]
struct State {
    /// What the clock said at `since`, in microseconds of the Unix epoch.
    micros: i64,
    since: Instant,
    speed: Speed,
    sleepers: BTreeSet<(Timestamp, u64)>,
    sleepers_so_far: u64,
}

impl State {
    fn micros_now(&self) -> i64 {
        // A factor is bounded by nothing, so the cast saturates where the end of time is reached.
        let passed = self.since.elapsed().as_secs_f64() * 1e6 * self.speed.0;
        self.micros.saturating_add(passed as i64)
    }

    fn anchor(&mut self) {
        self.micros = self.micros_now();
        self.since = Instant::now();
    }
}

impl Clock {
    /// A clock that says `start` now and goes on at `speed`.
    pub fn new(start: Timestamp, speed: Speed) -> Self {
        let micros = start.unix_millis().saturating_mul(1000);
        let state = State { micros, since: Instant::now(), speed, sleepers: BTreeSet::new(), sleepers_so_far: 0 };
        Self(Arc::new(Inner { state: Mutex::new(state), changed: watch::Sender::new(()) }))
    }

    /// What the clock says.
    pub fn now(&self) -> Timestamp {
        Timestamp::from_unix_millis(self.state().micros_now().div_euclid(1000))
    }

    /// How fast it goes.
    pub fn speed(&self) -> Speed {
        self.state().speed
    }

    /// Goes on at `speed`.
    pub fn set_speed(&self, speed: Speed) {
        let mut state = self.state();
        state.anchor();
        state.speed = speed;
        drop(state);
        self.0.changed.send_replace(());
    }

    /// Jumps `duration` ahead: whatever was due meanwhile is due now.
    pub fn advance(&self, duration: Duration) {
        let mut state = self.state();
        state.anchor();
        state.micros = state.micros.saturating_add(i64::try_from(duration.as_micros()).unwrap_or(i64::MAX));
        drop(state);
        self.0.changed.send_replace(());
    }

    /// Jumps to `moment`, unless it is past.
    pub fn advance_to(&self, moment: Timestamp) {
        let mut state = self.state();
        state.anchor();
        state.micros = state.micros.max(moment.unix_millis().saturating_mul(1000));
        drop(state);
        self.0.changed.send_replace(());
    }

    /// Waits for `duration` of simulated time.
    pub async fn sleep(&self, duration: Duration) {
        self.sleep_until(self.now().plus(duration)).await;
    }

    /// Waits until the clock says `moment`.
    pub async fn sleep_until(&self, moment: Timestamp) {
        let _sleeper = Sleeper::new(self, moment);
        let mut changed = self.0.changed.subscribe();
        while let Some(wait) = self.real_wait(moment) {
            match wait {
                Wait::For(real) => {
                    tokio::select! {
                        () = tokio::time::sleep(real) => {}
                        _ = changed.changed() => {}
                    }
                }
                Wait::ForChange => {
                    let _ = changed.changed().await;
                }
            }
        }
    }

    /// The earliest moment somebody sleeps for: where to jump when nothing else is going on.
    pub fn next_due(&self) -> Option<Timestamp> {
        self.state().sleepers.first().map(|(moment, _)| *moment)
    }

    fn real_wait(&self, moment: Timestamp) -> Option<Wait> {
        let state = self.state();
        let left = moment.unix_millis().saturating_mul(1000).saturating_sub(state.micros_now());
        if left <= 0 {
            return None;
        }
        let real_micros = (left as f64 / state.speed.0).ceil();
        // Over a day of real time: looked at again then, which costs nothing.
        let day = Duration::from_secs(86_400);
        Some(if state.speed == Speed::STILL {
            Wait::ForChange
        } else {
            Wait::For(Duration::from_micros(real_micros as u64).min(day))
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

enum Wait {
    For(Duration),
    ForChange,
}

/// Somebody's place among the sleepers, given up when the waiting is over or dropped.
struct Sleeper<'a> {
    clock: &'a Clock,
    place: (Timestamp, u64),
}

impl<'a> Sleeper<'a> {
    fn new(clock: &'a Clock, moment: Timestamp) -> Self {
        let mut state = clock.state();
        state.sleepers_so_far += 1;
        let place = (moment, state.sleepers_so_far);
        state.sleepers.insert(place);
        Self { clock, place }
    }
}

impl Drop for Sleeper<'_> {
    fn drop(&mut self) {
        self.clock.state().sleepers.remove(&self.place);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Timestamp = Timestamp::from_unix_seconds(1_780_000_000);

    #[tokio::test(start_paused = true)]
    async fn time_goes_at_its_own_speed() {
        let clock = Clock::new(START, Speed::times(60.0).unwrap());
        tokio::time::advance(Duration::from_secs(1)).await;
        assert_eq!(clock.now(), START.plus(Duration::from_secs(60)));
        clock.set_speed(Speed::STILL);
        tokio::time::advance(Duration::from_secs(1)).await;
        assert_eq!(clock.now(), START.plus(Duration::from_secs(60)));
    }

    #[tokio::test(start_paused = true)]
    async fn a_sleeper_wakes_in_real_time_divided_by_the_speed() {
        let clock = Clock::new(START, Speed::times(10.0).unwrap());
        let started = Instant::now();
        clock.sleep(Duration::from_secs(50)).await;
        assert_eq!(clock.now(), START.plus(Duration::from_secs(50)));
        assert_eq!(started.elapsed(), Duration::from_secs(5));
    }

    #[tokio::test]
    async fn a_jump_wakes_whom_it_passes_and_nobody_else() {
        let clock = Clock::new(START, Speed::STILL);
        let (early, late) = (START.plus(Duration::from_secs(5)), START.plus(Duration::from_secs(6)));
        let mut waits_for_late = Box::pin(clock.sleep_until(late));
        assert!(futures::poll!(&mut waits_for_late).is_pending());
        let mut waits_for_early = Box::pin(clock.sleep_until(early));
        assert!(futures::poll!(&mut waits_for_early).is_pending());
        assert_eq!(clock.next_due(), Some(early));

        clock.advance_to(early);
        waits_for_early.await;
        assert!(futures::poll!(&mut waits_for_late).is_pending());
        assert_eq!(clock.next_due(), Some(late));
        clock.advance(Duration::from_secs(1));
        waits_for_late.await;
        assert_eq!(clock.next_due(), None);
    }

    #[test]
    fn time_does_not_run_backwards() {
        assert_eq!(Speed::times(-1.0), None);
        assert_eq!(Speed::times(f64::NAN), None);
        assert_eq!(Speed::times(f64::INFINITY), None);
    }
}
