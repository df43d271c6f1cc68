//! stdout: what a command is asked for, and nothing else.

use super::Failure;
use anyhow::Context as _;
use serde::Serialize;
use std::io::{self, Write};

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

fn write(bytes: &[u8]) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        // Whoever read has read enough: `botctl bot list | head -1`.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => Ok(result.context("stdout cannot be written to")?),
    }
}
