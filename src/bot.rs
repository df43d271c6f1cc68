//! A bot: what the server knows of it. A row of `bots`.

mod wanted;

pub use wanted::{Difference, Wanted};

use crate::clock::Timestamp;
use crate::secret::Secret;
use crate::telegram::id::BotId;

/// Where a bot's updates are posted, below its base URL: `/telegram/webhook/ID`.
pub const WEBHOOK_PREFIX: &str = "/telegram/webhook/";

/// One bot that the server answers for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bot {
    /// Its user id, the number before the colon of its token.
    pub id: BotId,
    /// What operators call it; unique.
    pub name: String,
    /// Its user name without `@`, where `getMe` was asked.
    pub username: Option<String>,
    /// The key to the Bot API.
    pub token: Secret,
    /// What Telegram must send with every update.
    pub secret: Secret,
    /// The secret before it, accepted until the moment beside it.
    pub previous_secret: Option<(Secret, Timestamp)>,
    /// How many updates Telegram may post at once, 1–100.
    pub max_connections: u16,
    /// The base of the webhook URL, once `set-webhook` was told one.
    pub base_url: Option<String>,
    /// The name of its flow.
    pub flow: String,
    /// Whether its updates are answered 503 (maintenance).
    pub paused: bool,
}

impl Bot {
    /// The path under which its updates arrive.
    pub fn webhook_path(&self) -> String {
        webhook_path(self.id)
    }

    /// The URL at which its updates arrive, once `set-webhook` was told a base.
    pub fn webhook_url(&self) -> Option<String> {
        self.base_url.as_deref().map(|base| webhook_url(base, self.id))
    }
}

fn webhook_path(id: BotId) -> String {
    format!("{WEBHOOK_PREFIX}{id}")
}

/// The URL below `base` at which the updates of the bot `id` arrive.
pub fn webhook_url(base: &str, id: BotId) -> String {
    format!("{}{}", base.trim_end_matches('/'), webhook_path(id))
}

/// The bot's id as its token says it: `123456:ABC…` gives 123456.
pub fn id_of_token(token: &Secret) -> Option<BotId> {
    let (id, rest) = token.expose().split_once(':')?;
    (!rest.is_empty()).then_some(())?;
    id.parse().ok().filter(|id: &BotId| id.0 > 0)
}
