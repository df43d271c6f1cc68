//! Which failed updates a command is about.

use crate::bot::Bot;
use crate::cli::Failure;
use crate::storage::{ListedFailure, Storage};
use anyhow::anyhow;
use clap::Args;

/// Some, or all.
#[derive(Args, Debug)]
pub(super) struct Which {
    /// Their keys, as `botctl dead list` has them: an update's id, or sha256:… or its beginning
    #[arg(value_name = "KEY", required_unless_present = "all")]
    keys: Vec<String>,
    /// All updates of the bot that were given up
    #[arg(long, conflicts_with = "keys")]
    all: bool,
    /// The bot's name; may be left out when there is one bot
    #[arg(long, value_name = "NAME")]
    pub bot: Option<String>,
}

impl Which {
    /// The keys, in the order in which the updates failed first.
    pub(super) async fn keys(&self, storage: &Storage, bot: &Bot) -> Result<Vec<String>, Failure> {
        let mut there = storage.failures(bot.id, usize::MAX).await?;
        there.sort_by_key(|failure| failure.first_at);
        if self.all {
            return Ok(there.into_iter().filter(|it| it.dead_at.is_some()).map(|it| it.key).collect());
        }
        self.keys.iter().map(|key| among(&there, key, bot)).collect()
    }
}

/// The one key that `key` is, or begins.
pub(super) async fn find(storage: &Storage, bot: &Bot, key: &str) -> Result<String, Failure> {
    among(&storage.failures(bot.id, usize::MAX).await?, key, bot)
}

fn among(there: &[ListedFailure], key: &str, bot: &Bot) -> Result<String, Failure> {
    if there.iter().any(|failure| failure.key == key) {
        return Ok(key.to_owned());
    }
    let digest = key.starts_with("sha256:");
    let mut found = there.iter().filter(|failure| digest && failure.key.starts_with(key));
    match (found.next(), found.next()) {
        (Some(failure), None) => Ok(failure.key.clone()),
        (Some(_), Some(_)) => Err(Failure::usage(format!("several updates begin with {key}: write more of it"))),
        (None, _) => {
            Err(anyhow!("{} has no failed update {key}: `botctl dead list` lists those there are", bot.name).into())
        }
    }
}
