//! `botctl capacity`: how many updates a second each bot can take, from the live histogram of one server.

use super::health::page;
use super::{Failure, output};
use crate::config::Config;
use crate::ops::response_times::{Histograms, at_quantile, difference, read};
use anyhow::anyhow;
use clap::Args;
use serde::Serialize;
use std::time::Duration;

/// How many updates a second each bot could take: max_connections divided by the response time
#[derive(Args, Debug)]
#[command(after_help = "\
What a server measured since its start, or, with --window, from now on. Behind nginx each server answers for the updates
that it got; a bot's connections are shared by all of them.

Examples:
  botctl capacity
  botctl capacity --window 30s
  botctl capacity --json | jq '.[] | select(.load > 0.7) | .bot'")]
pub(super) struct Capacity {
    /// Measure for this long instead: 30s, 5m
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration)]
    window: Option<Duration>,
    /// Where the server's metrics and health are, ADDRESS:PORT [env: TAPGATE_OPS_LISTEN] [default: 127.0.0.1:9180]
    #[arg(long, value_name = "ADDRESS", help_heading = "Settings")]
    pub ops_listen: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What a bot's histogram says.
#[derive(Debug, PartialEq, Serialize)]
struct Row {
    bot: String,
    updates: u64,
    max_connections: f64,
    p50_seconds: f64,
    p99_seconds: f64,
    /// `max_connections` divided by `p50_seconds`.
    capacity_p50: f64,
    capacity_p99: f64,
    /// Updates a second while it was measured; none since the start of the server, of which nobody knows how long ago.
    #[serde(skip_serializing_if = "Option::is_none")]
    rate: Option<f64>,
    /// `rate` as a share of `capacity_p50`.
    #[serde(skip_serializing_if = "Option::is_none")]
    load: Option<f64>,
}

pub(super) async fn run(config: &Config, arguments: &Capacity) -> Result<(), Failure> {
    let mut before = Histograms::new();
    if let Some(window) = arguments.window {
        before = read(&metrics(config).await?);
        tokio::time::sleep(window).await;
    }
    let page = metrics(config).await?;
    let rows = rows(&page, &before, arguments.window);
    if arguments.json {
        return output::json(&rows);
    }
    if rows.is_empty() {
        return Err(anyhow!("nothing was measured yet: it takes an update, or a longer --window").into());
    }
    output::table(&table(&rows))
}

async fn metrics(config: &Config) -> Result<String, Failure> {
    match page(config.ops_listen, "/metrics").await? {
        (200, page) => Ok(page),
        (status, _) => {
            Err(anyhow!("/metrics answers with status {status}: is it a Tapgate that listens there?").into())
        }
    }
}

fn rows(page: &str, before: &Histograms, window: Option<Duration>) -> Vec<Row> {
    let now = read(page);
    let row = |(bot, buckets): (&String, &Vec<(f64, f64)>)| {
        let measured = difference(Some(buckets), before.get(bot));
        let (p50_seconds, p99_seconds) = (at_quantile(&measured, 0.5)?, at_quantile(&measured, 0.99)?);
        let max_connections = connections(page, bot)?;
        let updates = measured.last().map_or(0.0, |(_, count)| *count);
        let rate = window.map(|window| updates / window.as_secs_f64());
        let capacity_p50 = max_connections / p50_seconds;
        Some(Row {
            bot: bot.clone(),
            updates: updates as u64,
            max_connections,
            p50_seconds,
            p99_seconds,
            capacity_p50,
            capacity_p99: max_connections / p99_seconds,
            rate,
            load: rate.map(|rate| rate / capacity_p50),
        })
    };
    now.iter().filter_map(row).collect()
}

/// What the page says of a bot's `max_connections`.
fn connections(page: &str, bot: &str) -> Option<f64> {
    let sample = format!("tapgate_webhook_max_connections{{bot=\"{bot}\"}} ");
    page.lines().find_map(|line| line.strip_prefix(&sample)?.parse().ok())
}

fn table(rows: &[Row]) -> Vec<[String; 7]> {
    let head = ["BOT", "UPDATES", "MAX_CONNECTIONS", "P50", "P99", "UPDATES/S AT P50", "AT P99"];
    let milliseconds = |seconds: f64| format!("{:.1} ms", seconds * 1e3);
    let rows = rows.iter().map(|row| {
        let load = row.load.map(|load| format!(" ({:.0} % used)", load * 100.0)).unwrap_or_default();
        [
            row.bot.clone(),
            row.updates.to_string(),
            format!("{:.0}", row.max_connections),
            milliseconds(row.p50_seconds),
            milliseconds(row.p99_seconds),
            format!("{:.0}{load}", row.capacity_p50),
            format!("{:.0}", row.capacity_p99),
        ]
    });
    std::iter::once(head.map(str::to_owned)).chain(rows).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = r#"
tapgate_webhook_max_connections{bot="main"} 40
tapgate_webhook_duration_seconds_bucket{bot="main",kind="message",outcome="applied",le="0.01"} 100
tapgate_webhook_duration_seconds_bucket{bot="main",kind="message",outcome="applied",le="+Inf"} 100
tapgate_webhook_duration_seconds_bucket{bot="none",kind="other",outcome="refused",le="+Inf"} 7
"#;

    #[test]
    fn capacity_is_connections_divided_by_the_response_time() {
        let rows = rows(PAGE, &Histograms::new(), Some(Duration::from_secs(10)));
        let [row] = &rows[..] else { panic!("{rows:?}") };
        assert_eq!((row.bot.as_str(), row.updates, row.rate), ("main", 100, Some(10.0)));
        assert!((row.p50_seconds - 0.005).abs() < 1e-9 && (row.capacity_p50 - 8000.0).abs() < 1e-6, "{row:?}");
        assert!((row.load.unwrap() - 10.0 / 8000.0).abs() < 1e-9);
    }

    #[test]
    fn a_window_without_updates_says_nothing() {
        assert_eq!(rows(PAGE, &read(PAGE), Some(Duration::from_secs(10))), []);
    }
}
