//! `botctl migrate`.

use super::store::unreachable;
use super::{Failure, output};
use crate::config::Config;
use crate::storage::Storage;
use anyhow::Context as _;

pub(super) async fn run(config: &Config) -> Result<(), Failure> {
    let storage = Storage::open(&config.database_url).await.with_context(|| unreachable(config))?;
    let done = storage.migrate().await.with_context(|| unreachable(config))?;
    let text = match done.from == done.to {
        true => format!("the schema has version {} already", done.to),
        false => format!("the schema went from version {} to {}", done.from, done.to),
    };
    output::line(&text)
}
