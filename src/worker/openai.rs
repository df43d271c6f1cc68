//! A worker that asks a language model: any server with an OpenAI-compatible `chat/completions`. It says what the model
//! says as it grows. Never logs anything of what is said, nor an error's text, which may quote it.
//! Source: <https://platform.openai.com/docs/api-reference/chat>.

use super::{Completion, Failure, Job, Kind, Progress, Role, Show, Worker};
use crate::secret::Secret;
use crate::telegram::text::{TEXT_MAX_CHARS, shorten};
use futures::StreamExt;
use reqwest::header::{CONTENT_TYPE, RETRY_AFTER};
use reqwest::{Response, StatusCode};
use serde::{Deserialize, Serialize};
use sse_stream::SseStream;
use std::borrow::Cow;
use std::time::Duration;
use tokio::time::sleep;
use tracing::warn;
use url::Url;

/// For TCP and TLS.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Longest silence: before the first word, and between two.
const SILENCE_MAX: Duration = Duration::from_secs(90);
/// Longest time for one answer as a whole.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(600);
/// How often a model is asked for one answer.
const TRIES_MAX: u32 = 4;
/// The first wait before it is asked again; each further one is twice as long.
const PAUSE: Duration = Duration::from_secs(1);
/// Longest wait that its `Retry-After` is believed.
const PAUSE_MAX: Duration = Duration::from_secs(30);
/// Most of an answer that is taken, in characters: ten messages.
const ANSWER_MAX_CHARS: usize = 10 * 4096;

/// The argument of a job by which a flow says what a model is to be told first.
pub const SYSTEM: &str = "system";

/// Which model is asked, and how.
#[derive(Clone, Debug)]
pub struct Settings {
    /// What stands before `/chat/completions`: `https://api.openai.com/v1`, `http://127.0.0.1:11434/v1`.
    pub url: Url,
    /// Its name there.
    pub model: String,
    /// By which the server knows who asks.
    pub key: Option<Secret>,
    /// What the model is told first; none: the job's argument [`SYSTEM`], if it has one. `{name}` is the job's argument or
    /// variable of that name, `{locale}` its language.
    pub system: Option<String>,
}

/// A worker that asks a language model.
#[derive(Clone, Debug)]
pub struct OpenAi {
    http: reqwest::Client,
    endpoint: String,
    settings: Settings,
}

impl OpenAi {
    /// One that asks as `settings` say.
    ///
    /// # Errors
    /// If the machine has no CA certificates.
    pub fn new(settings: Settings) -> Result<Self, reqwest::Error> {
        // Where the process has chosen a provider already, that one stays.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let http = reqwest::Client::builder()
            .connect_timeout(CONNECT_TIMEOUT)
            .read_timeout(SILENCE_MAX)
            .timeout(ANSWER_TIMEOUT)
            .build()?;
        let endpoint = format!("{}/chat/completions", settings.url.as_str().trim_end_matches('/'));
        Ok(Self { http, endpoint, settings })
    }

    /// One try.
    async fn ask(&self, question: &Question<'_>, progress: &Progress) -> Result<String, Trouble> {
        let mut request = self.http.post(&self.endpoint).json(question);
        if let Some(key) = &self.settings.key {
            request = request.bearer_auth(key.expose());
        }
        let answer = request.send().await.map_err(Trouble::on_the_wire)?;
        if !answer.status().is_success() {
            return Err(Trouble::of(&answer));
        }
        let kind = answer.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        if kind.starts_with("application/json") {
            // A server that does not stream says all of it at once.
            let whole: Whole = answer.json().await.map_err(Trouble::on_the_wire)?;
            return Ok(whole.choices.into_iter().filter_map(|choice| choice.message.content).collect());
        }
        let mut said = String::new();
        let mut events = SseStream::new(reqwest::Body::from(answer));
        while let Some(event) = events.next().await {
            let event = event.map_err(|_| Trouble::again("the answer broke off"))?;
            let data = event.data.unwrap_or_default();
            if data.trim() == "[DONE]" {
                return Ok(said);
            }
            if data.is_empty() {
                continue;
            }
            let Ok(Piece { choices, error }) = serde_json::from_str(&data) else {
                return Err(Trouble::again("the answer cannot be read"));
            };
            if error.is_some() {
                return Err(Trouble::again("the model failed in the middle of its answer"));
            }
            let mut ended = false;
            for choice in choices {
                said.extend(choice.delta.content);
                ended |= choice.finish_reason.is_some();
            }
            if ended || said.chars().count() >= ANSWER_MAX_CHARS {
                return Ok(said);
            }
            progress.text(&*said);
        }
        Err(Trouble::again("the answer broke off"))
    }

