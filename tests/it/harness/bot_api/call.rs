//! A call as it came over the wire, and what its parameters said.

use serde_json::{Map, Value};
use tokio::time::Instant;
use url::form_urlencoded;

/// One call of a Bot API method. The token is not in it, only the bot's id.
#[derive(Clone, Debug)]
pub struct Call {
    /// The number before the colon of the token.
    pub bot: String,
    /// As it was written.
    pub method: String,
    /// JSON as it came; of forms and multipart bodies each value is a string.
    pub params: Value,
    /// When its body was complete.
    pub at: Instant,
    /// Which TCP connection it came on, from 1.
    pub connection: usize,
}

impl Call {
    /// The chat it is about.
    pub fn chat(&self) -> Option<i64> {
        self.number("chat_id")
    }

    /// A text among its parameters, empty where there is none.
    pub fn text(&self, name: &str) -> &str {
        self.params[name].as_str().unwrap_or_default()
    }

    /// A number among its parameters, however it was written.
    pub fn number(&self, name: &str) -> Option<i64> {
        let value = &self.params[name];
        value.as_i64().or_else(|| value.as_str()?.parse().ok())
    }
}

/// `/bot<id>:<rest>/<method>` gives id and method.
pub(super) fn route(path: &str) -> Option<(String, String)> {
    let (token, method) = path.strip_prefix("/bot")?.split_once('/')?;
    let (bot, _) = token.split_once(':')?;
    Some((bot.to_owned(), method.to_owned()))
}

/// What the query and the body say together.
pub(super) fn params(query: Option<&str>, content_type: &str, body: &[u8]) -> Value {
    let mut params = Map::new();
    params.extend(form(query.unwrap_or_default().as_bytes()));
    if content_type.starts_with("application/json") {
        if let Ok(Value::Object(object)) = serde_json::from_slice(body) {
            params.extend(object);
        }
    } else if content_type.starts_with("application/x-www-form-urlencoded") {
        params.extend(form(body));
    } else if let Some((_, boundary)) = content_type.split_once("boundary=") {
        params.extend(multipart(boundary.trim_matches('"'), &String::from_utf8_lossy(body)));
    }
    Value::Object(params)
}

fn form(text: &[u8]) -> impl Iterator<Item = (String, Value)> {
    form_urlencoded::parse(text).map(|(name, value)| (name.into_owned(), Value::String(value.into_owned())))
}

fn multipart(boundary: &str, body: &str) -> Vec<(String, Value)> {
    body.split(&format!("--{boundary}"))
        .filter_map(|part| {
            let (head, content) = part.split_once("\r\n\r\n")?;
            let (_, name) = head.split_once(" name=\"")?;
            let (name, _) = name.split_once('"')?;
            let content = content.strip_suffix("\r\n").unwrap_or(content);
            Some((name.to_owned(), Value::String(content.to_owned())))
        })
        .collect()
}
