//! Pure: no I/O, no clock. What a worker says to the server, but for what it makes.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The header in which an upload shows its lease, since its body is the picture.
pub const LEASE_HEADER: &str = "tapgate-lease";
/// Most jobs of one lease.
pub const JOBS_MAX: usize = 64;
/// Longest wait for a job, in seconds.
pub const WAIT_MAX_SECONDS: u64 = 60;
/// Longest name that a worker may give itself, in characters.
pub const NAME_MAX_CHARS: usize = 64;
/// Most of a progress that is kept, in characters.
pub const PROGRESS_MAX_CHARS: usize = 4096;
/// Most of a reason that is kept, in characters.
pub const REASON_MAX_CHARS: usize = 200;

/// Asks for jobs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Lease {
    /// What this worker calls itself in the server's log, such as a host's name.
    #[serde(default)]
    #[schema(max_length = 64)]
    pub worker: String,
    /// How many are wanted at most.
    #[serde(default = "one")]
    #[schema(minimum = 1, maximum = 64, default = 1)]
    pub max: usize,
    /// How long to wait until there is one.
    #[serde(default)]
    #[schema(maximum = 60, default = 0)]
    pub wait_seconds: u64,
}

const fn one() -> usize {
    1
}

/// Holds a job for as long again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Heartbeat {
    /// The proof that the job is held.
    pub lease: String,
}

/// Says how far a job is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Report {
    /// The proof that the job is held.
    pub lease: String,
    /// All that there is so far, plain. Of more than 4,096 characters the rest is left out.
    pub text: String,
}

/// Gives a job up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct GiveUp {
    /// The proof that the job is held.
    pub lease: String,
    /// Why, for the server's log at the level `debug`; cut to 200 characters. It is no place for anything of a user.
    #[serde(default)]
    pub reason: String,
    /// Whether another attempt may succeed. Without one, or if it was the last, the user is told that it failed.
    #[serde(default)]
    pub retry: bool,
}

/// A file was taken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Uploaded {
    /// What a photo of the result calls it.
    pub file: String,
}
