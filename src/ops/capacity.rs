//! How many updates a second each bot could take: `max_connections ÷ response time`, of the last minute.
//! Read from the recorder's own page, so that it agrees with the main graph.

use super::response_times::{Histograms, at_quantile, difference, read};
use crate::roster::Known;
use crate::shutdown::Tasks;
use crate::telemetry::metrics;
use metrics_exporter_prometheus::PrometheusHandle;
use std::sync::Arc;
use std::time::Duration;

/// How long a window is.
const WINDOW: Duration = Duration::from_secs(60);
const QUANTILES: [(&str, f64); 2] = [("0.5", 0.5), ("0.99", 0.99)];
/// Measures it once a window.
pub fn start_capacity(recorder: PrometheusHandle, bots: impl Fn() -> Vec<Arc<Known>> + Send + 'static, tasks: &Tasks) {
    let mut beat = tasks.beat(WINDOW);
    tasks.spawn(async move {
        let mut before = Histograms::new();
        while beat.next().await {
            let now = read(&recorder.render());
            for known in bots() {
                let bot = &known.bot;
                // Where bots share the label `all`, no single one's connections fit its response times.
                if *known.label != *bot.name {
                    continue;
                }
                let window = difference(now.get(&*known.label), before.get(&*known.label));
                for (name, quantile) in QUANTILES {
                    // A window without requests says nothing: the last value stays.
                    if let Some(seconds) = at_quantile(&window, quantile) {
                        metrics::capacity(&known.label, name, f64::from(bot.max_connections) / seconds);
                    }
                }
            }
            before = now;
        }
    });
}
