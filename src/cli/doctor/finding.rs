//! What was looked at, how it stands, and what to do.

use serde::Serialize;
use std::fmt;

/// One thing that was looked at.
#[derive(Debug, Serialize)]
pub(super) struct Finding {
    /// What it is about: `database`, `shop: webhook`.
    pub(super) what: String,
    pub(super) grade: Grade,
    /// How it stands.
    pub(super) said: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) advice: Option<String>,
}

/// How something stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Grade {
    Well,
    /// It works, and is worth a look.
    Doubtful,
    Wrong,
}

impl Finding {
    pub(super) fn well(what: impl Into<String>, said: impl Into<String>) -> Self {
        Self { what: what.into(), grade: Grade::Well, said: said.into(), advice: None }
    }

    pub(super) fn doubtful(what: impl Into<String>, said: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { grade: Grade::Doubtful, advice: Some(advice.into()), ..Self::well(what, said) }
    }

    pub(super) fn wrong(what: impl Into<String>, said: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { grade: Grade::Wrong, advice: Some(advice.into()), ..Self::well(what, said) }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let grade = match self.grade {
            Grade::Well => "ok   ",
            Grade::Doubtful => "look ",
            Grade::Wrong => "WRONG",
        };
        write!(f, "{grade}  {}: {}", self.what, self.said)?;
        self.advice.as_ref().map_or(Ok(()), |advice| write!(f, "\n       → {advice}"))
    }
}
