//! Many users who tap as fast as the webhook takes it, and what came of it: how fast, and whether each tap counted once.
//! Never asserts a figure: machines are shared.

mod crowd;
mod report;
mod times;

pub use report::{Miscounted, Percentiles, Report};

use super::Sandbox;
use super::rest::Restless;
use crate::storage;
use crowd::Crowd;
use std::time::Duration;
use times::Times;
use tokio::time::{Instant, timeout};

/// How long what is under way may take in the end: every chat gets its last screen, one message a second each.
const END_WAIT_MAX: Duration = Duration::from_secs(300);

/// How long the driver waits for a change before it looks at the clock again.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// What users do.
#[derive(Clone, Copy, Debug)]
pub struct Load {
    /// How many there are.
    pub users: usize,
    /// For how long they tap.
    pub length: Duration,
    /// How many updates may be on their way at once.
    pub max_connections: usize,
}

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The world did not come to rest.
    #[error(transparent)]
    Restless(#[from] Restless),
    /// The rows cannot be read.
    #[error("the rows cannot be read")]
    Store(#[from] storage::Error),
}

/// Lets users tap.
///
/// # Errors
/// If what they did cannot be compared with the rows.
pub async fn run(sandbox: &Sandbox, load: Load) -> Result<Report, Error> {
    let mut crowd = Crowd::new(sandbox, load);
    crowd.start().await?;
    let mut times = Times::watch(sandbox);
    let started = Instant::now();
    let taps_before = crowd.taps();
    let pending_before = sandbox.updates.pending();
    let mut changed = sandbox.updates.changed();
    while started.elapsed() < load.length {
        // More would only wait: Telegram itself holds twice as many queues in memory.
        while sandbox.updates.pending() < 2 * load.max_connections {
            crowd.tap();
        }
        // A change that does not come is the end of the run, which the loop looks for.
        let _ = timeout(LOOK_EVERY, changed.changed()).await;
        times.collect();
    }
    let seconds = started.elapsed().as_secs_f64();
    let taken = (crowd.taps() - taps_before + pending_before).saturating_sub(sandbox.updates.pending());
    sandbox.rest(END_WAIT_MAX).await?;
    let (miscounted, unseen) = crowd.compare().await?;
    let response = times.percentiles();
    Ok(Report {
        users: load.users,
        max_connections: load.max_connections,
        seconds,
        taken,
        per_second: taken as f64 / seconds,
        capacity_per_second: load.max_connections as f64 / (response.p50_ms / 1e3),
        response,
        failed: times.failed,
        miscounted,
        unseen,
    })
}
