//! stdout: what a command is asked for, and nothing else.

use super::Failure;
use crate::clock::Timestamp;
use anyhow::Context as _;
use serde::Serialize;
use std::io::{self, Write};
use std::time::{Duration, UNIX_EPOCH};

/// Writes text as it is.
pub(super) fn text(text: &str) -> Result<(), Failure> {
    write(text.as_bytes())
}

/// Writes one line, or several.
pub(super) fn line(text: &str) -> Result<(), Failure> {
    write(format!("{text}\n").as_bytes())
}

/// Writes JSON on one line.
pub(super) fn json(value: &impl Serialize) -> Result<(), Failure> {
    let mut bytes = serde_json::to_vec(value)?;
    bytes.push(b'\n');
    write(&bytes)
}

/// Writes rows with their columns under each other.
pub(super) fn table<const N: usize>(rows: &[[String; N]]) -> Result<(), Failure> {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: [usize; N] = std::array::from_fn(width);
    let mut text = String::new();
    for row in rows {
        let cells = row.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}"));
        text.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
        text.push('\n');
    }
    write(text.as_bytes())
}

/// A moment as people read it: `2026-01-31T12:00:00Z`.
pub(super) fn moment(at: Timestamp) -> String {
    let since_epoch = Duration::from_millis(u64::try_from(at.unix_millis()).unwrap_or(0));
    humantime::format_rfc3339_seconds(UNIX_EPOCH + since_epoch).to_string()
}

/// A duration in whole seconds, as people read it: `1m 40s`.
pub(super) fn duration(duration: Duration) -> String {
    humantime::format_duration(Duration::from_secs(duration.as_secs())).to_string()
}

/// An error and what caused it. Some say what caused them themselves, which is then not said again.
pub(super) fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut below = error.source();
    while let Some(cause) = below {
        let said = cause.to_string();
        if !text.ends_with(&said) {
            text = format!("{text}: {said}");
        }
        below = cause.source();
    }
    text
}

fn write(bytes: &[u8]) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        // Whoever read has read enough: `botctl bot list | head -1`.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => Ok(result.context("stdout cannot be written to")?),
    }
}
