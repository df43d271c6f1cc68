//! `botctl set-webhook`: check, say what will be lost, tell Telegram, remember.

use super::check::{Api, Target, Wish, check};
use super::drop::{Ask, agreed, waiting};
use crate::bot::Bot;
use crate::bot_api::Client;
use crate::cli::{Failure, output, store};
use crate::clock;
use crate::config::Config;
use crate::storage::{Storage, Updated};
use crate::telegram::webhook::{ALLOWED_UPDATES, MAX_CONNECTIONS_MAX, SetWebhook};
use anyhow::{Context as _, anyhow};
use clap::Args;
use serde::Serialize;
use std::fmt;
use std::path::PathBuf;

/// Tell Telegram where a bot's updates go
#[derive(Args, Debug)]
pub(in crate::cli) struct Set {
    /// The bot's name; may be left out when there is one bot
    #[arg(long, value_name = "NAME")]
    bot: Option<String>,
    /// The base of the webhook's URL, https://host; remembered with the bot, so that it is given once
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// Throw away what waits at Telegram; how many updates that is, is said first
    #[arg(long)]
    drop: bool,
    /// Do not ask before dropping
    #[arg(long)]
    yes: bool,
    /// How many updates Telegram may post at once, 1 to 100; remembered with the bot
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=i64::from(MAX_CONNECTIONS_MAX)))]
    max_connections: Option<u16>,
    /// The server's self-signed certificate
    #[arg(long, value_name = "PEM")]
    certificate: Option<PathBuf>,
    /// Deliver to this address instead of asking DNS
    #[arg(long, value_name = "IP")]
    ip_address: Option<String>,
    /// A Bot API server of your own is asked: any scheme, port and address goes
    #[arg(long)]
    local_api: bool,
    /// Say what would be sent and dropped, and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Done<'a> {
    bot: &'a str,
    url: &'a str,
    max_connections: u16,
    allowed_updates: [&'static str; 4],
    #[serde(skip_serializing_if = "Option::is_none")]
    ip_address: Option<&'a str>,
    certificate: bool,
    drop_pending_updates: bool,
    /// How many updates were given up.
    #[serde(skip_serializing_if = "Option::is_none")]
    dropped: Option<u64>,
    /// How many updates would be given up, if Telegram said.
    #[serde(skip_serializing_if = "Option::is_none")]
    would_drop: Option<u64>,
    dry_run: bool,
}

/// What becomes of the updates that wait at Telegram.
#[derive(Clone, Copy, Debug)]
enum Lost {
    Nothing,
    /// So many were given up.
    Dropped(u64),
    /// So many would be; none: Telegram did not say how many.
    Would(Option<u64>),
}

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nothing => f.write_str("nothing dropped"),
            Self::Dropped(count) => write!(f, "{count} pending updates dropped"),
            Self::Would(Some(count)) => write!(f, "would drop {count} pending updates"),
            Self::Would(None) => f.write_str("pending updates would be dropped (Telegram did not say how many)"),
        }
    }
}

pub(in crate::cli) async fn run(config: &Config, arguments: Set) -> Result<(), Failure> {
    let storage = store::open(config).await?;
    let bot = store::bot(&storage, arguments.bot.as_deref()).await?;
    let bot = Bot { max_connections: arguments.max_connections.unwrap_or(bot.max_connections), ..bot };
    let certificate = certificate(&arguments)?;
    let target = target(&bot, &arguments, certificate.as_deref())?;
    let client = super::client(config)?;
    if arguments.dry_run {
        // Only looked at: what cannot be counted is no reason not to say the rest.
        let lost = if arguments.drop { Lost::Would(waiting(&client, &bot).await.ok()) } else { Lost::Nothing };
        return print(&bot, &target, &arguments, lost);
    }
    let ask = if arguments.yes { Ask::Nobody } else { Ask::Terminal };
    let lost = if arguments.drop { Lost::Dropped(agreed(&client, &bot, ask).await?) } else { Lost::Nothing };
    tell(&client, &bot, &target, &arguments, certificate).await?;
    remember(&storage, &bot, &target).await?;
    print(&bot, &target, &arguments, lost)
}

fn certificate(arguments: &Set) -> Result<Option<Vec<u8>>, Failure> {
    let read = |path: &PathBuf| {
        std::fs::read(path).with_context(|| format!("--certificate: {} cannot be read", path.display()))
    };
    Ok(arguments.certificate.as_ref().map(read).transpose()?)
}

fn target(bot: &Bot, arguments: &Set, certificate: Option<&[u8]>) -> Result<Target, Failure> {
    let Some(base) = arguments.url.as_deref().or(bot.base_url.as_deref()) else {
        return Err(Failure::usage(format!("{} has no URL yet: give it once with --url https://host", bot.name)));
    };
    let wish = Wish {
        api: if arguments.local_api { Api::Local } else { Api::Public },
        base,
        bot: bot.id,
        secret: bot.secret.expose(),
        max_connections: bot.max_connections,
        ip_address: arguments.ip_address.as_deref(),
        certificate,
    };
    check(&wish).map_err(|problems| {
        let lines: Vec<String> = problems.0.iter().map(ToString::to_string).collect();
        Failure::usage(format!("{}; Telegram was not asked", lines.join("; ")))
    })
}

async fn tell(
    client: &Client,
    bot: &Bot,
    target: &Target,
    arguments: &Set,
    certificate: Option<Vec<u8>>,
) -> Result<(), Failure> {
    let webhook = SetWebhook {
        url: target.url.clone(),
        ip_address: arguments.ip_address.clone(),
        max_connections: bot.max_connections,
        allowed_updates: ALLOWED_UPDATES,
        drop_pending_updates: arguments.drop,
        secret_token: bot.secret.clone(),
    };
    client.set_webhook(&bot.token, &webhook, certificate).await.map_err(|error| {
        super::advice(error, "the bot may have no webhook now: mend what Telegram names and run it again")
    })
}

/// After Telegram agreed: a refused URL is not remembered.
async fn remember(storage: &Storage, told: &Bot, target: &Target) -> Result<(), Failure> {
    // Read anew: the bot may have been changed while Telegram was asked.
    let bot = storage.bots().await?.into_iter().find(|bot| bot.id == told.id);
    let gone = || anyhow!("Telegram was told, but the bot {} is gone from the database", told.name);
    let bot = bot.ok_or_else(gone)?;
    let remembered = Bot { base_url: Some(target.base.clone()), max_connections: told.max_connections, ..bot.clone() };
    if remembered != bot && storage.update_bot(&remembered, clock::now()).await? != Updated::Updated {
        return Err(gone().into());
    }
    Ok(())
}

fn print(bot: &Bot, target: &Target, arguments: &Set, lost: Lost) -> Result<(), Failure> {
    if arguments.json {
        return output::json(&Done {
            bot: &bot.name,
            url: &target.url,
            max_connections: bot.max_connections,
            allowed_updates: ALLOWED_UPDATES,
            ip_address: arguments.ip_address.as_deref(),
            certificate: arguments.certificate.is_some(),
            drop_pending_updates: arguments.drop,
            dropped: if let Lost::Dropped(count) = lost { Some(count) } else { None },
            would_drop: if let Lost::Would(count) = lost { count } else { None },
            dry_run: arguments.dry_run,
        });
    }
    let verb = if arguments.dry_run { "would be set" } else { "is set" };
    let kinds = ALLOWED_UPDATES.join(", ");
    let text = format!(
        "the webhook of {} {verb} to {}\nmax_connections {}, updates {kinds}, {lost}",
        bot.name, target.url, bot.max_connections
    );
    output::line(&text)
}
