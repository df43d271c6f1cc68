//! What is measured by the clock and not by requests. A reading that fails is tried again at the next beat.

use crate::bot::Wanted;
use crate::bot_api::Client;
use crate::roster::Known;
use crate::shutdown::Tasks;
use crate::storage::{Lane, Storage};
use crate::telemetry::metrics;
use metrics_exporter_prometheus::PrometheusHandle;
use std::sync::Arc;
use std::time::Duration;
use tracing::debug;

const PERIOD: Duration = Duration::from_secs(5);

/// Lets the recorder sort its samples: without it an unscraped process would keep them all.
pub fn start_upkeep(recorder: PrometheusHandle, tasks: &Tasks) {
    let mut beat = tasks.beat(PERIOD);
    tasks.spawn(async move {
        while beat.next().await {
            recorder.run_upkeep();
        }
    });
}

/// Measures how many jobs wait in each lane, and for how long.
pub fn start_lane_depths(storage: Storage, tasks: &Tasks) {
    let mut beat = tasks.beat(PERIOD);
    tasks.spawn(async move {
        while beat.next().await {
            match storage.depths().await {
                Ok(depths) => {
                    for lane in Lane::ALL {
                        let found = depths.iter().find(|depth| depth.lane == lane);
                        let (depth, oldest) = found.map_or((0, Duration::ZERO), |found| (found.depth, found.oldest));
                        metrics::lane(lane, depth, oldest);
                    }
                }
                // Readiness and the requests themselves say loudly that the store is gone.
                Err(error) => debug!(error = %error, "lanes could not be measured"),
            }
        }
    });
}

/// Asks Telegram every `period` what waits for each bot, and what failed last.
pub fn start_webhook_info(
    client: Client,
    bots: impl Fn() -> Vec<Arc<Known>> + Send + 'static,
    period: Duration,
    tasks: &Tasks,
) {
    let group = tasks.clone();
    tasks.spawn(async move {
        let mut beat = group.beat(period);
        while beat.next().await {
            // One after the other: this is a glance now and then, and never in the way of sends.
            for known in bots() {
                if group.is_stopping() {
                    break;
                }
                match client.get_webhook_info(&known.bot.token).await {
                    Ok(info) => metrics::webhook_info(
                        &known.label,
                        info.pending_update_count,
                        info.last_error_date.unwrap_or_default(),
                        !Wanted::of(&known.bot).differences(&info).is_empty(),
                    ),
                    Err(error) => debug!(bot.id = %known.bot.id, error = %error, "webhook info could not be read"),
                }
            }
        }
    });
}
