//! Pure: no I/O, no clock. Which settings there are, and by which names a value reaches them.

/// One setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    /// Its place in the file: `key`, or `section.key`.
    pub path: &'static str,
    /// Its environment variable.
    pub variable: Option<&'static str>,
}

const fn key(path: &'static str) -> Key {
    Key { path, variable: None }
}

const fn named(path: &'static str, variable: &'static str) -> Key {
    Key { path, variable: Some(variable) }
}

/// `DATABASE_URL`.
pub(super) const DATABASE_URL: Key = named("database_url", "DATABASE_URL");
/// `REDIS_URL`.
pub(super) const REDIS_URL: Key = named("redis_url", "REDIS_URL");
/// `TAPGATE_LISTEN`.
pub(super) const LISTEN: Key = named("listen", "TAPGATE_LISTEN");
/// `TAPGATE_OPS_LISTEN`.
pub(super) const OPS_LISTEN: Key = named("ops_listen", "TAPGATE_OPS_LISTEN");
/// `TAPGATE_TELEGRAM_API_URL`.
pub(super) const TELEGRAM_API_URL: Key = named("telegram_api_url", "TAPGATE_TELEGRAM_API_URL");
/// `TAPGATE_TRUSTED_PROXIES`.
pub(super) const TRUSTED_PROXIES: Key = named("trusted_proxies", "TAPGATE_TRUSTED_PROXIES");
/// `TAPGATE_SUBNETS`.
pub(super) const SUBNETS: Key = named("subnets", "TAPGATE_SUBNETS");
/// `TAPGATE_FLOWS_DIR`.
pub(super) const FLOWS_DIR: Key = named("flows_dir", "TAPGATE_FLOWS_DIR");
/// `TAPGATE_LOG`.
pub(super) const LOG_FILTER: Key = named("log.filter", "TAPGATE_LOG");
/// `TAPGATE_LOG_FORMAT`.
pub(super) const LOG_FORMAT: Key = named("log.format", "TAPGATE_LOG_FORMAT");
/// Whether saved flows are read anew.
pub(super) const FLOWS_WATCH: Key = key("flows.watch");
/// Most updates in flight.
pub(super) const IN_FLIGHT_MAX: Key = key("webhook.in_flight_max");
/// For the handling of one update.
pub(super) const DEADLINE: Key = key("webhook.deadline");
/// What `Retry-After` says.
pub(super) const RETRY_AFTER: Key = key("webhook.retry_after");
/// Connections that load.
pub(super) const LOADERS: Key = key("gathering.loaders");
/// Connections that commit.
pub(super) const COMMITTERS: Key = key("gathering.committers");
/// Most members of a batch.
pub(super) const BATCH_MAX: Key = key("gathering.batch_max");
/// Most members that wait.
pub(super) const WAITING_MAX: Key = key("gathering.waiting_max");
/// Most Bot API calls at once.
pub(super) const CALLS_MAX: Key = key("sender.calls_max");
/// How long a lease holds.
pub(super) const LEASE: Key = key("sender.lease");
/// How often to look for jobs of others.
pub(super) const POLL_INTERVAL: Key = key("sender.poll_interval");
/// How long a call may take.
pub(super) const CALL_TIMEOUT: Key = key("sender.call_timeout");
/// How long a chat takes to read a message.
pub(super) const CHAT_INTERVAL: Key = key("sender.chat_interval");
/// How many messages a chat may get at once.
pub(super) const CHAT_BURST: Key = key("sender.chat_burst");
/// Most messages a second of one bot.
pub(super) const BOT_RATE_MAX: Key = key("sender.bot_rate_max");
/// How long a worker's lease holds.
pub(super) const WORK_LEASE: Key = key("lanes.lease");
/// How often a job is leased.
pub(super) const ATTEMPTS_MAX: Key = key("lanes.attempts_max");
/// Which turn is the ordinary lane's.
pub(super) const FLOOR: Key = key("lanes.floor");
/// `TAPGATE_WORKER_TOKEN`: that of the worker called `default`.
pub(super) const WORKER_TOKEN: Key = named("workers.default.token", "TAPGATE_WORKER_TOKEN");
/// The lanes of the same.
pub(super) const WORKER_LANES: Key = key("workers.default.lanes");
/// How often to ask `getWebhookInfo`.
pub(super) const WEBHOOK_INFO_INTERVAL: Key = key("ops.webhook_info_interval");

