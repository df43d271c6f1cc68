//! Every metric: its name, unit, labels and buckets, and the one function that records it.
//! Never a label whose values come from users; the raw macros of `metrics` are banned outside this file.
#![expect(clippy::disallowed_macros, reason = "the one file that may use them")]

use crate::clock::Timestamp;
use crate::storage::Lane;
use crate::telegram::update::Kind;
use metrics::{counter, gauge, histogram};
use metrics_exporter_prometheus::{BuildError, Matcher, PrometheusBuilder, PrometheusHandle};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// How a metric is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// Only grows.
    Counter,
    /// Goes up and down.
    Gauge,
    /// Counts by size.
    Histogram,
}

/// What the README's table says of a metric.
#[derive(Clone, Copy, Debug)]
pub struct Metric {
    /// Its name, the unit last.
    pub name: &'static str,
    /// How it is counted.
    pub kind: Type,
    /// Its labels.
    pub labels: &'static [&'static str],
    /// What it says.
    pub help: &'static str,
}

macro_rules! metrics_table {
    ($($constant:ident = $name:literal, $kind:ident, [$($label:literal),*], $help:literal;)*) => {
        $(const $constant: &str = $name;)*

        /// All metrics, in the order of the README's table.
        pub const METRICS: &[Metric] = &[
            $(Metric { name: $name, kind: Type::$kind, labels: &[$($label),*], help: $help },)*
        ];
    };
}

metrics_table! {
    WEBHOOK_DURATION = "tapgate_webhook_duration_seconds", Histogram, ["bot", "kind", "outcome"], "Time from a request's head to its answer: the main graph";
    WEBHOOK_REQUESTS = "tapgate_webhook_requests_total", Counter, ["bot", "outcome", "reason"], "Requests to the webhook by how they ended";
    WEBHOOK_IN_FLIGHT = "tapgate_webhook_in_flight", Gauge, [], "Updates that hold a place of the admission gate";
    STAGE_DURATION = "tapgate_stage_duration_seconds", Histogram, ["stage"], "Time of each stage of an update's path";
    BATCH_SIZE = "tapgate_batch_size", Histogram, ["stage"], "Members of a gathered batch";
    DELIVERY_LAG = "tapgate_delivery_lag_seconds", Histogram, [], "Age of a message when it arrives (whole seconds: Telegram's date)";
    COMMITS = "tapgate_commits_total", Counter, ["outcome"], "Commits by outcome";
    CLAIMS = "tapgate_claims_total", Counter, ["result"], "Claims in Redis by what they found";
    NOTES = "tapgate_notes_total", Counter, ["note"], "Rare things in updates";
    PAYMENTS = "tapgate_payments_total", Counter, ["result"], "Payments in Stars by what became of them";
    DEAD_UPDATES = "tapgate_dead_updates_total", Counter, ["reason"], "Updates that went to the dead letters";
    JOBS = "tapgate_jobs", Gauge, ["lane"], "Jobs in a lane, leased ones included";
    JOBS_OLDEST = "tapgate_jobs_oldest_age_seconds", Gauge, ["lane"], "Age of the oldest job of a lane";
    WORK = "tapgate_worker_jobs_total", Counter, ["lane", "worker", "outcome"], "Jobs of workers: leased, completed, retried, failed, exhausted, lost";
    LANE_WAIT = "tapgate_lane_wait_seconds", Histogram, ["lane"], "Time from the queueing of a worker's job to its first lease";
    LANE_DURATION = "tapgate_lane_duration_seconds", Histogram, ["lane"], "Time from the queueing of a worker's job to its end";
    OUTBOUND_CALLS = "tapgate_outbound_calls_total", Counter, ["method", "result"], "Bot API calls by result";
    OUTBOUND_DURATION = "tapgate_outbound_duration_seconds", Histogram, ["method"], "Time of a Bot API call";
    OUTBOUND_DELAY = "tapgate_outbound_delay_seconds", Histogram, [], "Time from a lease to its settle";
    OUTBOUND_UNCERTAIN = "tapgate_outbound_uncertain_total", Counter, [], "Sends of which no answer came: the message may be there";
    RATE_LIMIT_WAIT = "tapgate_rate_limit_wait_seconds", Histogram, [], "Waits that Telegram asked for (429)";
    TOKEN_REFUSED = "tapgate_token_refused", Gauge, ["bot"], "1 while Telegram does not take the bot's token: its messages wait";
    DEGRADED = "tapgate_degraded", Gauge, ["dependency"], "1 while a dependency is gone around";
    WEBHOOK_PENDING = "tapgate_webhook_pending_updates", Gauge, ["bot"], "Updates that wait at Telegram (getWebhookInfo, polled where configured)";
    WEBHOOK_LAST_ERROR = "tapgate_webhook_last_error_timestamp_seconds", Gauge, ["bot"], "When a delivery failed last, as Telegram saw it (polled where configured)";
    WEBHOOK_DRIFT = "tapgate_webhook_drift", Gauge, ["bot"], "1 while Telegram has another webhook than we want (polled where configured)";
    MAX_CONNECTIONS = "tapgate_webhook_max_connections", Gauge, ["bot"], "Requests that Telegram may post at once";
    CAPACITY = "tapgate_capacity_updates_per_second", Gauge, ["bot", "quantile"], "max_connections divided by the response time";
    FLOW_VERSION = "tapgate_flow_version", Gauge, ["flow"], "Version of the flow that runs, a number that follows from its texts: the same on every server, or one of them is behind; 0: it is gone";
    FLOW_LOADED = "tapgate_flow_loaded_timestamp_seconds", Gauge, ["flow"], "Since when this version runs in this process";
    FLOW_RELOADS = "tapgate_flow_reloads_total", Counter, ["result"], "Readings of the flows while running: taken, unchanged, refused";
    FLOWS_REFUSED = "tapgate_flows_refused", Gauge, [], "1 while the flows on the disk are broken, so that older ones go on";
    BUILD_INFO = "tapgate_build_info", Gauge, ["version"], "Always 1";
}

