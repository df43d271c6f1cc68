//! Pure: no I/O, no clock. The values that hold and where each is from, for people: passwords are starred.

use super::key::{self, KEYS};
use super::origin::Origin;
use super::raw::{Setting, Settings, Value};
use serde::Serialize;
use url::Url;

/// One setting as it stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Effective {
    /// Its place in the file.
    pub key: String,
    /// As written, passwords starred; none where it has neither a value nor a default.
    pub value: Option<Shown>,
    /// Where the value is from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    /// The environment variable that sets it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variable: Option<&'static str>,
}

/// A value for people.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Shown {
    /// A text.
    Text(String),
    /// A number.
    Integer(u64),
    /// True or false.
    Boolean(bool),
    /// A list.
    List(Vec<String>),
}

pub(super) fn effective(settings: &Settings) -> Vec<Effective> {
    let of_other_workers = || settings.keys().filter(|path| KEYS.iter().all(|key| key.path != **path));
    KEYS.iter()
        .flat_map(|key| {
            // The workers stand together, each with all that is said of it.
            let others = (*key == key::WORKER_LANES).then(of_other_workers).into_iter().flatten();
            [one(settings, key.path, key.variable)].into_iter().chain(others.map(|path| one(settings, path, None)))
        })
        .collect()
}

fn one(settings: &Settings, path: &str, variable: Option<&'static str>) -> Effective {
    let setting = settings.get(path);
    Effective {
        key: path.to_owned(),
        value: setting.map(|Setting { value, .. }| match key::is_secret(path) {
            true => Shown::Text("***".to_owned()),
            false => shown(value),
        }),
        origin: setting.map(|Setting { origin, .. }| origin.clone()),
        variable,
    }
}

fn shown(value: &Value) -> Shown {
    match value {
        Value::Text(text) => Shown::Text(starred(text)),
        Value::Integer(text) => text.parse().map_or_else(|_| Shown::Text(text.clone()), Shown::Integer),
        Value::Boolean(value) => Shown::Boolean(*value),
        Value::List(members) => Shown::List(members.iter().map(|member| starred(member)).collect()),
        Value::Other(kind) => Shown::Text((*kind).to_owned()),
    }
}

/// `text`, and where it is a URL with a password (as `user:password@` or `password=`), `***` in the place of it.
pub fn starred(text: &str) -> String {
    // An SQLite path is no proper URL: `tapgate.db` would be read as its host.
    let Some(mut url) = Url::parse(text).ok().filter(|url| url.scheme() != "sqlite" && text.contains("://")) else {
        return text.to_owned();
    };
    let in_query = url.query_pairs().any(|(name, _)| is_secret(&name));
    if url.password().is_none() && !in_query {
        return text.to_owned();
    }
    if url.password().is_some() && url.set_password(Some("***")).is_err() {
        return "***".to_owned();
    }
    if in_query {
        let pairs: Vec<(String, String)> = url.query_pairs().into_owned().collect();
        url.query_pairs_mut()
            .clear()
            .extend_pairs(pairs.iter().map(|(name, value)| (name, if is_secret(name) { "***" } else { value })));
    }
    url.to_string()
}

fn is_secret(name: &str) -> bool {
    ["password", "pass", "sslpassword", "token"].contains(&name)
}
