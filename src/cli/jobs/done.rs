//! What became of jobs that were named by their ids, as `retry` and `drop` say it.

use crate::cli::{Failure, output};
use serde::Serialize;

/// What became of one job.
#[derive(Serialize)]
pub(super) struct Done {
    pub id: i64,
    /// A word for programs; `said` has it for people.
    pub outcome: &'static str,
    #[serde(skip)]
    pub said: &'static str,
}

/// For a job that nobody has.
pub(super) const GONE: &str = "is not there: it may be done";

/// Prints what became of all of them.
pub(super) fn print(done: &[Done], as_json: bool) -> Result<(), Failure> {
    if as_json {
        return output::json(&done);
    }
    done.iter().try_for_each(|Done { id, said, .. }| output::line(&format!("job {id} {said}")))
}