/// Buckets of durations inside a request, in seconds: 0.25 ms to 60 s, at which Telegram gives up.
pub const DURATION_BUCKETS: &[f64] =
    &[0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0];
/// Buckets of lags, in seconds: up to the day that Telegram keeps an update.
const LAG_BUCKETS: &[f64] = &[1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 300.0, 1800.0, 7200.0, 28_800.0, 86_400.0];
/// Buckets of batch sizes.
const SIZE_BUCKETS: &[f64] = &[1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0];

/// Why updates are given up.
pub const DEAD_REASONS: [&str; 7] = ["panic", "data", "corrupt", "not_utf8", "not_json", "no_update_id", "undecodable"];

/// How a request to the webhook ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Its commit was applied.
    Applied,
    /// It was done before; its recorded answer was given.
    Replayed,
    /// It changes nothing.
    Unchanged,
    /// It cannot be handled and went to the dead letters; 200.
    Dead,
    /// It was refused before its body was read.
    Refused(Refusal),
    /// A gate was full; 503.
    Shed,
    /// It failed and is to be sent again; 503.
    Failed,
    /// Its bot is paused; 503.
    Paused,
}

/// Why a request was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// 403: not from Telegram's subnets.
    Subnet,
    /// 401: no such bot, or not its secret.
    Secret,
    /// 404: no such path or method.
    Path,
    /// 413: the body is too large.
    Size,
}

impl Outcome {
    /// Its label.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Applied => "applied",
            Self::Replayed => "replayed",
            Self::Unchanged => "unchanged",
            Self::Dead => "dead",
            Self::Refused(_) => "refused",
            Self::Shed => "shed",
            Self::Failed => "failed",
            Self::Paused => "paused",
        }
    }

    const fn reason(self) -> &'static str {
        match self {
            Self::Refused(Refusal::Subnet) => "subnet",
            Self::Refused(Refusal::Secret) => "secret",
            Self::Refused(Refusal::Path) => "path",
            Self::Refused(Refusal::Size) => "size",
            _ => "",
        }
    }
}

/// A stage of an update's path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The claim in Redis.
    Claim,
    /// The read of the chat.
    Load,
    /// The decision.
    Decide,
    /// The write.
    Commit,
    /// The end of a sender's lease.
    Settle,
}

impl Stage {
    const fn name(self) -> &'static str {
        match self {
            Self::Claim => "claim",
            Self::Load => "load",
            Self::Decide => "decide",
            Self::Commit => "commit",
            Self::Settle => "settle",
        }
    }
}

/// A dependency that can be gone around for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dependency {
    /// The dedup gate.
    Redis,
    /// The list of bots, kept from the last good reading.
    Bots,
}

impl Dependency {
    /// Its label.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Redis => "redis",
            Self::Bots => "bots",
        }
    }
}

/// What came of reading the flows while running.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reload {
    /// New versions run.
    Taken,
    /// They are as before.
    Unchanged,
    /// They are broken; the old ones go on.
    Refused,
}

impl Reload {
    const fn name(self) -> &'static str {
        match self {
            Self::Taken => "taken",
            Self::Unchanged => "unchanged",
            Self::Refused => "refused",
        }
    }
}

/// The recorder of this process, installed with the first call: servers that share a process share it.
///
/// # Errors
/// If somebody else installed one.
pub fn install() -> Result<PrometheusHandle, BuildError> {
    static INSTALLED: Mutex<Option<PrometheusHandle>> = Mutex::new(None);
    let mut installed = INSTALLED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(handle) = &*installed {
        return Ok(handle.clone());
    }
    let handle = install_first()?;
    *installed = Some(handle.clone());
    Ok(handle)
}

