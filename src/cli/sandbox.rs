//! `botctl sandbox`: announced, not built.

use super::Failure;
use anyhow::anyhow;

pub(super) fn run() -> Result<(), Failure> {
    Err(anyhow!(
        "the sandbox does not exist yet: `cargo run -- serve` runs the server; the README shows how to post to it"
    )
    .into())
}
