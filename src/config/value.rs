//! Pure: no I/O, no clock. What one written value means, or why it means nothing.
//! Never repeats a value that may hold a password.

use super::raw::Value;
use super::{Address, TrustedProxies};
use crate::secret::Secret;
use crate::storage::{Lane, StorageUrl};
use ipnet::IpNet;
use std::collections::BTreeSet;
use std::net::{IpAddr, SocketAddr};
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;
use url::Url;

/// Shortest token of a worker. Sixteen hexadecimal digits are 64 bits of chance.
const TOKEN_MIN_BYTES: usize = 16;

/// Why a value is not accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Complaint {
    /// What is wrong.
    pub message: String,
    /// What would be accepted.
    pub help: Option<String>,
}

fn complain<T>(message: impl Into<String>, help: impl Into<String>) -> Result<T, Complaint> {
    Err(Complaint { message: message.into(), help: Some(help.into()) })
}

/// A text.
pub(super) fn text(value: &Value) -> Result<&str, Complaint> {
    match value {
        Value::Text(text) => Ok(text),
        Value::Integer(_) => complain("a number where a text belongs", "write it in quotes"),
        Value::Boolean(_) => complain("a boolean where a text belongs", "write it in quotes"),
        Value::List(_) => complain("a list where one text belongs", "write one text"),
        Value::Other(kind) => complain(format!("{kind} where a text belongs"), "write it in quotes"),
    }
}

/// The members of a list.
pub(super) fn list(value: &Value) -> Result<Vec<&str>, Complaint> {
    match value {
        Value::List(members) => Ok(members.iter().map(|member| member.trim()).collect()),
        Value::Text(text) => Ok(text.split(',').map(str::trim).filter(|member| !member.is_empty()).collect()),
        Value::Integer(_) | Value::Boolean(_) | Value::Other(_) => {
            complain("not a list of texts", "write [\"…\", \"…\"]")
        }
    }
}

/// True or false.
pub(super) fn boolean(value: &Value) -> Result<bool, Complaint> {
    match value {
        Value::Boolean(value) => Ok(*value),
        _ => complain("neither true nor false", "true or false, without quotes"),
    }
}

/// A whole number.
pub(super) fn whole(value: &Value, range: RangeInclusive<usize>) -> Result<usize, Complaint> {
    let written = match value {
        Value::Text(text) | Value::Integer(text) => text.trim(),
        Value::Boolean(_) | Value::List(_) | Value::Other(_) => "",
    };
    match written.parse() {
        Ok(number) if range.contains(&number) => Ok(number),
        _ => complain("not a whole number in range", format!("{} to {}", range.start(), range.end())),
    }
}

/// A time with its unit.
pub(super) fn duration(value: &Value, range: RangeInclusive<Duration>) -> Result<Duration, Complaint> {
    let allowed = || {
        let [least, most] = [range.start(), range.end()].map(|end| humantime::format_duration(*end));
        format!("a text such as \"5s\" or \"250ms\", {least} to {most}")
    };
    let written = match value {
        Value::Text(text) => text.trim(),
        Value::Integer(_) => return complain("a time without a unit", allowed()),
        Value::Boolean(_) | Value::List(_) | Value::Other(_) => return complain("not a time", allowed()),
    };
    match humantime::parse_duration(written) {
        Ok(duration) if range.contains(&duration) => Ok(duration),
        Ok(_) => complain(format!("{written} is out of range"), allowed()),
        Err(_) => complain("not a time", allowed()),
    }
}

/// A token that a client shows in a header (RFC 6750, `b64token`).
pub(super) fn bearer_token(text: &str) -> Result<Secret, Complaint> {
    const HELP: &str = "`openssl rand -hex 24` makes a good one";
    if text.len() < TOKEN_MIN_BYTES {
        return complain(format!("a token of less than {TOKEN_MIN_BYTES} characters can be guessed"), HELP);
    }
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~+/=".contains(&byte);
    if !text.bytes().all(fits) {
        return complain("a token has only letters, digits and - . _ ~ + / =", HELP);
    }
    Ok(Secret::new(text))
}

/// Lanes of workers.
pub(super) fn lanes(members: &[&str]) -> Result<BTreeSet<Lane>, Complaint> {
    let known = |name: &str| Lane::OF_WORKERS.into_iter().find(|lane| lane.name() == name);
    let names = Lane::OF_WORKERS.map(Lane::name);
    if members.is_empty() {
        return complain("no lane is left for the worker", format!("there is {}", names.join(", ")));
    }
    let unknown = |name: &str| Complaint {
        message: format!("there is no lane `{name}` for workers"),
        help: Some(crate::problem::advice(name, names)),
    };
    members.iter().map(|name| known(name).ok_or_else(|| unknown(name))).collect()
}

