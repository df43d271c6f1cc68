//! Telling Telegram where a bot's updates go, and remembering what it was told: what `set-webhook` and
//! `bot rotate-secret` have in common.

use super::check::{Api, Target, Wish, check};
use crate::bot::Bot;
use crate::bot_api::{Client, Error};
use crate::cli::Failure;
use crate::clock;
use crate::storage::{Storage, Updated};
use crate::telegram::webhook::{ALLOWED_UPDATES, SetWebhook};
use anyhow::{Context as _, anyhow};
use clap::Args;
use std::path::PathBuf;
use std::time::Duration;

/// How long the old secret is accepted after Telegram was told the new one: a request that it had begun is over by then,
/// because Telegram gives up after 60 s.
const OLD_SECRET_LINGERS: Duration = Duration::from_secs(120);

/// How Telegram reaches the server: what is not remembered with the bot.
#[derive(Args, Debug, Default)]
pub(in crate::cli) struct Reach {
    /// The server's self-signed certificate
    #[arg(long, value_name = "PEM")]
    certificate: Option<PathBuf>,
    /// Deliver to this address instead of asking DNS
    #[arg(long, value_name = "IP")]
    pub ip_address: Option<String>,
    /// A Bot API server of your own is asked: any scheme, port and address goes
    #[arg(long)]
    local_api: bool,
}

impl Reach {
    /// With nothing but whose rules hold.
    pub(in crate::cli) fn with(local_api: bool) -> Self {
        Self { local_api, ..Self::default() }
    }

    pub(in crate::cli) const fn has_certificate(&self) -> bool {
        self.certificate.is_some()
    }

    fn read_certificate(&self) -> Result<Option<Vec<u8>>, Failure> {
        let read = |path: &PathBuf| {
            std::fs::read(path).with_context(|| format!("--certificate: {} cannot be read", path.display()))
        };
        Ok(self.certificate.as_ref().map(read).transpose()?)
    }

    /// The URL below `base`, if Telegram would take it and everything that goes with it.
    pub(in crate::cli) fn target(&self, bot: &Bot, base: &str, certificate: Option<&[u8]>) -> Result<Target, Failure> {
        let wish = Wish {
            api: if self.local_api { Api::Local } else { Api::Public },
            base,
            bot: bot.id,
            secret: bot.secret.expose(),
            max_connections: bot.max_connections,
            ip_address: self.ip_address.as_deref(),
            certificate,
        };
        check(&wish).map_err(|problems| {
            let lines: Vec<String> = problems.0.iter().map(ToString::to_string).collect();
            Failure::usage(format!("{}; Telegram was not asked", lines.join("; ")))
        })
    }

    /// What Telegram is to be told of `bot`, checked.
    pub(in crate::cli) fn telling(&self, client: Client, bot: &Bot, base: &str) -> Result<Telling, Failure> {
        let certificate = self.read_certificate()?;
        let target = self.target(bot, base, certificate.as_deref())?;
        Ok(Telling { client, target, certificate, ip_address: self.ip_address.clone(), drop: false })
    }
}

/// What Telegram is told.
#[derive(Clone, Debug)]
pub(in crate::cli) struct Telling {
    pub client: Client,
    pub target: Target,
    certificate: Option<Vec<u8>>,
    ip_address: Option<String>,
    /// Whether what waits there is thrown away.
    pub drop: bool,
}

impl Telling {
    pub(in crate::cli) async fn tell(&self, bot: &Bot) -> Result<(), Error> {
        let webhook = SetWebhook {
            url: self.target.url.clone(),
            ip_address: self.ip_address.clone(),
            max_connections: bot.max_connections,
            allowed_updates: ALLOWED_UPDATES,
            drop_pending_updates: self.drop,
            secret_token: bot.secret.clone(),
        };
        self.client.set_webhook(&bot.token, &webhook, self.certificate.clone()).await
    }

    /// After Telegram agreed, for a refused URL is not remembered: the bot as it is now. A secret that Telegram no longer
    /// sends is soon refused.
    pub(in crate::cli) async fn remember(&self, storage: &Storage, told: &Bot) -> Result<Bot, Failure> {
        // Read anew: the bot may have been changed while Telegram was asked.
        let bot = storage.bots().await?.into_iter().find(|bot| bot.id == told.id);
        let gone = || anyhow!("Telegram was told, but the bot {} is gone from the database", told.name);
        let bot = bot.ok_or_else(gone)?;
        let mut remembered =
            Bot { base_url: Some(self.target.base.clone()), max_connections: told.max_connections, ..bot.clone() };
        let now = clock::now();
        if bot.secret == told.secret
            && let Some((_, until)) = &mut remembered.previous_secret
        {
            *until = now.plus(OLD_SECRET_LINGERS).min(*until);
        }
        remembered.previous_secret = remembered.previous_secret.filter(|(_, until)| *until > now);
        if remembered != bot && storage.update_bot(&remembered, now).await? != Updated::Updated {
            return Err(gone().into());
        }
        Ok(remembered)
    }
}
