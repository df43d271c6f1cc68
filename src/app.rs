//! The composition root: every part of the server, made and joined.

use crate::config::Config;

/// Runs the server until it is told to stop.
///
/// # Errors
/// If it cannot start.
pub async fn serve(config: Config) -> anyhow::Result<()> {
    let _ = config;
    anyhow::bail!("the server is not assembled yet")
}
