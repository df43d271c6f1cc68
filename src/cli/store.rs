//! The store as commands use it, and the bot they are about.

use super::Failure;
use crate::bot::Bot;
use crate::clock;
use crate::config::{Config, starred};
use crate::storage::{Error, Storage, StorageUrl, Updated};
use anyhow::{Context as _, anyhow};

/// Opens the store for a command that may be the first one: the embedded profile is made and migrated on the way.
pub(super) async fn open_or_create(config: &Config) -> Result<Storage, Failure> {
    let storage = Storage::open(&config.database_url).await.with_context(|| unreachable(config))?;
    match &config.database_url {
        StorageUrl::Sqlite(_) => {
            storage.migrate().await.with_context(|| unreachable(config))?;
        }
        StorageUrl::Postgres(_) => match storage.check().await {
            // A setting that only the server's promises need is no reason not to look at a bot.
            Ok(()) | Err(Error::Setting(_)) => {}
            Err(error @ Error::Schema { .. }) => return Err(error.into()),
            Err(error) => return Err(anyhow!(error).context(unreachable(config)).into()),
        },
    }
    Ok(storage)
}

/// Opens the store for a command that needs what is in it: a mistyped path makes no file.
pub(super) async fn open(config: &Config) -> Result<Storage, Failure> {
    if let StorageUrl::Sqlite(path) = &config.database_url
        && !path.exists()
    {
        let path = path.display();
        return Err(anyhow!("there is no database {path}: `botctl bot add` makes it, or set DATABASE_URL").into());
    }
    open_or_create(config).await
}

/// What to do when the store does not answer.
pub(super) fn unreachable(config: &Config) -> String {
    let place = match &config.database_url {
        StorageUrl::Sqlite(path) => format!("sqlite://{}", path.display()),
        StorageUrl::Postgres(url) => starred(url.expose()),
    };
    format!("the database {place} cannot be used; check DATABASE_URL")
}

/// The bot called `name`, or, without a name, the only one.
pub(super) async fn bot(storage: &Storage, name: Option<&str>) -> Result<Bot, Failure> {
    let mut bots = storage.bots().await?;
    let names = bots.iter().map(|bot| bot.name.as_str()).collect::<Vec<_>>().join(", ");
    if bots.is_empty() {
        return Err(anyhow!("there is no bot yet: `botctl bot add --name NAME --token TOKEN` adds one").into());
    }
    let found = match name {
        Some(name) => bots.iter().position(|bot| bot.name == name),
        None if bots.len() == 1 => Some(0),
        None => return Err(Failure::usage(format!("there are several bots: say which one with --bot ({names})"))),
    };
    match found {
        Some(index) => Ok(bots.swap_remove(index)),
        None => Err(anyhow!("there is no bot {}: --bot takes one of {names}", name.unwrap_or_default()).into()),
    }
}

/// Writes a bot as it is to be.
pub(super) async fn change(storage: &Storage, bot: &Bot) -> Result<(), Failure> {
    match storage.update_bot(bot, clock::now()).await? {
        Updated::Updated => Ok(()),
        Updated::NameTaken => Err(name_taken(&bot.name)),
        Updated::Gone => Err(anyhow!("the bot {} is gone: see `botctl bot list`", bot.name).into()),
    }
}

/// What to do when a name is another bot's.
pub(super) fn name_taken(name: &str) -> Failure {
    anyhow!("there is a bot called {name} already: choose another --name").into()
}
