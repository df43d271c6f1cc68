//! A bot that the Bot API serves: its token, its world, its webhook, and what is going on for it.

use super::flood::Flood;
use super::webhook::Hook;
use crate::sandbox::updates::Updates;
use crate::sandbox::world::World;
use crate::secret::Secret;
use tokio::sync::{RwLock, watch};

#[derive(Debug)]
pub(super) struct Bot {
    pub(super) token: Secret,
    pub(super) world: World,
    pub(super) updates: Updates,
    pub(super) flood: Flood,
    pub(super) hook: RwLock<Hook>,
    /// Counts the getUpdates that are to have no successor: each newer one ends the one before.
    pub(super) poll: watch::Sender<Poll>,
    running: watch::Sender<usize>,
}

/// Which getUpdates may go on, and what ended the others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Poll {
    pub(super) number: u64,
    pub(super) ended_by: EndedBy,
}

/// What ends a getUpdates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum EndedBy {
    #[default]
    OtherGetUpdates,
    SetWebhook,
}

impl Bot {
    pub(super) fn new(token: Secret, world: World, updates: Updates) -> Self {
        Self {
            token,
            world,
            updates,
            flood: Flood::default(),
            hook: RwLock::default(),
            poll: watch::Sender::default(),
            running: watch::Sender::new(0),
        }
    }

    /// Counts a call as running until the guard is dropped.
    pub(super) fn begin(&self) -> Running {
        self.running.send_modify(|count| *count += 1);
        Running(self.running.clone())
    }

    /// Ends the getUpdates that is running; the number of whoever comes now.
    pub(super) fn end_poll(&self, ended_by: EndedBy) -> u64 {
        let mut number = 0;
        self.poll.send_modify(|poll| {
            *poll = Poll { number: poll.number + 1, ended_by };
            number = poll.number;
        });
        number
    }

    pub(super) async fn quiet(&self) {
        let mut running = self.running.subscribe();
        loop {
            // The sender lives on in `self`, so this cannot fail.
            let _ = running.wait_for(|count| *count == 0).await;
            self.hook.read().await.quiet().await;
            if *running.borrow_and_update() == 0 {
                return;
            }
        }
    }
}

/// A call that is running.
pub(super) struct Running(watch::Sender<usize>);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count -= 1);
    }
}
