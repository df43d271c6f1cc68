//! `botctl man`: the help texts as manual pages.

use super::{Failure, output};
use anyhow::Context as _;
use clap::Args;
use std::path::PathBuf;

/// Print the manual page, or write one for each command
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  botctl man | man -l -
  botctl man --dir /usr/local/share/man/man1")]
pub(super) struct Man {
    /// Write botctl.1, botctl-bot.1, … into this folder
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

pub(super) fn run(arguments: &Man, program: clap::Command) -> Result<(), Failure> {
    if let Some(dir) = &arguments.dir {
        let written = clap_mangen::generate_to(program, dir);
        return Ok(written.with_context(|| format!("--dir: no pages can be written to {}", dir.display()))?);
    }
    let mut page = Vec::new();
    clap_mangen::Man::new(program).render(&mut page)?;
    output::text(&String::from_utf8_lossy(&page))
}
