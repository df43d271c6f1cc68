//! Jobs of other processes, and those that are due again: found by looking, by one task for all who wait in this process.

use super::Lanes;
use crate::shutdown::Tasks;
use std::time::Duration;
use tokio::time::sleep;
use tracing::debug;

/// How often to look while somebody waits.
const INTERVAL: Duration = Duration::from_millis(250);
/// How long to wait after the store did not answer.
const STORE_PAUSE: Duration = Duration::from_secs(1);

pub(super) fn start(lanes: Lanes, tasks: &Tasks) {
    let group = tasks.clone();
    tasks.spawn(async move {
        tokio::select! {
            () = group.stopping() => {}
            () = look(&lanes) => {}
        }
    });
}

async fn look(lanes: &Lanes) {
    let shared = &*lanes.0;
    loop {
        let waited_for = shared.waits.lanes();
        if waited_for.is_empty() {
            shared.waits.begun.notified().await;
            continue;
        }
        sleep(INTERVAL).await;
        match shared.storage.due(&waited_for, shared.settings.attempts_max).await {
            // Who hears it and finds something wakes the next one.
            Ok(due) => due.into_iter().for_each(|lane| shared.bells.ring(lane)),
            Err(error) => {
                // Workers are told so themselves.
                debug!(error = &error as &dyn std::error::Error, "lanes could not be looked at");
                sleep(STORE_PAUSE).await;
            }
        }
    }
}
