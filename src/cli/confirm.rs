//! What cannot be undone is said first, and agreed to where there is a person to ask.

use super::Failure;
use anyhow::anyhow;
use std::io::{BufRead, IsTerminal, Write};

/// Whether a person is to be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ask {
    /// If there is one at the terminal.
    Terminal,
    /// They said `--yes` already.
    Nobody,
}

impl Ask {
    pub(super) fn unless(yes: bool) -> Self {
        if yes { Self::Nobody } else { Self::Terminal }
    }
}

/// Says on stderr what will be lost and goes on only where that is agreed to: with `--yes`, or at the terminal.
pub(super) fn agreed(lost: &str, ask: Ask) -> Result<(), Failure> {
    if ask == Ask::Nobody {
        return Ok(());
    }
    if !std::io::stdin().is_terminal() {
        return Err(Failure::usage(format!("{lost}: nothing was done; --yes says that this is meant")));
    }
    if answers_yes(&format!("{lost}. Go on?"))? {
        return Ok(());
    }
    Err(anyhow!("nothing was done").into())
}

/// Asks at the terminal. Whoever says nothing has said no.
pub(super) fn answers_yes(question: &str) -> Result<bool, Failure> {
    let mut stderr = std::io::stderr().lock();
    write!(stderr, "{question} [y/N] ")?;
    stderr.flush()?;
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer)?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}
