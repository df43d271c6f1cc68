//! Pure: no I/O, no clock. Where a value came from, so that a person finds the place to change it.

use crate::problem::{Position, Problem};
use serde::Serialize;
use std::fmt;

/// Where a value came from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "from", rename_all = "lowercase")]
pub enum Origin {
    /// The text built into the program, `config/default.toml`.
    Default,
    /// The file the process was given.
    File {
        /// Its path.
        path: String,
        /// The line, from 1.
        line: usize,
        /// The column, from 1, in characters.
        column: usize,
    },
    /// An environment variable.
    Environment {
        /// Its name.
        name: &'static str,
    },
    /// A flag.
    Flag {
        /// Its name, with the dashes.
        name: &'static str,
    },
}

impl Origin {
    /// A problem at this place.
    pub(super) fn problem(&self, message: impl Into<String>) -> Problem {
        match self {
            Self::Default => Problem::new("default.toml", message),
            Self::File { path, line, column } => {
                let mut problem = Problem::new(path.as_str(), message);
                problem.position = Some(Position { line: *line, column: *column });
                problem
            }
            Self::Environment { name } | Self::Flag { name } => Problem::new(*name, message),
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File { path, line, column } => write!(f, "{path}:{line}:{column}"),
            Self::Environment { name } => write!(f, "environment {name}"),
            Self::Flag { name } => write!(f, "flag {name}"),
        }
    }
}
