//! Jobs that nobody will do any more: leased as often as may be, and their last lease ran out. They end as failed.

use super::{Error, Lanes};
use crate::shutdown::Tasks;
use crate::telemetry::metrics;
use std::time::Duration;
use tracing::{debug, info, warn};

/// How often to look for them.
const INTERVAL: Duration = Duration::from_secs(1);
/// How many are ended at a time.
const AT_ONCE: usize = 64;

pub(super) fn start(lanes: Lanes, tasks: &Tasks) {
    let mut beat = tasks.beat(INTERVAL);
    tasks.spawn(async move {
        while beat.next().await {
            if let Err(error) = reap(&lanes).await {
                debug!(error = &error as &dyn std::error::Error, "lanes could not be looked through");
            }
        }
    });
}

/// One that cannot be ended now is looked at again when the lease has run out under which it is held for that.
async fn reap(lanes: &Lanes) -> Result<(), Error> {
    let shared = &*lanes.0;
    for job in shared.storage.exhausted(AT_ONCE, shared.settings.lease, shared.settings.attempts_max).await? {
        let (id, lane) = (job.id.0, job.lane);
        let ended = match shared.taken(job) {
            Ok(taken) => lanes.give_up(&taken).await,
            Err(error) => Err(error),
        };
        match ended {
            Ok(()) => {
                metrics::work(lane, "", metrics::WorkOutcome::Exhausted);
                info!(job.id = id, %lane, "job {id} was given out as often as may be and has failed");
            }
            Err(Error::Lost) => {}
            Err(error) => {
                warn!(job.id = id, error = &error as &dyn std::error::Error, "job {id} should end and cannot yet");
            }
        }
    }
    Ok(())
}
