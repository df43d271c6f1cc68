//! Pure: no I/O, no clock. Unchecked values to one [`Config`], every problem on the way collected.

use super::key::{self, Key};
use super::raw::{Setting, Settings, Value};
use super::value::{self, Complaint};
use super::{Config, Flows, Lanes, Log, LogFormat, Ops, Sender, Webhook, worker};
use crate::problem::{Problem, Problems};
use crate::storage::{Gathering, StorageUrl};
use crate::telemetry::log;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);
/// Longest time one update may take. Telegram closes the connection after 60 s; what is nearer to that is lost to it.
const DEADLINE_MAX: Duration = Duration::from_millis(54_999);

/// Reads values, one after the other, and remembers what was wrong with them.
struct Reader<'a> {
    settings: &'a Settings,
    problems: &'a mut Problems,
}

impl Reader<'_> {
    /// The value of `key`; none if it has none, or a wrong one, which is then among the problems.
    fn optional<T>(&mut self, key: Key, read: impl FnOnce(&Value) -> Result<T, Complaint>) -> Option<T> {
        let Setting { value, origin } = self.settings.get(key.path)?;
        read(value)
            .map_err(|complaint| {
                let problem = origin.problem(format!("{}: {}", key.path, complaint.message));
                self.problems.push(Problem { help: complaint.help, ..problem });
            })
            .ok()
    }

    /// The value of `key`, which `default.toml` has; none only if something is among the problems.
    fn required<T>(&mut self, key: Key, read: impl FnOnce(&Value) -> Result<T, Complaint>) -> Option<T> {
        if !self.settings.contains_key(key.path) {
            self.problems.push(Problem::new("default.toml", format!("{} is missing", key.path)));
        }
        self.optional(key, read)
    }

    fn whole(&mut self, key: Key, range: RangeInclusive<usize>) -> Option<usize> {
        self.required(key, |value| value::whole(value, range))
    }

    fn duration(&mut self, key: Key, range: RangeInclusive<Duration>) -> Option<Duration> {
        self.required(key, |value| value::duration(value, range))
    }
}

/// The checked values; none if something is among the problems.
pub(super) fn check(settings: &Settings, problems: &mut Problems) -> Option<Config> {
    let mut reader = Reader { settings, problems };
    // Each is read before any is unwrapped, so that the problems of all are found.
    let database_url = reader.required(key::DATABASE_URL, |value| value::text(value)?.parse::<StorageUrl>());
    let redis_url = reader.optional(key::REDIS_URL, |value| value::redis_url(value::text(value)?));
    let listen = reader.required(key::LISTEN, |value| value::text(value)?.parse());
    let ops_listen = reader.required(key::OPS_LISTEN, |value| value::socket_address(value::text(value)?));
    let telegram_api_url = reader.required(key::TELEGRAM_API_URL, |value| value::api_url(value::text(value)?));
    let trusted_proxies = reader.required(key::TRUSTED_PROXIES, |value| value::proxies(&value::list(value)?));
    let subnets = reader.required(key::SUBNETS, subnets);
    let flows_dir = reader.optional(key::FLOWS_DIR, |value| value::text(value).map(PathBuf::from));
    let flows_watch = reader.required(key::FLOWS_WATCH, value::boolean);
    let log = log(&mut reader);
    let webhook = webhook(&mut reader);
    let gathering = gathering(&mut reader);
    let sender = sender(&mut reader);
    let lanes = lanes(&mut reader);
    let webhook_info_interval = reader.optional(key::WEBHOOK_INFO_INTERVAL, |value| {
        value::duration(value, 10 * SECOND..=Duration::from_secs(86_400))
    });
    let workers = worker::all(settings, problems);
    Some(Config {
        database_url: database_url?,
        redis_url,
        listen: listen?,
        ops_listen: ops_listen?,
        telegram_api_url: telegram_api_url?,
        trusted_proxies: trusted_proxies?,
        subnets: subnets?,
        flows_dir,
        flows: Flows { watch: flows_watch? },
        log: log?,
        webhook: webhook?,
        gathering: gathering?,
        sender: sender?,
        lanes: lanes?,
        workers,
        ops: Ops { webhook_info_interval },
    })
}

