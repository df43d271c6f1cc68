//! The worker's half of the lanes: what is said over the API, and who says it. A worker takes jobs from a server's ops
//! listener, does them and gives back what it made; [`Worker`] is what one is that is written in Rust, [`Runner`] does
//! all that they have in common. [`OpenAi`] and [`Demo`] are two that come with the program.
//! Never touches a store: to the server it is a client like any other.

mod call;
mod client;
mod completion;
mod demo;
mod job;
mod openai;
mod problem;
mod progress;
mod runner;

pub use call::{
    GiveUp, Heartbeat, JOBS_MAX, LEASE_HEADER, Lease, NAME_MAX_CHARS, PROGRESS_MAX_CHARS, REASON_MAX_CHARS, Report,
    Uploaded, WAIT_MAX_SECONDS,
};
pub use client::Error;
pub use completion::{Button, Call, Completion, Content, Photo, Show};
pub use demo::Demo;
pub use job::{Bot, Chat, Job, Kind, Leased, Role, Turn, VERSION};
pub use openai::{OpenAi, SYSTEM, Settings};
pub use problem::{FieldError, PROBLEM_TYPE, Problem};
pub use progress::{Image, Progress};
pub use runner::Runner;

use std::future::Future;

/// Somebody who does jobs.
///
/// ```
/// # use tapgate::worker::{Completion, Failure, Job, Progress, Worker};
/// struct Echo;
///
/// impl Worker for Echo {
///     async fn work(&self, job: Job, progress: Progress) -> Result<Completion, Failure> {
///         progress.text("You said…");
///         Ok(Completion::text(job.text.unwrap_or_default()))
///     }
/// }
/// ```
///
/// A job may be given to several workers, one after the other, where one of them died or lost its lease. So what it does
/// to the world beside its result should do no harm when it is done twice; [`Job::key`] is the same each time.
pub trait Worker: Send + Sync + 'static {
    /// Does `job`. It is dropped where it stands when the job is lost: somebody else has it, or nobody waits for it any
    /// more. A panic is a failure that may be tried again.
    fn work(&self, job: Job, progress: Progress) -> impl Future<Output = Result<Completion, Failure>> + Send;
}

/// Why a job was not done.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct Failure {
    /// For the server's log, at the level `debug`. It is no place for anything of a user.
    pub reason: String,
    /// Whether another attempt may succeed.
    pub again: Again,
}

/// Whether another attempt may succeed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Again {
    /// It may.
    Retry,
    /// It will not: the user is told at once.
    Never,
}

impl Failure {
    /// One after which another attempt may succeed.
    pub fn retry(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), again: Again::Retry }
    }

    /// One after which no attempt will.
    pub fn for_good(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), again: Again::Never }
    }
}
