//! What is gathered: loads, commits and settles, the same but for a few words.

use crate::storage::store::{Plans, Wire};
use crate::storage::{Commit, Error, Key, Outcome, Settled, Settlement, Stored};
use crate::telemetry::metrics::Stage;
use std::fmt::Debug;
use std::future::Future;

/// The result of each member of a batch, in order; or the error of the batch.
pub(super) type Results<O> = Result<Vec<Result<O, Error>>, Error>;

/// A kind of call that can be made for many at once.
pub(super) trait Work: Debug + Send + Sync + 'static {
    /// What is asked.
    type Item: Debug + Send + Sync + 'static;
    /// What is answered.
    type Output: Debug + Send + 'static;
    /// What the metrics call it.
    const STAGE: Stage;
    /// How its statement is planned.
    const PLANS: Plans = Plans::Kept;

    /// The chat of which only one member may be in a batch.
    fn chat(item: &Self::Item) -> Option<Key>;
    /// Whether it is to be tried again.
    fn is_busy(output: &Self::Output) -> bool;
    /// Makes the call.
    fn call(wire: &mut Wire, items: &[Self::Item]) -> impl Future<Output = Results<Self::Output>> + Send;
}

/// Reads of chats.
#[derive(Debug)]
pub(super) enum Loads {}

impl Work for Loads {
    type Item = Key;
    type Output = Option<Stored>;
    const STAGE: Stage = Stage::Load;

    fn chat(_: &Key) -> Option<Key> {
        None
    }

    fn is_busy(_: &Option<Stored>) -> bool {
        false
    }

    async fn call(wire: &mut Wire, items: &[Key]) -> Results<Option<Stored>> {
        wire.load(items).await
    }
}

/// Writes of chats.
#[derive(Debug)]
pub(super) enum Commits {}

impl Work for Commits {
    type Item = Commit;
    type Output = Outcome;
    const STAGE: Stage = Stage::Commit;

    fn chat(commit: &Commit) -> Option<Key> {
        Some(commit.key)
    }

    fn is_busy(outcome: &Outcome) -> bool {
        *outcome == Outcome::Busy
    }

    async fn call(wire: &mut Wire, items: &[Commit]) -> Results<Outcome> {
        Ok(wire.commit(items).await?.into_iter().map(Ok).collect())
    }
}

/// Ends of leases.
#[derive(Debug)]
pub(super) enum Settles {}

impl Work for Settles {
    type Item = Settlement;
    type Output = Settled;
    const STAGE: Stage = Stage::Settle;
    const PLANS: Plans = Plans::Fresh;

    fn chat(settlement: &Settlement) -> Option<Key> {
        Some(settlement.key)
    }

    fn is_busy(settled: &Settled) -> bool {
        *settled == Settled::Busy
    }

    async fn call(wire: &mut Wire, items: &[Settlement]) -> Results<Settled> {
        Ok(wire.settle(items).await?.into_iter().map(Ok).collect())
    }
}
