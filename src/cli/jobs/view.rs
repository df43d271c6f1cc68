//! A job as people and programs are shown it.

use crate::cli::output;
use crate::storage::{ListedJob, Standing};
use serde::Serialize;

#[derive(Serialize)]
pub(super) struct View {
    pub id: i64,
    pub chat: i64,
    pub lane: &'static str,
    /// Where it shows its screen, if it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    pub attempts: u32,
    /// `due`, `leased`, `waits`.
    pub standing: &'static str,
    /// How much longer it is leased or waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<u64>,
}

impl View {
    pub(super) fn of(job: &ListedJob) -> Self {
        let (standing, seconds) = match job.standing {
            Standing::Due => ("due", None),
            Standing::Leased(left) => ("leased", Some(left)),
            Standing::Waits(left) => ("waits", Some(left)),
        };
        Self {
            id: job.id.0,
            chat: job.chat.0,
            lane: job.lane.name(),
            place: job.place.clone(),
            attempts: job.attempts,
            standing,
            seconds: seconds.map(|left| left.as_secs()),
        }
    }

    pub(super) fn what(&self) -> String {
        self.place.as_ref().map_or_else(|| "task".to_owned(), |place| format!("screen, {place}"))
    }
}

/// Where a job stands, for people.
pub(super) fn standing(standing: Standing) -> String {
    match standing {
        Standing::Due => "due".to_owned(),
        Standing::Leased(left) => format!("in work, leased for {}", output::duration(left)),
        Standing::Waits(left) => format!("again in {}", output::duration(left)),
    }
}
