//! Places in the queue: who waits is shown where they stand when that has changed. A redraw never takes the place of
//! anything that a user waits for: it is sent when the chat's pace allows, see [`Redraw`](crate::storage::Redraw).

use super::Lanes;
use crate::shutdown::Tasks;
use crate::storage::Lane;
use std::time::Duration;
use tracing::debug;

/// How often places are looked at.
const INTERVAL: Duration = Duration::from_secs(4);
/// How far down a lane places are kept up to date. Farther behind nobody watches them change.
const FIRST: usize = 100;
/// Most redraws of a lane at a time: Telegram allows a bot some thirty messages a second, which are for answers.
const REDRAWS_MAX: usize = 20;

pub(super) fn start(lanes: Lanes, tasks: &Tasks) {
    let mut beat = tasks.beat(INTERVAL);
    tasks.spawn(async move {
        while beat.next().await {
            match lanes.0.storage.tell_places(&Lane::OF_WORKERS, FIRST, REDRAWS_MAX).await {
                Ok(0) => {}
                Ok(_) => lanes.0.bells.ring(Lane::Outbound),
                Err(error) => debug!(error = &error as &dyn std::error::Error, "places could not be told"),
            }
        }
    });
}