/// Networks; an address alone is a network of one.
pub(super) fn networks(members: &[&str]) -> Result<Vec<IpNet>, Complaint> {
    members.iter().map(|member| network(member)).collect()
}

fn network(member: &str) -> Result<IpNet, Complaint> {
    let parsed = member.parse::<IpNet>().ok().or_else(|| member.parse::<IpAddr>().ok().map(IpNet::from));
    match parsed {
        Some(network) if network.trunc() == network => Ok(network),
        Some(network) => complain(
            format!("`{member}` has bits set behind its prefix"),
            format!("the network is `{}`", network.trunc()),
        ),
        None => complain(format!("`{member}` is not a network"), "such as 149.154.160.0/20, or one address"),
    }
}

/// Proxies: networks and the word `unix`.
pub(super) fn proxies(members: &[&str]) -> Result<TrustedProxies, Complaint> {
    let networks_only: Vec<&str> = members.iter().copied().filter(|member| *member != "unix").collect();
    let unix = networks_only.len() < members.len();
    Ok(TrustedProxies { networks: networks(&networks_only)?, unix })
}

/// A TCP address.
pub(super) fn socket_address(text: &str) -> Result<SocketAddr, Complaint> {
    match text.trim().parse() {
        Ok(address) => Ok(address),
        Err(_) => complain(format!("`{text}` is not an address with a port"), "such as 127.0.0.1:9180 or [::1]:9180"),
    }
}

/// The base of Bot API calls.
pub(super) fn api_url(text: &str) -> Result<Url, Complaint> {
    const HELP: &str = "such as https://api.telegram.org or http://127.0.0.1:8081";
    match Url::parse(text.trim()) {
        Ok(url) if !matches!(url.scheme(), "http" | "https") => complain("neither http:// nor https://", HELP),
        Ok(url) if url.query().is_some() || url.fragment().is_some() => {
            complain("a Bot API URL has neither query nor fragment", HELP)
        }
        Ok(url) if !url.username().is_empty() || url.password().is_some() => {
            complain("a Bot API URL has no user and no password; a bot's token is its key", HELP)
        }
        Ok(url) => Ok(url),
        Err(error) => complain(format!("not a URL: {error}"), HELP),
    }
}

/// A Redis URL.
pub(super) fn redis_url(text: &str) -> Result<Secret, Complaint> {
    const HELP: &str = "such as redis://127.0.0.1:6379/0 or rediss://…";
    match Url::parse(text.trim()) {
        Ok(url) if matches!(url.scheme(), "redis" | "rediss") && url.has_host() => Ok(Secret::new(text.trim())),
        Ok(_) => complain("not a Redis URL", HELP),
        Err(error) => complain(format!("not a Redis URL: {error}"), HELP),
    }
}

impl FromStr for Address {
    type Err = Complaint;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.trim().strip_prefix("unix:") {
            Some("") => complain("a unix socket without a path", "such as unix:/run/tapgate/tapgate.sock"),
            Some(path) => Ok(Self::Unix(PathBuf::from(path))),
            None => match text.trim().parse() {
                Ok(address) => Ok(Self::Tcp(address)),
                Err(_) => complain(
                    format!("`{text}` is not an address with a port"),
                    "such as 127.0.0.1:8080, [::1]:8080 or unix:/run/tapgate/tapgate.sock",
                ),
            },
        }
    }
}

impl FromStr for StorageUrl {
    type Err = Complaint;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const HELP: &str = "sqlite://FILE, sqlite:///absolute/FILE or postgres://user:password@host:5432/database";
        let text = text.trim();
        if let Some(path) = text.strip_prefix("sqlite:") {
            return match path.strip_prefix("//") {
                None | Some("") | Some(":memory:") => complain("an SQLite URL without a file", HELP),
                Some(path) if path.contains(['?', '#', '%']) => {
                    complain("an SQLite URL takes nothing but a path", HELP)
                }
                Some(path) => Ok(Self::Sqlite(PathBuf::from(path))),
            };
        }
        if !text.starts_with("postgres://") && !text.starts_with("postgresql://") {
            return complain("neither an SQLite nor a PostgreSQL URL", HELP);
        }
        match Url::parse(text) {
            Ok(_) => Ok(Self::Postgres(Secret::new(text))),
            Err(error) => complain(format!("not a PostgreSQL URL: {error}"), HELP),
        }
    }
}
