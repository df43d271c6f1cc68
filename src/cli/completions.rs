//! `botctl completions`.

use super::{Failure, output};
use clap::Args;
use clap_complete::Shell;

/// Print what a shell needs to complete commands and flags
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  botctl completions bash > /etc/bash_completion.d/botctl
  botctl completions zsh > \"${fpath[1]}/_botctl\"
  botctl completions fish > ~/.config/fish/completions/botctl.fish")]
pub(super) struct Completions {
    /// For which shell
    shell: Shell,
}

pub(super) fn run(arguments: &Completions, mut program: clap::Command) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut program, "botctl", &mut script);
    output::text(&String::from_utf8_lossy(&script))
}