fn install_first() -> Result<PrometheusHandle, BuildError> {
    let mut builder = PrometheusBuilder::new();
    for metric in METRICS.iter().filter(|metric| metric.kind == Type::Histogram) {
        let buckets = match metric.name {
            BATCH_SIZE => SIZE_BUCKETS,
            DELIVERY_LAG | RATE_LIMIT_WAIT | LANE_WAIT | LANE_DURATION => LAG_BUCKETS,
            _ => DURATION_BUCKETS,
        };
        builder = builder.set_buckets_for_metric(Matcher::Full(metric.name.to_owned()), buckets)?;
    }
    let handle = builder.install_recorder()?;
    for metric in METRICS {
        match metric.kind {
            Type::Counter => metrics::describe_counter!(metric.name, metric.help),
            Type::Gauge => metrics::describe_gauge!(metric.name, metric.help),
            Type::Histogram => metrics::describe_histogram!(metric.name, metric.help),
        }
    }
    // Whoever watches for an increase has to see the zero before it.
    for reason in DEAD_REASONS {
        counter!(DEAD_UPDATES, "reason" => reason).increment(0);
    }
    counter!(NOTES, "note" => MARKUP_REFUSED).increment(0);
    for result in PAYMENT_RESULTS {
        counter!(PAYMENTS, "result" => result).increment(0);
    }
    gauge!(BUILD_INFO, "version" => env!("CARGO_PKG_VERSION")).set(1.0);
    gauge!(FLOWS_REFUSED).set(0.0);
    Ok(handle)
}

/// A request to the webhook ended. `bot` is a label from a closed set, see [`crate::roster`].
pub fn webhook_answered(bot: &str, kind: Kind, outcome: Outcome, took: Duration) {
    counter!(WEBHOOK_REQUESTS, "bot" => bot.to_owned(), "outcome" => outcome.name(), "reason" => outcome.reason())
        .increment(1);
    histogram!(WEBHOOK_DURATION, "bot" => bot.to_owned(), "kind" => kind.name(), "outcome" => outcome.name())
        .record(took);
}

/// One update more (or less) holds a place of the admission gate.
pub fn in_flight(change: f64) {
    gauge!(WEBHOOK_IN_FLIGHT).increment(change);
}

/// A stage of an update's path took that long.
pub fn stage(stage: Stage, took: Duration) {
    histogram!(STAGE_DURATION, "stage" => stage.name()).record(took);
}

/// A batch of that many members went out.
pub fn batch(stage: Stage, members: usize) {
    histogram!(BATCH_SIZE, "stage" => stage.name()).record(members as f64);
}

/// A message arrived that long after its date.
pub fn delivery_lag(lag: Duration) {
    histogram!(DELIVERY_LAG).record(lag);
}

/// A commit ended as `applied`, `duplicate`, `stale` or `failed`.
pub fn commit(outcome: &'static str) {
    counter!(COMMITS, "outcome" => outcome).increment(1);
}

/// A member of a batch met a locked row and is tried again. Of commits these are counted, as `busy`.
pub fn busy(stage: Stage) {
    if stage == Stage::Commit {
        commit("busy");
    }
}

/// A claim found `nothing`, a `claim` without an answer, a recorded `answer`, or Redis `unavailable`.
pub fn claim(result: &'static str) {
    counter!(CLAIMS, "result" => result).increment(1);
}

/// Telegram refused the markup of a screen, which went without it: the author has to mend a text.
pub const MARKUP_REFUSED: &str = "markup_refused";

/// Something rare about an update: `unknown_command`, `old_button`, `suspended`, `not_private`, `payment_unassigned`,
/// `refund_unknown`; or in what Telegram says of a chat: `migrated`.
pub fn note(note: &'static str) {
    counter!(NOTES, "note" => note).increment(1);
}

/// What can become of a payment: given for, recorded only, given back.
pub const PAYMENT_RESULTS: [&str; 3] = ["credited", "unassigned", "refunded"];

/// A payment was recorded, with one of [`PAYMENT_RESULTS`].
pub fn payment(result: &'static str) {
    debug_assert!(PAYMENT_RESULTS.contains(&result), "{result} is not among PAYMENT_RESULTS");
    counter!(PAYMENTS, "result" => result).increment(1);
}

/// An update went to the dead letters, for one of [`DEAD_REASONS`].
pub fn dead_update(reason: &'static str) {
    debug_assert!(DEAD_REASONS.contains(&reason), "{reason} is not among DEAD_REASONS");
    counter!(DEAD_UPDATES, "reason" => reason).increment(1);
}

