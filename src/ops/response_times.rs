//! Pure: no I/O, no clock. The response times of the webhook, read from a page of `/metrics`, so that whatever is
//! derived from them agrees with the main graph.

use std::collections::BTreeMap;

const BUCKET: &str = "tapgate_webhook_duration_seconds_bucket{";

/// Of each bot label, how many requests took at most so long: `(seconds, requests)`, ascending.
pub(crate) type Histograms = BTreeMap<String, Vec<(f64, f64)>>;

/// Adds the buckets of all kinds and outcomes of a bot, but for what was refused before it was a bot's.
pub(crate) fn read(page: &str) -> Histograms {
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

/// What was added since `before`.
pub(crate) fn difference(now: Option<&Vec<(f64, f64)>>, before: Option<&Vec<(f64, f64)>>) -> Vec<(f64, f64)> {
    let earlier = |bound: f64| {
        before.and_then(|buckets| buckets.iter().find(|(known, _)| *known == bound)).map_or(0.0, |(_, count)| *count)
    };
    now.into_iter().flatten().map(|(bound, count)| (*bound, count - earlier(*bound))).collect()
}

/// The seconds below which the share `quantile` of requests ended, linear inside a bucket, as PromQL has it.
pub(crate) fn at_quantile(buckets: &[(f64, f64)], quantile: f64) -> Option<f64> {
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
