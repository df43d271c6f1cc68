//! Pure: no I/O, no clock. What came of a load, for people and for programs.

use crate::telegram::id::ChatId;
use serde::Serialize;
use std::fmt;

/// What came of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// Users.
    pub users: usize,
    /// Connections that Telegram may open.
    pub max_connections: usize,
    /// For how long they tapped.
    pub seconds: f64,
    /// Updates that were taken in that time.
    pub taken: usize,
    /// The same, a second.
    pub per_second: f64,
    /// Time from the request to its answer.
    pub response: Percentiles,
    /// `max_connections` divided by the median response time.
    pub capacity_per_second: f64,
    /// Deliveries that failed and came again.
    pub failed: usize,
    /// Users whose row counts other than what they did.
    pub miscounted: Vec<Miscounted>,
    /// Users who do not see what their row says.
    pub unseen: Vec<ChatId>,
}

/// A user whose row counts other than what they did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Miscounted {
    /// Who.
    pub user: ChatId,
    /// What they did.
    pub did: i64,
    /// What the row counts.
    pub counted: i64,
}

/// How response times are spread, in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Percentiles {
    /// Of how many.
    pub samples: usize,
    /// The median.
    pub p50_ms: f64,
    /// Nine in ten are faster.
    pub p90_ms: f64,
    /// 99 in 100 are faster.
    pub p99_ms: f64,
    /// The slowest.
    pub max_ms: f64,
}

impl Report {
    /// Whether every tap counted once and everybody sees what their row says.
    pub fn is_right(&self) -> bool {
        self.miscounted.is_empty() && self.unseen.is_empty()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Percentiles { samples, p50_ms, p90_ms, p99_ms, max_ms } = self.response;
        let right = |wrong: usize| format!("{} of {} users", self.users.saturating_sub(wrong), self.users);
        writeln!(f, "{} users, max_connections {}, {:.1} s", self.users, self.max_connections, self.seconds)?;
        writeln!(f, "taken      {} updates, {:.0} a second", self.taken, self.per_second)?;
        write!(f, "response   p50 {p50_ms:.1} ms, p90 {p90_ms:.1} ms, p99 {p99_ms:.1} ms, max {max_ms:.1} ms")?;
        writeln!(f, " (of {samples} deliveries)")?;
        writeln!(f, "capacity   max_connections ÷ p50 = {:.0} a second", self.capacity_per_second)?;
        writeln!(f, "repeats    {} deliveries failed and came again", self.failed)?;
        writeln!(f, "rows       {}: the version is what they did", right(self.miscounted.len()))?;
        write!(f, "screens    {}: what they see is what the row says", right(self.unseen.len()))?;
        for Miscounted { user, did, counted } in self.miscounted.iter().take(10) {
            write!(f, "\nwrong      user {user} did {did}, the row counts {counted}")?;
        }
        Ok(())
    }
}
