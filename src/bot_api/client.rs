//! One call: a request out, a verdict back. All calls of the process go through here, and are counted here.

use super::error::{Cause, Error, describe};
use crate::secret::Secret;
use crate::telegram::response::{Parameters, Response};
use crate::telemetry::metrics;
use reqwest::header::RETRY_AFTER;
use reqwest::multipart::{Form, Part};
use reqwest::redirect::Policy;
use reqwest::{RequestBuilder, StatusCode};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::time::Duration;
use tokio::time::Instant;
use url::Url;

/// For TCP and TLS; a call as a whole has its own limit.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Longest answer that is read. A message is some kilobytes.
const ANSWER_MAX_BYTES: usize = 4 << 20;
/// Longest wait that is believed.
const RETRY_AFTER_MAX: Duration = Duration::from_secs(86_400);

/// The Bot API, for any number of bots. Cheap to clone; all clones share the connections.
#[derive(Clone, Debug)]
pub struct Client {
    http: reqwest::Client,
    base: String,
}

/// Why there is no client.
#[derive(Debug, thiserror::Error)]
#[error("the HTTP client cannot be set up: install the system's CA certificates (package ca-certificates)")]
pub struct NoClient(#[source] reqwest::Error);

impl Client {
    /// A client for the Bot API at `base`, each call of which may take `call_timeout`.
    ///
    /// # Errors
    /// If the machine has no CA certificates to check Telegram's with.
    pub fn new(base: &Url, call_timeout: Duration) -> Result<Self, NoClient> {
        // Where the process has chosen a provider already, that one stays.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let http = reqwest::Client::builder()
            .http1_only()
            .connect_timeout(CONNECT_TIMEOUT)
            .timeout(call_timeout)
            // A redirect would carry the token to somebody else.
            .redirect(Policy::none())
            // A proxy would come from the environment, which is `main`'s alone; `telegram_api_url` names another server.
            .no_proxy()
            .referer(false)
            .build()
            .map_err(NoClient)?;
        Ok(Self { http, base: base.as_str().trim_end_matches('/').to_owned() })
    }

    /// Calls `method` with `params` as JSON.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn call<T: DeserializeOwned>(
        &self,
        bot_token: &Secret,
        method: &'static str,
        params: &impl Serialize,
    ) -> Result<T, Error> {
        self.send(bot_token, method, self.request(bot_token, method).json(params)).await
    }

    /// Calls `method` with `params` as a form, and one file under the name `field`.
    pub(super) async fn call_with_file<T: DeserializeOwned>(
        &self,
        bot_token: &Secret,
        method: &'static str,
        params: &impl Serialize,
        field: &'static str,
        file: Vec<u8>,
    ) -> Result<T, Error> {
        let mut form = Form::new().part(field, Part::bytes(file).file_name(field));
        // In a form, what is no text is written as its JSON (telegram-bot-api reads it so).
        if let Ok(Value::Object(params)) = serde_json::to_value(params) {
            for (name, value) in params {
                form = form.text(name, if let Value::String(text) = value { text } else { value.to_string() });
            }
        }
        self.send(bot_token, method, self.request(bot_token, method).multipart(form)).await
    }

    fn request(&self, bot_token: &Secret, method: &'static str) -> RequestBuilder {
        self.http.post(format!("{}/bot{}/{method}", self.base, bot_token.expose()))
    }

    async fn send<T: DeserializeOwned>(
        &self,
        bot_token: &Secret,
        method: &'static str,
        request: RequestBuilder,
    ) -> Result<T, Error> {
        let started = Instant::now();
        let result = match exchange(request).await {
            Ok(answer) => judge(&answer, bot_token),
            Err(error) => Err(unanswered(error)),
        };
        let label = result.as_ref().map_or_else(Error::label, |_| "ok");
        metrics::outbound_call(method, label, started.elapsed());
        result
    }
}

/// What came back.
struct Received {
    status: StatusCode,
    retry_after: Option<u64>,
    body: Vec<u8>,
}

async fn exchange(request: RequestBuilder) -> Result<Received, reqwest::Error> {
    let mut response = request.send().await?;
    let status = response.status();
    let retry_after = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse().ok());
    let mut body = Vec::new();
    // Read to its end, or the connection could not be used again.
    while let Some(chunk) = response.chunk().await? {
        if body.len() + chunk.len() > ANSWER_MAX_BYTES {
            body.clear();
            break;
        }
        body.extend_from_slice(&chunk);
    }
    Ok(Received { status, retry_after, body })
}

fn unanswered(error: reqwest::Error) -> Error {
    let error = error.without_url();
    match error {
        error if error.is_connect() || error.is_builder() => Error::Failed(Cause::Transport(error)),
        error if error.is_timeout() => Error::Uncertain(Cause::TimedOut),
        error => Error::Uncertain(Cause::Transport(error)),
    }
}

fn judge<T: DeserializeOwned>(received: &Received, bot_token: &Secret) -> Result<T, Error> {
    let status = received.status;
    let Ok(answer) = serde_json::from_slice::<Response<Value>>(&received.body) else {
        let unwell = Cause::Status(status.as_u16());
        return Err(if status.is_success() { Error::Uncertain(Cause::Unreadable) } else { Error::Failed(unwell) });
    };
    if answer.ok {
        let result = answer.result.and_then(|result| serde_json::from_value(result).ok());
        return result.ok_or(Error::Uncertain(Cause::Unreadable));
    }
    let description = describe(&answer.description.unwrap_or_default(), bot_token.expose());
    Err(match answer.error_code.unwrap_or(status.as_u16()) {
        401 | 404 => Error::Unauthorized,
        403 => Error::Forbidden { description },
        429 => Error::RateLimited { retry_after: retry_after(answer.parameters, received.retry_after) },
        code @ 400..=499 => Error::Refused { code, description },
        code => Error::Failed(Cause::Status(code)),
    })
}

/// What a 429 says, in its parameters or its header; a second where it says nothing.
fn retry_after(parameters: Option<Parameters>, header: Option<u64>) -> Duration {
    let seconds = parameters.and_then(|parameters| parameters.retry_after).or(header).unwrap_or(1);
    Duration::from_secs(seconds).clamp(Duration::from_secs(1), RETRY_AFTER_MAX)
}
