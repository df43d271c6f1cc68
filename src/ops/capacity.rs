//! How many updates a second each bot could take: `max_connections ÷ response time`, of the last minute.
//! Read from the recorder's own page, so that it agrees with the main graph.

use crate::roster::Known;
use crate::shutdown::Tasks;
use crate::telemetry::metrics;
use metrics_exporter_prometheus::PrometheusHandle;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// How long a window is.
const WINDOW: Duration = Duration::from_secs(60);
const QUANTILES: [(&str, f64); 2] = [("0.5", 0.5), ("0.99", 0.99)];
const BUCKET: &str = "tapgate_webhook_duration_seconds_bucket{";

/// Of each bot label, how many requests took at most so long: `(seconds, requests)`, ascending.
type Histograms = BTreeMap<String, Vec<(f64, f64)>>;

/// Measures it once a window.
pub fn start_capacity(recorder: PrometheusHandle, bots: impl Fn() -> Vec<Arc<Known>> + Send + 'static, tasks: &Tasks) {
    let group = tasks.clone();
    tasks.spawn(async move {
        let mut beat = super::timers::beat(WINDOW);
        let mut before = Histograms::new();
        while super::timers::next(&mut beat, &group).await {
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

/// Adds the buckets of all kinds and outcomes of a bot, but for what was refused before it was a bot's.
fn read(page: &str) -> Histograms {
    let mut histograms: BTreeMap<String, BTreeMap<u64, (f64, f64)>> = BTreeMap::new();
    for line in page.lines() {
        let Some((labels, count)) = line.strip_prefix(BUCKET).and_then(|rest| rest.rsplit_once("} ")) else { continue };
        let label = |name: &str| {
            labels.split(',').find_map(|pair| pair.strip_prefix(name)?.strip_prefix("=\"")?.strip_suffix('"'))
        };
        let (Some(bot), Some(outcome), Some(bound)) = (label("bot"), label("outcome"), label("le")) else { continue };
        let (Ok(bound), Ok(count)) = (bound.parse::<f64>(), count.parse::<f64>()) else { continue };
        if outcome == "refused" {
            continue;
        }
        // Bits of positive floats are ordered as they are.
        let bucket = histograms.entry(bot.to_owned()).or_default().entry(bound.to_bits()).or_insert((bound, 0.0));
        bucket.1 += count;
    }
    histograms.into_iter().map(|(bot, buckets)| (bot, buckets.into_values().collect())).collect()
}

fn difference(now: Option<&Vec<(f64, f64)>>, before: Option<&Vec<(f64, f64)>>) -> Vec<(f64, f64)> {
    let earlier = |bound: f64| {
        before.and_then(|buckets| buckets.iter().find(|(known, _)| *known == bound)).map_or(0.0, |(_, count)| *count)
    };
    now.into_iter().flatten().map(|(bound, count)| (*bound, count - earlier(*bound))).collect()
}

/// The seconds below which the share `quantile` of requests ended, linear inside a bucket, as PromQL has it.
fn at_quantile(buckets: &[(f64, f64)], quantile: f64) -> Option<f64> {
    let total = buckets.last().map(|(_, count)| *count).filter(|count| *count > 0.0)?;
    let wanted = total * quantile;
    let mut below = (0.0, 0.0);
    for &(bound, count) in buckets {
        if count >= wanted && count > below.1 {
            let share = (wanted - below.1) / (count - below.1);
            return Some(if bound.is_finite() { below.0 + (bound - below.0) * share } else { below.0 });
        }
        below = (bound, count);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = r#"
# TYPE tapgate_webhook_duration_seconds histogram
tapgate_webhook_duration_seconds_bucket{bot="main",kind="message",outcome="applied",le="0.01"} 80
tapgate_webhook_duration_seconds_bucket{bot="main",kind="message",outcome="applied",le="0.1"} 90
tapgate_webhook_duration_seconds_bucket{bot="main",kind="message",outcome="applied",le="+Inf"} 90
tapgate_webhook_duration_seconds_bucket{bot="main",kind="callback_query",outcome="shed",le="0.01"} 0
tapgate_webhook_duration_seconds_bucket{bot="main",kind="callback_query",outcome="shed",le="0.1"} 10
tapgate_webhook_duration_seconds_bucket{bot="main",kind="callback_query",outcome="shed",le="+Inf"} 10
tapgate_webhook_duration_seconds_bucket{bot="main",kind="other",outcome="refused",le="0.01"} 1000
tapgate_webhook_duration_seconds_bucket{bot="main",kind="other",outcome="refused",le="+Inf"} 1000
tapgate_webhook_duration_seconds_sum{bot="main",kind="message",outcome="applied"} 3
tapgate_webhook_requests_total{bot="main",outcome="applied",reason=""} 100
"#;

    #[test]
    fn the_buckets_of_a_bot_are_added_up_without_refusals() {
        let histograms = read(PAGE);
        assert_eq!(histograms["main"], [(0.01, 80.0), (0.1, 100.0), (f64::INFINITY, 100.0)]);
        assert_eq!(
            difference(histograms.get("main"), histograms.get("main")),
            [(0.01, 0.0), (0.1, 0.0), (f64::INFINITY, 0.0)]
        );
    }

    #[test]
    fn a_quantile_lies_inside_its_bucket() {
        let buckets = &read(PAGE)["main"];
        let near = |quantile, expected: f64| (at_quantile(buckets, quantile).unwrap() - expected).abs() < 1e-9;
        assert!(near(0.5, 0.00625) && near(0.9, 0.055) && near(1.0, 0.1));
        assert_eq!(at_quantile(&[(0.1, 0.0), (f64::INFINITY, 5.0)], 0.5), Some(0.1));
        assert_eq!(at_quantile(&[(0.1, 0.0), (f64::INFINITY, 0.0)], 0.5), None);
        assert_eq!(at_quantile(&[], 0.5), None);
    }
}
