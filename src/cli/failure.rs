//! How a command fails: one line on stderr with what to do, and the exit code.

use super::output;
use crate::problem::Problems;
use clap::error::ErrorKind;
use std::fmt;
use std::process::ExitCode;

/// Why a command did not do what it was told.
#[derive(Debug)]
pub enum Failure {
    /// The command line is wrong: exit code 2.
    Usage(String),
    /// The settings are wrong, a line each: exit code 1, or 2 where a flag is among them.
    Settings(Problems),
    /// It could not be done: exit code 1.
    Failed(anyhow::Error),
}

impl Failure {
    /// A command line that says something impossible.
    pub(super) fn usage(message: impl Into<String>) -> Self {
        Self::Usage(message.into())
    }

    /// clap's text, which is several lines, as one.
    pub(super) fn from_clap(error: &clap::Error) -> Self {
        let text = error.render().to_string();
        let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        let about = lines.iter().take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more"));
        let about = about.copied().collect::<Vec<_>>().join(" ");
        let usage = lines.iter().find(|line| line.starts_with("Usage:")).copied().unwrap_or("see --help");
        let about = match error.kind() {
            ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => "a command is missing, --help lists them",
            _ => about.strip_prefix("error: ").unwrap_or(&about),
        };
        Self::Usage(format!("{about} ({usage})"))
    }

    /// The exit code.
    pub fn code(&self) -> ExitCode {
        match self {
            Self::Usage(_) => ExitCode::from(2),
            Self::Settings(Problems(problems)) if problems.iter().any(|it| it.origin.starts_with("--")) => {
                ExitCode::from(2)
            }
            Self::Settings(_) | Self::Failed(_) => ExitCode::from(1),
        }
    }
}

impl<E: Into<anyhow::Error>> From<E> for Failure {
    fn from(error: E) -> Self {
        let error = error.into();
        match error.downcast::<Problems>() {
            Ok(problems) => Self::Settings(problems),
            Err(error) => Self::Failed(error),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage(message) => write!(f, "error: {}", one_line(message)),
            Self::Settings(Problems(problems)) => {
                for (index, problem) in problems.iter().enumerate() {
                    let end = if index + 1 < problems.len() { "\n" } else { "" };
                    write!(f, "error: {}{end}", one_line(&problem.to_string()))?;
                }
                Ok(())
            }
            Self::Failed(error) => write!(f, "error: {}", one_line(&output::with_causes(error.as_ref()))),
        }
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