    /// None: nobody said anything, neither the user nor the flow.
    fn question<'a>(&'a self, job: &'a Job) -> Option<Question<'a>> {
        let told = self.settings.system.as_ref().map(|system| Cow::Owned(filled(system, job)));
        let told = told.or_else(|| job.arguments.get(SYSTEM).map(|system| Cow::Borrowed(system.as_str())));
        let system = told.map(|content| Said { role: "system", content });
        let text = job.text.as_deref().map(|text| Said { role: "user", content: Cow::Borrowed(text) });
        if system.is_none() && text.is_none() {
            return None;
        }
        let before = job.dialog.iter().map(|turn| {
            let role = match turn.role {
                Role::User => "user",
                Role::Assistant => "assistant",
            };
            Said { role, content: Cow::Borrowed(turn.text.as_str()) }
        });
        let messages = system.into_iter().chain(before).chain(text);
        Some(Question { model: &self.settings.model, messages: messages.collect(), stream: true })
    }
}

impl Worker for OpenAi {
    async fn work(&self, job: Job, progress: Progress) -> Result<Completion, Failure> {
        let Some(question) = self.question(&job) else {
            return Err(Failure::for_good(
                "there is neither a text to answer nor an argument `system` that says what to write",
            ));
        };
        let mut pause = PAUSE;
        let mut tries = 1;
        loop {
            let trouble = match self.ask(&question, &progress).await {
                Ok(said) if !said.trim().is_empty() => {
                    return Ok(match job.kind {
                        Kind::Generate => Completion::text(said.chars().take(ANSWER_MAX_CHARS).collect::<String>()),
                        Kind::Call => {
                            Completion::show(Show { text: Some(shorten(&said, TEXT_MAX_CHARS)), ..Show::default() })
                        }
                    });
                }
                Ok(_) => Trouble::again("the model said nothing"),
                Err(trouble) => trouble,
            };
            warn!(job.id, tries, "the model did not answer: {}", trouble.reason);
            if !trouble.again {
                return Err(Failure::for_good(trouble.reason));
            }
            if tries == TRIES_MAX {
                return Err(Failure::retry(trouble.reason));
            }
            tries += 1;
            sleep(trouble.wait.unwrap_or(pause).min(PAUSE_MAX)).await;
            pause *= 2;
        }
    }
}

/// `system` with what the job says in the place of its names. A name that the job does not know stays as it is.
fn filled(system: &str, job: &Job) -> String {
    let value = |name: &str| {
        let own = job.arguments.get(name).or_else(|| job.vars.get(name));
        own.or(job.locale.as_ref().filter(|_| name == "locale"))
    };
    let mut filled = String::with_capacity(system.len());
    let mut rest = system;
    while let Some((before, after)) = rest.split_once('{') {
        filled.push_str(before);
        match after.split_once('}').and_then(|(name, tail)| Some((value(name)?, tail))) {
            Some((value, tail)) => {
                filled.push_str(value);
                rest = tail;
            }
            None => {
                filled.push('{');
                rest = after;
            }
        }
    }
    filled + rest
}

/// Why there is no answer.
struct Trouble {
    reason: String,
    /// Whether asking again may help.
    again: bool,
    /// How long it says to wait.
    wait: Option<Duration>,
}

impl Trouble {
    fn again(reason: &str) -> Self {
        Self { reason: reason.to_owned(), again: true, wait: None }
    }

    fn on_the_wire(error: reqwest::Error) -> Self {
        let what = if error.is_timeout() { "it takes too long" } else { "it cannot be reached, or broke off" };
        Self::again(what)
    }

    fn of(answer: &Response) -> Self {
        let status = answer.status();
        let wait = answer.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse().ok());
        // 401, 403, 404 are the operator's to mend, so the job is not given up for them.
        let for_good = matches!(status, StatusCode::BAD_REQUEST | StatusCode::UNPROCESSABLE_ENTITY);
        let reason = format!("its server answers {}", status.as_u16());
        Self { reason, again: !for_good, wait: wait.map(Duration::from_secs) }
    }
}

#[derive(Serialize)]
struct Question<'a> {
    model: &'a str,
    messages: Vec<Said<'a>>,
    stream: bool,
}

#[derive(Serialize)]
struct Said<'a> {
    role: &'static str,
    content: Cow<'a, str>,
}

/// A piece of an answer that is streamed.
#[derive(Deserialize)]
struct Piece {
    #[serde(default)]
    choices: Vec<PieceChoice>,
    error: Option<serde::de::IgnoredAny>,
}

#[derive(Deserialize)]
struct PieceChoice {
    #[serde(default)]
    delta: Message,
    finish_reason: Option<String>,
}

/// An answer that is not streamed.
#[derive(Deserialize)]
struct Whole {
    choices: Vec<WholeChoice>,
}

#[derive(Deserialize)]
struct WholeChoice {
    message: Message,
}

#[derive(Default, Deserialize)]
struct Message {
    content: Option<String>,
}