/// How a lane stands.
pub fn lane(lane: Lane, depth: u64, oldest: Duration) {
    gauge!(JOBS, "lane" => lane.name()).set(depth as f64);
    gauge!(JOBS_OLDEST, "lane" => lane.name()).set(oldest.as_secs_f64());
}

/// What became of a worker's job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkOutcome {
    /// A worker took it.
    Leased,
    /// It has ended with a result.
    Completed,
    /// It failed and waits for another attempt.
    Retried,
    /// It has ended without a result.
    Failed,
    /// It has ended because all attempts ended without a word.
    Exhausted,
    /// A worker did something with it that it did not hold any more.
    Lost,
}

impl WorkOutcome {
    const fn name(self) -> &'static str {
        match self {
            Self::Leased => "leased",
            Self::Completed => "completed",
            Self::Retried => "retried",
            Self::Failed => "failed",
            Self::Exhausted => "exhausted",
            Self::Lost => "lost",
        }
    }
}

/// Something became of a worker's job. `worker` is a name of the settings; empty: nobody's.
pub fn work(lane: Lane, worker: &str, outcome: WorkOutcome) {
    counter!(WORK, "lane" => lane.name(), "worker" => worker.to_owned(), "outcome" => outcome.name()).increment(1);
}

/// A job of that lane was taken for the first time so long after it was queued.
pub fn lane_wait(lane: Lane, waited: Duration) {
    histogram!(LANE_WAIT, "lane" => lane.name()).record(waited);
}

/// A job of that lane has ended so long after it was queued.
pub fn lane_duration(lane: Lane, took: Duration) {
    histogram!(LANE_DURATION, "lane" => lane.name()).record(took);
}

/// A Bot API call ended; `result` is `ok`, `not_modified`, `refused`, `rate_limited`, `failed` or `timeout`.
pub fn outbound_call(method: &'static str, result: &'static str, took: Duration) {
    counter!(OUTBOUND_CALLS, "method" => method, "result" => result).increment(1);
    histogram!(OUTBOUND_DURATION, "method" => method).record(took);
}

/// An outbound job was settled that long after it was leased.
pub fn outbound_settled(took: Duration) {
    histogram!(OUTBOUND_DELAY).record(took);
}

/// A send got no answer: the message may be there.
pub fn outbound_uncertain() {
    counter!(OUTBOUND_UNCERTAIN).increment(1);
}

/// Telegram asked for a wait.
pub fn rate_limit_wait(wait: Duration) {
    histogram!(RATE_LIMIT_WAIT).record(wait);
}

/// Telegram does not take a bot's token, or does again.
pub fn token_refused(bot: &str, refused: bool) {
    gauge!(TOKEN_REFUSED, "bot" => bot.to_owned()).set(if refused { 1.0 } else { 0.0 });
}

/// A dependency is gone around, or no longer.
pub fn degraded(dependency: Dependency, degraded: bool) {
    gauge!(DEGRADED, "dependency" => dependency.name()).set(if degraded { 1.0 } else { 0.0 });
}

/// What `getWebhookInfo` said of a bot; `drifted`: it is not what we want.
pub fn webhook_info(bot: &str, pending: u64, last_error_unix_seconds: i64, drifted: bool) {
    gauge!(WEBHOOK_DRIFT, "bot" => bot.to_owned()).set(if drifted { 1.0 } else { 0.0 });
    gauge!(WEBHOOK_PENDING, "bot" => bot.to_owned()).set(pending as f64);
    gauge!(WEBHOOK_LAST_ERROR, "bot" => bot.to_owned()).set(last_error_unix_seconds as f64);
}

/// A bot's `max_connections`, from which capacity follows.
pub fn max_connections(bot: &str, connections: u16) {
    gauge!(MAX_CONNECTIONS, "bot" => bot.to_owned()).set(f64::from(connections));
}

/// `max_connections ÷ response time` of a bot at a quantile (`0.5`, `0.99`).
pub fn capacity(bot: &str, quantile: &'static str, updates_per_second: f64) {
    gauge!(CAPACITY, "bot" => bot.to_owned(), "quantile" => quantile).set(updates_per_second);
}

/// That version of a flow runs from now on; 0: none does.
pub fn flow_loaded(flow: &str, version: u32, since: Timestamp) {
    gauge!(FLOW_VERSION, "flow" => flow.to_owned()).set(f64::from(version));
    gauge!(FLOW_LOADED, "flow" => flow.to_owned()).set(since.unix_millis() as f64 / 1000.0);
}

/// The flows were read while running.
pub fn flows_reloaded(reload: Reload) {
    counter!(FLOW_RELOADS, "result" => reload.name()).increment(1);
    gauge!(FLOWS_REFUSED).set(if reload == Reload::Refused { 1.0 } else { 0.0 });
}
