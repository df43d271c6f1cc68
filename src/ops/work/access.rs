//! Who calls, and what about: a worker of the settings, known by its token, and the lane or job that the path names.
//! Never says of a wrong token anything but that.

use super::Api;
use super::refusal::Refusal;
use crate::config;
use crate::lanes::priority;
use crate::secret::Digest;
use crate::storage::Lane;
use axum::extract::{FromRequestParts, Path};
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The tokens of the workers, as digests.
#[derive(Debug)]
pub struct Tokens(Vec<(Digest, Arc<Worker>)>);

/// A worker that has shown its token.
#[derive(Debug)]
pub(super) struct Worker {
    pub(super) name: String,
    lanes: BTreeSet<Lane>,
}

/// Who makes a call.
#[derive(Clone, Debug)]
pub(super) struct Caller(pub(super) Arc<Worker>);

impl Tokens {
    /// Those of `workers`.
    pub fn of(workers: &[config::Worker]) -> Self {
        let known = |worker: &config::Worker| {
            let digest = Digest::of(worker.token.expose().as_bytes());
            (digest, Arc::new(Worker { name: worker.name.clone(), lanes: worker.lanes.clone() }))
        };
        Self(workers.iter().map(known).collect())
    }

    /// Whose `token` is. Each is compared, whoever it turns out to be.
    fn whose(&self, token: &[u8]) -> Option<Caller> {
        let offered = Digest::of(token);
        let mut found = None;
        for (digest, worker) in &self.0 {
            if digest.is(&offered).into() {
                found = Some(Caller(Arc::clone(worker)));
            }
        }
        found
    }
}

impl Caller {
    /// That it may take jobs of `lane`: who may take those of `text` may take those of `text_priority`, which are given
    /// out with them.
    pub(super) fn may_take(&self, lane: Lane) -> Result<(), Refusal> {
        let allowed = self.0.lanes.iter().any(|own| *own == lane || priority(*own) == Some(lane));
        if allowed { Ok(()) } else { Err(Refusal::Lane(lane.name().to_owned())) }
    }
}

impl FromRequestParts<Api> for Caller {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, api: &Api) -> Result<Self, Refusal> {
        let token = parts.headers.get(AUTHORIZATION).and_then(|value| {
            let (scheme, token) = value.as_bytes().split_at_checked("Bearer ".len())?;
            scheme.eq_ignore_ascii_case(b"Bearer ").then_some(token)
        });
        // No token costs the same work as a wrong one.
        let found = api.0.tokens.whose(token.unwrap_or_default());
        found.filter(|_| token.is_some()).ok_or(Refusal::Token)
    }
}

/// The lane or the job that a path names.
#[derive(Debug)]
pub(super) struct Named(pub(super) String);

impl<S: Send + Sync> FromRequestParts<S> for Named {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Refusal> {
        match Path::from_request_parts(parts, state).await {
            Ok(Path(name)) => Ok(Self(name)),
            // It is not even UTF-8.
            Err(_) => Err(Refusal::NotFound("there is nothing here")),
        }
    }
}
