//! A gatherer: one connection, one batch on it at a time, and what is done when either breaks.
//! Never lets a caller wait for a server that cannot be reached.

use super::member::Member;
use super::queue::Queue;
use super::work::{Results, Work};
use crate::shutdown::Tasks;
use crate::storage::store::{Plans, Wire};
use crate::storage::{Error, Storage};
use crate::telemetry::metrics;
use futures::FutureExt;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, timeout};

/// How long a batch may be on the wire before its connection counts as broken.
const CALL_TIME_MAX: Duration = Duration::from_secs(5);
/// How long connecting may take.
const CONNECT_TIME_MAX: Duration = Duration::from_secs(2);
/// After a failed connect: the first wait, doubling up to the longest. Until then calls fail at once.
const RECONNECT_MIN: Duration = Duration::from_millis(50);
const RECONNECT_MAX: Duration = Duration::from_secs(1);

/// The connection of a gatherer, connected or not.
#[derive(Debug)]
pub(super) struct Line {
    storage: Storage,
    plans: Plans,
    wire: Option<Wire>,
    failed: Option<(Duration, Instant)>,
}

impl Line {
    pub(super) async fn open(storage: Storage, plans: Plans) -> Result<Self, Error> {
        let wire = Some(connect(&storage, plans).await?);
        Ok(Self { storage, plans, wire, failed: None })
    }

    pub(super) async fn run<W: Work>(mut self, queue: Arc<Queue<W>>, tasks: Tasks) {
        while let Some(batch) = queue.next(&tasks).await {
            metrics::batch(W::STAGE, batch.len());
            // The members of a batch that panics are dropped, which tells their callers that nobody knows.
            if AssertUnwindSafe(self.serve(&queue, batch)).catch_unwind().await.is_err() {
                tracing::error!("a batch panicked: its connection is opened anew");
                self.wire = None;
            }
        }
    }

    async fn serve<W: Work>(&mut self, queue: &Queue<W>, batch: Vec<Member<W::Item, W::Output>>) {
        let (items, callers): (Vec<_>, Vec<_>) = batch.into_iter().map(Member::split).unzip();
        let results = self.call::<W>(&items).await;
        let now = Instant::now();
        let mut busy = Vec::new();
        for ((item, caller), result) in items.into_iter().zip(callers).zip(results) {
            match result {
                Ok(output) if W::is_busy(&output) => {
                    metrics::busy(W::STAGE);
                    busy.push(caller.pause(item, now));
                }
                result => caller.answer(result),
            }
        }
        queue.put_back(busy);
    }

    /// The result of each member. A batch that failed as a whole and certainly wrote nothing is tried member by
    /// member, so that only who causes an error gets it.
    async fn call<W: Work>(&mut self, items: &[W::Item]) -> Vec<Result<W::Output, Error>> {
        let error = match self.call_once::<W>(items).await {
            Ok(results) => return results,
            Err(error) => error,
        };
        if items.len() < 2 || !error.is_rolled_back() {
            return error.shared(items.len()).into_iter().map(Err).collect();
        }
        tracing::debug!(error = &error as &dyn std::error::Error, "a batch failed, its members are tried one by one");
        let mut results = Vec::with_capacity(items.len());
        for item in items {
            let result = self.call_once::<W>(std::slice::from_ref(item)).await;
            results.push(result.and_then(|mut results| {
                results.pop().unwrap_or_else(|| Err(Error::unavailable("the store gave no result")))
            }));
        }
        results
    }

    async fn call_once<W: Work>(&mut self, items: &[W::Item]) -> Results<W::Output> {
        let wire = self.connected().await?;
        let results = timeout(CALL_TIME_MAX, W::call(wire, items))
            .await
            .unwrap_or_else(|_| Err(Error::unavailable("the store did not answer in time")));
        if results.as_ref().is_err_and(|error| !error.is_rolled_back()) {
            self.wire = None;
        }
        results
    }

    async fn connected(&mut self) -> Result<&mut Wire, Error> {
        if self.wire.is_none() {
            if self.failed.is_some_and(|(_, until)| Instant::now() < until) {
                return Err(Error::unavailable("the store could not be reached a moment ago"));
            }
            match connect(&self.storage, self.plans).await {
                Ok(wire) => {
                    self.wire = Some(wire);
                    self.failed = None;
                }
                Err(error) => {
                    let wait = self.failed.map_or(RECONNECT_MIN, |(wait, _)| (wait * 2).min(RECONNECT_MAX));
                    self.failed = Some((wait, Instant::now() + wait));
                    return Err(error);
                }
            }
        }
        self.wire.as_mut().ok_or_else(|| Error::unavailable("the store is not connected"))
    }
}

async fn connect(storage: &Storage, plans: Plans) -> Result<Wire, Error> {
    timeout(CONNECT_TIME_MAX, storage.wire(plans))
        .await
        .unwrap_or_else(|_| Err(Error::unavailable("the store could not be reached in time")))
}