/// All settings, in the order of `config/default.toml`.
pub const KEYS: [Key; 31] = [
    DATABASE_URL,
    REDIS_URL,
    LISTEN,
    OPS_LISTEN,
    TELEGRAM_API_URL,
    TRUSTED_PROXIES,
    SUBNETS,
    FLOWS_DIR,
    FLOWS_WATCH,
    LOG_FILTER,
    LOG_FORMAT,
    IN_FLIGHT_MAX,
    DEADLINE,
    RETRY_AFTER,
    LOADERS,
    COMMITTERS,
    BATCH_MAX,
    WAITING_MAX,
    CALLS_MAX,
    LEASE,
    POLL_INTERVAL,
    CALL_TIMEOUT,
    CHAT_INTERVAL,
    CHAT_BURST,
    BOT_RATE_MAX,
    WORK_LEASE,
    ATTEMPTS_MAX,
    FLOOR,
    WORKER_TOKEN,
    WORKER_LANES,
    WEBHOOK_INFO_INTERVAL,
];

/// A setting of a worker by its place, `workers.NAME.token` or `workers.NAME.lanes`: the worker's name, and the setting
/// that it is of the worker called `default`.
pub(super) fn of_worker(path: &str) -> Option<(&str, Key)> {
    let (name, leaf) = path.strip_prefix(WORKERS)?.split_once('.')?;
    let same = format!("workers.default.{leaf}");
    [WORKER_TOKEN, WORKER_LANES].into_iter().find(|key| key.path == same).map(|key| (name, key))
}

/// Whether `path` is a section: it holds settings.
pub(super) fn is_section(path: &str) -> bool {
    let holds = |key: &Key| key.path.strip_prefix(path).is_some_and(|rest| rest.starts_with('.'));
    let is_worker = path.strip_prefix(WORKERS).is_some_and(|name| !name.contains('.'));
    is_worker || KEYS.iter().any(holds)
}

/// Whether the value of the setting at `path` is shown to nobody, whatever it is.
pub(super) fn is_secret(path: &str) -> bool {
    path.rsplit('.').next() == Some("token")
}

/// The setting that `path` was most likely meant to be: of the same name in another section, of a like name in the
/// same section, or of a like section.
pub(super) fn nearest(path: &str) -> Option<String> {
    if let Some((name, leaf)) = path.strip_prefix(WORKERS).and_then(|rest| rest.split_once('.')) {
        return crate::problem::nearest(leaf, ["token", "lanes"]).map(|near| format!("{WORKERS}{name}.{near}"));
    }
    nearest_of_all(path).map(str::to_owned)
}

fn nearest_of_all(path: &str) -> Option<&'static str> {
    let split = |path: &'static str| path.rsplit_once('.').unwrap_or(("", path));
    let (section, leaf) = path.rsplit_once('.').unwrap_or(("", path));
    let paths = || KEYS.iter().map(|key| key.path);
    let beside = || paths().filter(|known| split(known).0 == section);
    if let Some(misplaced) = paths().find(|known| split(known).1 == leaf) {
        return Some(misplaced);
    }
    if let Some(near) = crate::problem::nearest(leaf, beside().map(|known| split(known).1)) {
        return beside().find(|known| split(known).1 == near);
    }
    let outermost = if section.is_empty() { leaf } else { section.split('.').next().unwrap_or(section) };
    crate::problem::nearest(outermost, SECTIONS).filter(|near| *near != section)
}

const SECTIONS: [&str; 8] = ["flows", "log", "webhook", "gathering", "sender", "lanes", "workers", "ops"];

/// What the places of all settings of workers begin with.
const WORKERS: &str = "workers.";