fn lanes(reader: &mut Reader<'_>) -> Option<Lanes> {
    let lease = reader.duration(key::WORK_LEASE, SECOND..=3600 * SECOND);
    let attempts_max = reader.whole(key::ATTEMPTS_MAX, 1..=100);
    let floor = reader.whole(key::FLOOR, 2..=1000);
    let narrow = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    Some(Lanes { lease: lease?, attempts_max: narrow(attempts_max?), floor: narrow(floor?) })
}

fn subnets(value: &Value) -> Result<Vec<ipnet::IpNet>, Complaint> {
    let subnets = value::networks(&value::list(value)?)?;
    if subnets.is_empty() {
        let message = "no network is left from which updates may come".to_owned();
        return Err(Complaint { message, help: Some("0.0.0.0/0 and ::/0 let everybody in".to_owned()) });
    }
    Ok(subnets)
}

fn log(reader: &mut Reader<'_>) -> Option<Log> {
    let filter = reader.required(key::LOG_FILTER, |value| {
        let text = value::text(value)?;
        log::parse_filter(text).map_err(|error| Complaint { message: error.to_string(), help: Some(error.help()) })?;
        Ok(text.to_owned())
    });
    let format = reader.required(key::LOG_FORMAT, |value| match value::text(value)? {
        "text" => Ok(LogFormat::Text),
        "json" => Ok(LogFormat::Json),
        other => {
            Err(Complaint { message: format!("`{other}` is no form of log"), help: Some("text or json".to_owned()) })
        }
    });
    Some(Log { filter: filter?, format: format? })
}

fn webhook(reader: &mut Reader<'_>) -> Option<Webhook> {
    let in_flight_max = reader.whole(key::IN_FLIGHT_MAX, 4..=65_536);
    let deadline = reader.required(key::DEADLINE, |value| {
        let help = "such as \"5s\", less than 55s: Telegram gives up after 60 s and sends the update again".to_owned();
        value::duration(value, Duration::from_millis(1)..=DEADLINE_MAX)
            .map_err(|complaint| Complaint { help: Some(help), ..complaint })
    });
    let retry_after = reader.required(key::RETRY_AFTER, |value| {
        let wait = value::duration(value, SECOND..=3600 * SECOND)?;
        let message = "not in whole seconds, which is all that Retry-After can say".to_owned();
        (wait.subsec_nanos() == 0).then_some(wait).ok_or(Complaint { message, help: Some("1s to 1h".to_owned()) })
    });
    Some(Webhook { in_flight_max: in_flight_max?, deadline: deadline?, retry_after: retry_after? })
}

fn gathering(reader: &mut Reader<'_>) -> Option<Gathering> {
    let loaders = reader.whole(key::LOADERS, 1..=64);
    let committers = reader.whole(key::COMMITTERS, 1..=64);
    let batch_max = reader.whole(key::BATCH_MAX, 1..=1024);
    let waiting_max = reader.whole(key::WAITING_MAX, 1..=1_048_576);
    Some(Gathering { loaders: loaders?, committers: committers?, batch_max: batch_max?, waiting_max: waiting_max? })
}

fn sender(reader: &mut Reader<'_>) -> Option<Sender> {
    let calls_max = reader.whole(key::CALLS_MAX, 1..=1024);
    let lease = reader.duration(key::LEASE, SECOND..=600 * SECOND);
    let poll_interval = reader.duration(key::POLL_INTERVAL, Duration::from_millis(10)..=60 * SECOND);
    let call_timeout = reader.duration(key::CALL_TIMEOUT, SECOND..=60 * SECOND);
    let chat_interval = reader.duration(key::CHAT_INTERVAL, Duration::ZERO..=60 * SECOND);
    let chat_burst = reader.whole(key::CHAT_BURST, 1..=100);
    let bot_rate_max = reader.optional(key::BOT_RATE_MAX, |value| value::whole(value, 1..=10_000));
    Some(Sender {
        calls_max: calls_max?,
        lease: lease?,
        poll_interval: poll_interval?,
        call_timeout: call_timeout?,
        chat_interval: chat_interval?,
        chat_burst: chat_burst?,
        bot_rate_max,
    })
}
