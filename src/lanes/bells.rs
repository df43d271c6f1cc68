//! What this process has queued is taken up at once: a bell for each lane. Never carries a job: who hears one looks.

use crate::storage::Lane;
use std::sync::Arc;
use tokio::sync::Notify;

/// A bell for each lane, the sender's included. Cheap to clone; all clones are the same bells.
///
/// One ring wakes one of those who listen, or the next who does; jobs of other processes are found by looking.
#[derive(Clone, Debug, Default)]
pub struct Bells(Arc<[Arc<Notify>; Lane::ALL.len()]>);

impl Bells {
    /// Something new is in `lane`.
    pub fn ring(&self, lane: Lane) {
        self.of(lane).notify_one();
    }

    /// That of `lane`, to be listened to.
    pub fn of(&self, lane: Lane) -> &Arc<Notify> {
        &self.0[lane as usize]
    }
}
