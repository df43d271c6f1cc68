//! Pictures that workers uploaded and nobody sends: of jobs that were lost, failed or given up. Those that are sent go then.

use super::Lanes;
use crate::clock;
use crate::shutdown::Tasks;
use std::time::Duration;
use tracing::{debug, info};

/// How often to look for them.
const INTERVAL: Duration = Duration::from_secs(60 * 60);
/// How long a picture is kept. What waits to be sent may wait for days where Telegram does not take a bot's token.
const KEPT: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// How many are removed at a time: each may have ten megabytes.
const AT_ONCE: usize = 20;

pub(super) fn start(lanes: Lanes, tasks: &Tasks) {
    let (group, mut beat) = (tasks.clone(), tasks.beat(INTERVAL));
    tasks.spawn(async move {
        while beat.next().await {
            while !group.is_stopping() {
                match lanes.0.storage.sweep_files(clock::now().minus(KEPT), AT_ONCE).await {
                    Ok(0) => break,
                    Ok(swept) => info!(swept, "{swept} pictures of workers were never sent and are removed"),
                    Err(error) => {
                        debug!(error = &error as &dyn std::error::Error, "pictures could not be looked through");
                        break;
                    }
                }
            }
        }
    });
}
