//! `botctl bot rotate-secret`: a new webhook secret, and not one update lost. First the new one is stored, with the old
//! one accepted beside it; when every server knows both, Telegram is told; then the old one's time ends. Wherever that
//! stops, what Telegram sends is accepted.

use super::given;
use crate::bot::Bot;
use crate::cli::webhook::{self, Reach, Telling};
use crate::cli::{Failure, output, store};
use crate::clock::{self, Timestamp};
use crate::config::Config;
use crate::secret::Secret;
use crate::storage::Storage;
use anyhow::{Context as _, anyhow};
use clap::Args;
use serde::Serialize;
use std::time::Duration;
use tokio::time::sleep;

/// Servers read the list of bots every second; after this long each of them knows what was written.
pub(super) const ALL_SERVERS_KNOW: Duration = Duration::from_secs(2);

/// Give a bot a new webhook secret without losing an update
#[derive(Args, Debug)]
#[command(after_help = "\
The new secret is stored and both are accepted; 2 s later, when every server knows both, Telegram is told the new \
one; 2 minutes after that the old one is refused. If Telegram cannot be told, both stay accepted for as long as --keep \
says: run `botctl set-webhook` before that is over.

A certificate of your own, a fixed address and --local-api are not remembered with the bot: give them again here.

Examples:
  botctl bot rotate-secret --bot shop
  botctl bot rotate-secret --bot shop --no-webhook --keep 2h")]
pub(in crate::cli) struct Rotate {
    /// The bot's name; may be left out when there is one bot
    #[arg(long, value_name = "NAME")]
    bot: Option<String>,
    /// The new secret; `-` reads it from stdin [default: a random one]
    #[arg(long, allow_hyphen_values = true)]
    secret: Option<String>,
    /// How long the old secret is accepted where Telegram is not told the new one
    #[arg(long, value_name = "DURATION", default_value = "1day", value_parser = humantime::parse_duration)]
    keep: Duration,
    /// Do not ask or tell Telegram
    #[arg(long)]
    no_webhook: bool,
    #[command(flatten)]
    reach: Reach,
    /// Show the new secret
    #[arg(long)]
    show_secret: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Done<'a> {
    bot: &'a str,
    /// Whether Telegram sends the new secret from now on.
    telegram_told: bool,
    old_secret_until: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    secret: Option<&'a str>,
}

pub(super) async fn run(config: &Config, arguments: Rotate) -> Result<(), Failure> {
    let storage = store::open(config).await?;
    let before = store::bot(&storage, arguments.bot.as_deref()).await?;
    refuse_a_second_rotation(&before, clock::now())?;
    let secret = match &arguments.secret {
        Some(secret) => given::checked_secret(given::or_stdin(secret.clone(), "secret")?)?,
        None => Secret::generate(),
    };
    if secret == before.secret {
        return Err(Failure::usage("--secret: this is the bot's secret already"));
    }
    let until = clock::now().plus(arguments.keep);
    let bot = Bot { secret, previous_secret: Some((before.secret.clone(), until)), ..before };
    // Everything that can be refused is, before anything is written.
    let telling = if arguments.no_webhook { None } else { telling(config, &bot, &arguments.reach).await? };
    store::change(&storage, &bot).await?;
    let until = match &telling {
        None => until,
        Some(telling) => {
            sleep(ALL_SERVERS_KNOW).await;
            tell(&storage, &bot, telling, until).await?
        }
    };
    let secret = arguments.show_secret.then(|| bot.secret.expose());
    let done =
        Done { bot: &bot.name, telegram_told: telling.is_some(), old_secret_until: output::moment(until), secret };
    if arguments.json {
        return output::json(&done);
    }
    let until = &done.old_secret_until;
    output::line(&match done.telegram_told {
        true => format!("{} has a new secret and Telegram sends it; the old one is accepted until {until}", bot.name),
        false => format!(
            "{} has a new secret and Telegram was not told; the old one is accepted until {until}: \
             `botctl set-webhook` before that, where the bot has a webhook",
            bot.name
        ),
    })?;
    secret.map_or(Ok(()), |secret| output::line(&format!("secret  {secret}")))
}

/// A third secret would push the oldest one out, which may be the one that Telegram sends.
fn refuse_a_second_rotation(bot: &Bot, now: Timestamp) -> Result<(), Failure> {
    let Some((_, until)) = bot.previous_secret.as_ref().filter(|(_, until)| *until > now) else { return Ok(()) };
    Err(anyhow!(
        "the last rotation of {} is not over, its old secret is accepted for another {}: `botctl set-webhook` tells \
         Telegram the new one if that was not done, then wait",
        bot.name,
        output::duration(until.since(now)),
    )
    .into())
}

/// What Telegram is to be told; none: the bot has no webhook.
async fn telling(config: &Config, bot: &Bot, reach: &Reach) -> Result<Option<Telling>, Failure> {
    let client = webhook::client(config)?;
    let has = client.get_webhook_info(&bot.token).await;
    let has = has.context("nothing was changed: mend this, or rotate without asking Telegram, with --no-webhook")?;
    if has.url.is_empty() {
        return Ok(None);
    }
    let base = bot.base_url.as_deref().filter(|_| bot.webhook_url().as_deref() == Some(has.url.as_str()));
    let Some(base) = base else {
        return Err(anyhow!(
            "nothing was changed: Telegram has the webhook {}, which is not ours: `botctl set-webhook` first, or rotate \
             with --no-webhook",
            has.url
        )
        .into());
    };
    if has.has_custom_certificate && !reach.has_certificate() {
        return Err(Failure::usage(
            "nothing was changed: the webhook has a certificate of its own, which Telegram would forget: give it with \
             --certificate",
        ));
    }
    Ok(Some(reach.telling(client, bot, base)?))
}

/// Tells Telegram, and says until when the old secret is accepted now.
async fn tell(storage: &Storage, bot: &Bot, telling: &Telling, until: Timestamp) -> Result<Timestamp, Failure> {
    let both = format!(
        "the new secret is stored and the old one is accepted until {}, so nothing is lost: mend this and run `botctl \
         set-webhook` before that, with --certificate, --ip-address and --local-api as they were",
        output::moment(until)
    );
    telling.tell(bot).await.map_err(|error| anyhow!(error).context(both))?;
    Ok(telling.remember(storage, bot).await?.previous_secret.map_or(until, |(_, until)| until))
}
