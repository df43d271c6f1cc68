//! What shall go wrong, on request: asked before each delivery and each call of the Bot API.
//! Never what a fault does: that is in the hands of the one that asks.

use crate::telegram::id::ChatId;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::watch;

/// What can go wrong with a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeliveryFault {
    /// The answer is read and lost: for Telegram the connection was closed without one.
    LoseAnswer,
    /// The answer arrives this much later.
    DelayAnswer(Duration),
    /// A second copy goes out at once on another connection; what it is answered does not count.
    DeliverTwice,
    /// The connection is closed as soon as the request is written.
    CloseEarly,
}

/// What can go wrong with a call of the Bot API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApiFault {
    /// 429 for this chat.
    Flood {
        /// The chat.
        chat: ChatId,
        /// What the answer says.
        retry_after: Duration,
    },
    /// The answer takes this much longer.
    Slow(Duration),
    /// This status, and nothing is done.
    Fail(u16),
    /// It is done, and the connection closed before the answer.
    LoseAnswer,
}

/// How often a fault strikes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lasts {
    /// This many times.
    Times(u32),
    /// Until it is cleared.
    Standing,
}

/// What shall go wrong; a clone is the same.
#[derive(Clone, Debug, Default)]
pub struct Faults(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    state: Mutex<State>,
    changed: watch::Sender<()>,
}

#[derive(Debug, Default)]
struct State {
    deliveries: Vec<(DeliveryFault, Lasts)>,
    api: Vec<(ApiFault, Lasts)>,
}

impl Faults {
    /// Has `fault` strike deliveries.
    pub fn strike_deliveries(&self, fault: DeliveryFault, lasts: Lasts) {
        // What stands for good goes behind: it would keep one of its kind that strikes once from ever doing so.
        let mut state = self.state();
        let place = if lasts == Lasts::Standing {
            state.deliveries.len()
        } else {
            let stands = |(_, lasts): &(DeliveryFault, Lasts)| *lasts == Lasts::Standing;
            state.deliveries.iter().position(stands).unwrap_or(state.deliveries.len())
        };
        state.deliveries.insert(place, (fault, lasts));
        drop(state);
        self.0.changed.send_replace(());
    }

    /// Has `fault` strike calls of the Bot API.
    pub fn strike_api(&self, fault: ApiFault, lasts: Lasts) {
        self.state().api.push((fault, lasts));
        self.0.changed.send_replace(());
    }

    /// Delays every answer by `delay` from now on, in the place of whatever delay stood; `None`: by nothing.
    pub fn delay_answers(&self, delay: Option<Duration>) {
        let standing = |(fault, lasts): &(DeliveryFault, Lasts)| {
            matches!(fault, DeliveryFault::DelayAnswer(_)) && *lasts == Lasts::Standing
        };
        let mut state = self.state();
        state.deliveries.retain(|one| !standing(one));
        state.deliveries.extend(delay.map(|delay| (DeliveryFault::DelayAnswer(delay), Lasts::Standing)));
        drop(state);
        self.0.changed.send_replace(());
    }

    /// Nothing goes wrong any more.
    pub fn clear(&self) {
        *self.state() = State::default();
        self.0.changed.send_replace(());
    }

    /// What goes wrong with the next delivery: of each kind of fault at most one.
    pub fn take_delivery(&self) -> Vec<DeliveryFault> {
        self.take(|state| &mut state.deliveries, |_| true)
    }

    /// What goes wrong with a call of the Bot API that concerns `chat`.
    pub fn take_api(&self, chat: Option<ChatId>) -> Vec<ApiFault> {
        self.take(
            |state| &mut state.api,
            |fault| match fault {
                ApiFault::Flood { chat: flooded, .. } => Some(*flooded) == chat,
                ApiFault::Slow(_) | ApiFault::Fail(_) | ApiFault::LoseAnswer => true,
            },
        )
    }

    /// What is to go wrong still.
    pub fn standing(&self) -> (Vec<(DeliveryFault, Lasts)>, Vec<(ApiFault, Lasts)>) {
        let state = self.state();
        (state.deliveries.clone(), state.api.clone())
    }

    /// Told of every change.
    pub fn changed(&self) -> watch::Receiver<()> {
        self.0.changed.subscribe()
    }

    fn take<F: Copy>(
        &self,
        shelf: impl Fn(&mut State) -> &mut Vec<(F, Lasts)>,
        concerned: impl Fn(&F) -> bool,
    ) -> Vec<F> {
        let mut state = self.state();
        let shelf = shelf(&mut state);
        let mut taken: Vec<F> = Vec::new();
        for (fault, lasts) in shelf.iter_mut() {
            let known = taken.iter().any(|one| std::mem::discriminant(one) == std::mem::discriminant(fault));
            if known || !concerned(fault) {
                continue;
            }
            taken.push(*fault);
            if let Lasts::Times(times) = lasts {
                *times = times.saturating_sub(1);
            }
        }
        shelf.retain(|(_, lasts)| *lasts != Lasts::Times(0));
        drop(state);
        if !taken.is_empty() {
            self.0.changed.send_replace(());
        }
        taken
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_strikes_as_often_as_was_asked() {
        let faults = Faults::default();
        faults.strike_deliveries(DeliveryFault::LoseAnswer, Lasts::Times(1));
        faults.strike_deliveries(DeliveryFault::LoseAnswer, Lasts::Times(1));
        faults.strike_deliveries(DeliveryFault::DeliverTwice, Lasts::Standing);
        let both = vec![DeliveryFault::LoseAnswer, DeliveryFault::DeliverTwice];
        assert_eq!(faults.take_delivery(), both, "one of a kind at a time");
        assert_eq!(faults.take_delivery(), both);
        assert_eq!(faults.take_delivery(), vec![DeliveryFault::DeliverTwice]);
        faults.clear();
        assert_eq!(faults.take_delivery(), vec![]);
    }

    #[test]
    fn a_flooded_chat_is_not_another_chats_trouble() {
        let faults = Faults::default();
        let flood = ApiFault::Flood { chat: ChatId(1), retry_after: Duration::from_secs(3) };
        faults.strike_api(flood, Lasts::Times(1));
        assert_eq!(faults.take_api(Some(ChatId(2))), vec![]);
        assert_eq!(faults.take_api(None), vec![]);
        assert_eq!(faults.take_api(Some(ChatId(1))), vec![flood]);
    }
}
