//! The sandbox's bot: its row, its webhook, its commands menu, all made as an operator makes them.

use super::options::Earlier;
use super::world;
use crate::bot::Bot;
use crate::bot_api::{Client, Error};
use crate::clock;
use crate::flow::Dialogue;
use crate::library::Library;
use crate::secret::Secret;
use crate::storage::Storage;
use crate::telegram::id::BotId;
use crate::telegram::webhook::{ALLOWED_UPDATES, SetWebhook};
use anyhow::{Context, bail};
use std::net::SocketAddr;
use std::path::Path;
use tokio::sync::watch;

/// Its id.
const ID: BotId = BotId(4_200_000_042);
/// What it is called in labels of metrics.
const NAME: &str = "sandbox";

/// A new bot with the flow `flow`.
pub(super) fn new(flow: &str, max_connections: u16) -> Bot {
    Bot {
        id: ID,
        name: NAME.to_owned(),
        username: Some(format!("{}_sandbox_bot", flow.replace(|c: char| !c.is_ascii_alphanumeric(), "_"))),
        token: Secret::new(format!("{ID}:SANDBOX-a-token-that-opens-nothing")),
        secret: Secret::generate(),
        previous_secret: None,
        max_connections,
        base_url: None,
        flow: flow.to_owned(),
        paused: false,
    }
}

/// The bot as the world knows it.
pub(super) fn in_world(bot: &Bot) -> world::Bot {
    let mut letters = bot.flow.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string()).unwrap_or_default();
    world::Bot { id: bot.id, first_name: first + letters.as_str(), username: bot.username.clone().unwrap_or_default() }
}

/// How many rows of an earlier sandbox are removed at once.
const PORTION: usize = 10_000;

/// Puts the bot into the store, or over the one that an earlier sandbox left there.
pub(super) async fn keep(storage: &Storage, bot: &Bot, earlier: Earlier) -> anyhow::Result<()> {
    let there = storage.bots().await?;
    if there.iter().any(|one| one.id != bot.id) {
        bail!("this database has bots that are not the sandbox's: give it one of its own");
    }
    if earlier == Earlier::Removed {
        while storage.clear_bot(bot.id, PORTION).await? > 0 {}
    }
    if there.is_empty() {
        storage.add_bot(bot, clock::now()).await?;
    } else {
        storage.update_bot(bot, clock::now()).await?;
    }
    Ok(())
}

/// Which flow the bot has: the one that was asked for, the only one of the folder, or the shipped example.
///
/// # Errors
/// If it is not there.
pub(super) fn choose_flow(library: &Library, asked: Option<&str>, folder: Option<&Path>) -> anyhow::Result<String> {
    const SHIPPED: &str = "companion";
    let names = library.names();
    let chosen = match (asked, folder) {
        (Some(asked), _) => asked.to_owned(),
        (None, None) => SHIPPED.to_owned(),
        (None, Some(_)) => {
            let own = library.own_names();
            match &own[..] {
                [only] => only.clone(),
                _ if own.iter().any(|name| name == SHIPPED) => SHIPPED.to_owned(),
                _ => bail!("there are several flows: name the folder of one of {}", own.join(", ")),
            }
        }
    };
    if !names.contains(&chosen) {
        bail!("there is no flow {chosen}: there is {}", names.join(", "));
    }
    Ok(chosen)
}

/// The bot's webhook: the only way by which the sandbox changes it.
#[derive(Debug)]
pub(super) struct Hook {
    client: Client,
    storage: Storage,
    bot: Bot,
    base: String,
    max_connections: watch::Sender<u16>,
}

impl Hook {
    pub(super) fn new(client: Client, storage: Storage, bot: Bot, server: SocketAddr) -> Self {
        let max_connections = watch::Sender::new(bot.max_connections);
        Self { client, storage, bot, base: format!("http://{server}"), max_connections }
    }

    /// Where updates are posted.
    pub(super) fn url(&self) -> String {
        format!("{}{}", self.base, self.bot.webhook_path())
    }

    /// How many updates Telegram may post at once.
    pub(super) fn max_connections(&self) -> watch::Receiver<u16> {
        self.max_connections.subscribe()
    }

    /// Calls `setWebhook`, and remembers what it was told, as `botctl set-webhook` does.
    pub(super) async fn set(&self, max_connections: u16) -> anyhow::Result<()> {
        let webhook = SetWebhook {
            url: self.url(),
            ip_address: None,
            max_connections,
            allowed_updates: ALLOWED_UPDATES,
            drop_pending_updates: false,
            secret_token: self.bot.secret.clone(),
        };
        self.client.set_webhook(&self.bot.token, &webhook, None).await.context("setWebhook")?;
        let remembered = Bot { base_url: Some(self.base.clone()), max_connections, ..self.bot.clone() };
        self.storage.update_bot(&remembered, clock::now()).await?;
        self.max_connections.send_replace(max_connections);
        Ok(())
    }

    /// Calls `setMyCommands` for each language of `flow`, and once for everybody else.
    pub(super) async fn name_commands(&self, flow: &dyn Dialogue) -> Result<(), Error> {
        for menu in flow.menus() {
            self.client.set_my_commands(&self.bot.token, &menu).await?;
        }
        Ok(())
    }
}
