//! `botctl migrate`.

use super::store::unreachable;
use super::{Failure, output};
use crate::config::Config;
use crate::storage::Storage;
use anyhow::Context as _;
use clap::Args;
use serde_json::json;

/// Bring the database to this program's schema
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  DATABASE_URL=postgres://tapgate@db/tapgate botctl migrate")]
pub(super) struct Migrate {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) async fn run(config: &Config, arguments: &Migrate) -> Result<(), Failure> {
    let storage = Storage::open(&config.database_url).await.with_context(|| unreachable(config))?;
    let done = storage.migrate().await.with_context(|| unreachable(config))?;
    if arguments.json {
        return output::json(&json!({"from": done.from, "to": done.to}));
    }
    let text = match done.from == done.to {
        true => format!("the schema has version {} already", done.to),
        false => format!("the schema went from version {} to {}", done.from, done.to),
    };
    output::line(&text)
}
