//! The main graph's numbers, once a second: what the real `/metrics` says, and what Telegram sees of it.

use super::super::wire::{Entry, Row};
use super::Page;
use crate::clock::{self, Timestamp};
use crate::ops::response_times::{Histograms, at_quantile, difference, read};
use crate::shutdown::Tasks;
use serde::Serialize;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::watch;
use tokio::time::{MissedTickBehavior, interval};

/// How often it is measured.
const BEAT: Duration = Duration::from_secs(1);
/// Over how many beats a number is taken: long enough to hold still, short enough to follow a slider.
const WINDOW: usize = 4;
/// How many samples are kept for a page that is opened later.
const KEPT: usize = 180;

/// One moment of the main graph; a number is missing where nothing was delivered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Sample {
    at: Timestamp,
    /// From `/metrics`.
    server_p50_ms: Option<f64>,
    server_p99_ms: Option<f64>,
    /// From the wire: the delay of a fault included.
    telegram_p50_ms: Option<f64>,
    telegram_p99_ms: Option<f64>,
    /// Deliveries answered.
    per_second: f64,
}

/// The samples so far.
#[derive(Debug, Default)]
pub(super) struct Measured {
    history: Mutex<VecDeque<Sample>>,
    last: watch::Sender<Sample>,
}

impl Measured {
    pub(super) fn history(&self) -> Vec<Sample> {
        self.lock().iter().copied().collect()
    }

    pub(super) fn watch(&self) -> watch::Receiver<Sample> {
        self.last.subscribe()
    }

    fn add(&self, sample: Sample) {
        let mut history = self.lock();
        if history.len() == KEPT {
            history.pop_front();
        }
        history.push_back(sample);
        drop(history);
        self.last.send_replace(sample);
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Sample>> {
        self.history.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Measures in `tasks`.
pub(super) fn start(page: &Page, tasks: &Tasks) {
    let (page, group) = (page.clone(), tasks.clone());
    tasks.spawn(async move {
        let mut rows = page.0.wire.watch();
        let mut beat = interval(BEAT);
        beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let Ok(client) = reqwest::Client::builder().no_proxy().timeout(BEAT * 2).build() else { return };
        let url = format!("http://{}/metrics", page.0.addresses.ops);
        let mut server: VecDeque<Histograms> = VecDeque::new();
        let mut telegram: VecDeque<Vec<f64>> = VecDeque::from([Vec::new()]);
        loop {
            tokio::select! {
                () = group.stopping() => return,
                row = rows.recv() => match row {
                    Ok(row) => if let (Some(ms), Some(now)) = (answered(&row), telegram.back_mut()) { now.push(ms) },
                    // The rest says enough of how long answers take.
                    Err(RecvError::Lagged(_)) => {}
                    Err(RecvError::Closed) => return,
                },
                _ = beat.tick() => {
                    if let Some(histograms) = scrape(&client, &url).await {
                        keep(&mut server, histograms);
                    }
                    page.0.measured.add(sample(&page.0.bot_name, &server, &telegram));
                    keep(&mut telegram, Vec::new());
                }
            }
        }
    });
}

fn keep<T>(window: &mut VecDeque<T>, newest: T) {
    window.push_back(newest);
    while window.len() > WINDOW {
        window.pop_front();
    }
}

/// How long Telegram waited for the answer, once there is one.
fn answered(row: &Arc<Row>) -> Option<f64> {
    match &row.entry {
        Entry::Delivery(delivery) if delivery.status.is_some() => Some(row.took?.real.as_secs_f64() * 1000.0),
        _ => None,
    }
}

async fn scrape(client: &reqwest::Client, url: &str) -> Option<Histograms> {
    let page = client.get(url).send().await.ok()?.text().await.ok()?;
    Some(read(&page))
}

fn sample(bot: &str, server: &VecDeque<Histograms>, telegram: &VecDeque<Vec<f64>>) -> Sample {
    let of = |at: Option<&Histograms>| at.and_then(|all| all.get(bot)).cloned();
    let window = difference(of(server.back()).as_ref(), of(server.front()).as_ref());
    let mut seen: Vec<f64> = telegram.iter().flatten().copied().collect();
    seen.sort_by(f64::total_cmp);
    let rank = |quantile: f64| {
        let place = (seen.len() as f64 * quantile) as usize;
        seen.get(place.min(seen.len().saturating_sub(1))).copied()
    };
    Sample {
        at: clock::now(),
        server_p50_ms: at_quantile(&window, 0.5).map(|seconds| seconds * 1000.0),
        server_p99_ms: at_quantile(&window, 0.99).map(|seconds| seconds * 1000.0),
        telegram_p50_ms: rank(0.5),
        telegram_p99_ms: rank(0.99),
        per_second: seen.len() as f64 / (telegram.len() as f64 * BEAT.as_secs_f64()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_without_deliveries_has_no_times() {
        let empty = sample("sandbox", &VecDeque::new(), &VecDeque::from([Vec::new()]));
        assert_eq!((empty.server_p50_ms, empty.telegram_p50_ms, empty.per_second), (None, None, 0.0));
    }

    #[test]
    fn telegrams_quantiles_are_of_the_whole_window() {
        let telegram = VecDeque::from([vec![1.0, 2.0], vec![3.0, 100.0]]);
        let measured = sample("sandbox", &VecDeque::new(), &telegram);
        assert_eq!(
            (measured.telegram_p50_ms, measured.telegram_p99_ms, measured.per_second),
            (Some(3.0), Some(100.0), 2.0)
        );
    }
}
