//! `botctl set-webhook`, `webhook-info` and `delete-webhook`: the only ways to change what Telegram delivers, and where.

mod check;
mod delete;
mod drop;
mod info;
mod set;
mod tell;

pub(super) use delete::{Delete, run as delete};
pub(super) use info::{Info, run as info};
pub(super) use set::{Set, run as set};
pub(super) use tell::{Reach, Telling};

use super::Failure;
use crate::bot_api::{Client, Error};
use crate::config::Config;
use anyhow::anyhow;

pub(super) fn client(config: &Config) -> Result<Client, Failure> {
    Ok(Client::new(&config.telegram_api_url, config.sender.call_timeout)?)
}

/// What to do when Telegram did not do it.
pub(super) fn advice(error: Error, refused: &'static str) -> Failure {
    let text = match &error {
        Error::Unauthorized => {
            "the token was revoked or is mistyped: take the current one from @BotFather and give it with `botctl bot set \
             --token -`"
        }
        Error::RateLimited { .. } => "wait that long and try again",
        Error::Uncertain(_) => "see `botctl webhook-info` for what became of it",
        Error::Failed(_) => "check TAPGATE_TELEGRAM_API_URL and the network, then try again",
        Error::Refused { .. } | Error::Forbidden { .. } => refused,
    };
    anyhow!(error).context(text).into()
}
