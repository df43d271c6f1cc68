//! The one door through which tasks start, so that stopping knows them all and can wait for them in order.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinHandle;
use tokio::time::{Interval, MissedTickBehavior, interval};
use tokio_util::sync::{CancellationToken, WaitForCancellationFuture};
use tokio_util::task::TaskTracker;

/// A named group of tasks that are stopped together.
///
/// Stages are stopped one after the other (requests, gatherers, recorders, sender), each by its own `Tasks`:
/// what is upstream has ended before what it feeds is told to.
#[derive(Clone, Debug)]
pub struct Tasks(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    name: &'static str,
    tracker: TaskTracker,
    stopping: CancellationToken,
}

impl Tasks {
    /// An empty group; `name` is what the log calls it.
    pub fn new(name: &'static str) -> Self {
        Self(Arc::new(Inner { name, tracker: TaskTracker::new(), stopping: CancellationToken::new() }))
    }

    /// Starts `future` as a task of this group.
    pub fn spawn<F>(&self, future: F) -> JoinHandle<F::Output>
    where
        F: Future<Output: Send + 'static> + Send + 'static,
    {
        self.0.tracker.spawn(future)
    }

    /// Ends when the group is told to stop; a loop waits for it beside its work.
    pub fn stopping(&self) -> WaitForCancellationFuture<'_> {
        self.0.stopping.cancelled()
    }

    /// Whether the group was told to stop.
    pub fn is_stopping(&self) -> bool {
        self.0.stopping.is_cancelled()
    }

    /// The beat of a loop in this group: now and every `period`; a late one moves the next ones.
    pub fn beat(&self, period: Duration) -> Beat {
        let mut interval = interval(period);
        interval.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Beat { interval, tasks: self.clone() }
    }

    /// Tells the tasks to stop and waits until the last one has. Nothing is aborted.
    pub async fn stop(&self) {
        self.0.stopping.cancel();
        self.0.tracker.close();
        if !self.0.tracker.is_empty() {
            tracing::debug!("waiting for {} tasks of {}", self.0.tracker.len(), self.0.name);
        }
        self.0.tracker.wait().await;
    }
}

/// See [`Tasks::beat`].
#[derive(Debug)]
pub struct Beat {
    interval: Interval,
    tasks: Tasks,
}

impl Beat {
    /// Waits for the next one; false once the group is told to stop.
    pub async fn next(&mut self) -> bool {
        tokio::select! {
            biased;
            () = self.tasks.stopping() => false,
            _ = self.interval.tick() => true,
        }
    }
}
