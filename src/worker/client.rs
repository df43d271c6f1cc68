//! Calls to the server's API of workers. Each is one attempt; who calls decides whether to try again.

use super::call::{GiveUp, Heartbeat, LEASE_HEADER, Lease, Report, Uploaded};
use super::completion::Completion;
use super::job::{Leased, VERSION};
use super::problem::Problem;
use super::{Image, Job};
use crate::secret::Secret;
use reqwest::header::{CONTENT_TYPE, RETRY_AFTER};
use reqwest::redirect::Policy;
use reqwest::{RequestBuilder, StatusCode};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::time::Duration;
use url::Url;

/// For TCP and TLS.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// For a call as a whole, beside what it waits for jobs.
const CALL_TIMEOUT: Duration = Duration::from_secs(15);
/// For the upload of a picture.
const UPLOAD_TIMEOUT: Duration = Duration::from_secs(60);
/// Longest wait that the server's `Retry-After` is believed.
const RETRY_AFTER_MAX: Duration = Duration::from_secs(60);

/// Why a call was not done.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// 409. Caller: drop the job, somebody else has it or it has ended.
    #[error("the job is not held any more")]
    Lost,
    /// 401, 403, 404: not with this token, not at this address. Caller: tell a person.
    #[error("the server refuses it ({status}): {detail}")]
    Denied {
        /// Its status.
        status: u16,
        /// What to do about it, in the server's words.
        detail: String,
    },
    /// 413, 415, 422: it will be refused again. Caller: mend it or give it up.
    #[error("the server does not take it: {0}")]
    Refused(String),
    /// 503, or no answer: it may or may not be done. Caller: try again.
    #[error("the server is not there for the moment")]
    Unavailable {
        /// How long it asks to wait.
        retry_after: Option<Duration>,
        /// What happened on the wire, if it did not answer.
        #[source]
        source: Option<reqwest::Error>,
    },
}

/// The server as a worker sees it. Cheap to clone; all clones share the connections.
#[derive(Clone, Debug)]
pub(super) struct Client {
    http: reqwest::Client,
    base: String,
    token: Secret,
}

impl Client {
    /// One for the ops listener at `base`.
    pub(super) fn new(base: &Url, token: Secret) -> Result<Self, reqwest::Error> {
        // Where the process has chosen a provider already, that one stays.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let http = reqwest::Client::builder()
            .http1_only()
            .connect_timeout(CONNECT_TIMEOUT)
            // A redirect would carry the token to somebody else.
            .redirect(Policy::none())
            .no_proxy()
            .referer(false)
            .build()?;
        Ok(Self { http, base: base.as_str().trim_end_matches('/').to_owned(), token })
    }

    /// Asks for jobs of `lane`, and waits for the first of them as long as `lease` says.
    pub(super) async fn lease(&self, lane: &str, lease: &Lease) -> Result<Vec<Job>, Error> {
        let timeout = CALL_TIMEOUT + Duration::from_secs(lease.wait_seconds);
        let leased: Leased = self.post(&format!("lanes/{lane}/lease"), timeout, lease).await?;
        if leased.version == VERSION {
            return Ok(leased.jobs);
        }
        let detail = format!("its jobs are written in version {}, this worker reads {VERSION}", leased.version);
        Err(Error::Denied { status: StatusCode::OK.as_u16(), detail })
    }

    pub(super) async fn heartbeat(&self, job: &Job) -> Result<(), Error> {
        self.tell(job, "heartbeat", &Heartbeat { lease: job.lease.clone() }).await
    }

    pub(super) async fn progress(&self, job: &Job, text: &str) -> Result<(), Error> {
        self.tell(job, "progress", &Report { lease: job.lease.clone(), text: text.to_owned() }).await
    }

    pub(super) async fn complete(&self, job: &Job, completion: &Completion) -> Result<(), Error> {
        self.tell(job, "complete", completion).await
    }

    pub(super) async fn fail(&self, job: &Job, reason: &str, retry: bool) -> Result<(), Error> {
        let give_up = GiveUp { lease: job.lease.clone(), reason: reason.to_owned(), retry };
        self.tell(job, "fail", &give_up).await
    }

    /// Uploads a picture and says what the server calls it.
    pub(super) async fn upload(&self, job: &Job, image: &Image) -> Result<String, Error> {
        let request = self.http.post(format!("{}/v1/jobs/{}/files", self.base, job.id)).timeout(UPLOAD_TIMEOUT);
        let request = request.header(CONTENT_TYPE, image.content_type).header(LEASE_HEADER, &job.lease);
        let answer = self.send(request.body(image.content.clone())).await?;
        Ok(read::<Uploaded>(answer).await?.file)
    }

    async fn tell(&self, job: &Job, what: &str, body: &impl Serialize) -> Result<(), Error> {
        let request = self.http.post(format!("{}/v1/jobs/{}/{what}", self.base, job.id)).timeout(CALL_TIMEOUT);
        self.send(request.json(body)).await.map(drop)
    }

    async fn post<T: DeserializeOwned>(
        &self,
        path: &str,
        timeout: Duration,
        body: &impl Serialize,
    ) -> Result<T, Error> {
        let request = self.http.post(format!("{}/v1/{path}", self.base)).timeout(timeout);
        read(self.send(request.json(body)).await?).await
    }

    async fn send(&self, request: RequestBuilder) -> Result<reqwest::Response, Error> {
        let answer = request.bearer_auth(self.token.expose()).send().await.map_err(unanswered)?;
        let status = answer.status();
        if status.is_success() {
            return Ok(answer);
        }
        let retry_after = answer.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse().ok());
        let problem: Problem = answer.json().await.unwrap_or_default();
        Err(match status {
            StatusCode::CONFLICT => Error::Lost,
            StatusCode::PAYLOAD_TOO_LARGE | StatusCode::UNSUPPORTED_MEDIA_TYPE | StatusCode::UNPROCESSABLE_ENTITY => {
                let errors = problem.errors.iter().map(|error| format!("{}: {}", error.field, error.message));
                let errors: Vec<String> = errors.collect();
                Error::Refused(if errors.is_empty() { problem.detail } else { errors.join(", ") })
            }
            _ if status.is_client_error() => Error::Denied { status: status.as_u16(), detail: problem.detail },
            _ => {
                let retry_after = retry_after.map(|seconds| Duration::from_secs(seconds).min(RETRY_AFTER_MAX));
                Error::Unavailable { retry_after, source: None }
            }
        })
    }
}

async fn read<T: DeserializeOwned>(answer: reqwest::Response) -> Result<T, Error> {
    answer.json().await.map_err(unanswered)
}

fn unanswered(error: reqwest::Error) -> Error {
    Error::Unavailable { retry_after: None, source: Some(error.without_url()) }
}
