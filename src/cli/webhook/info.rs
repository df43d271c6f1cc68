//! `botctl webhook-info`.

use crate::bot::{Difference, Wanted};
use crate::cli::{Failure, output, store};
use crate::clock::{self, Timestamp};
use crate::config::Config;
use crate::telegram::webhook::WebhookInfo;
use anyhow::anyhow;
use clap::Args;
use serde::Serialize;

/// What Telegram has, what we want, and the difference
#[derive(Args, Debug)]
#[command(after_help = "\
Exit code 1 where there is a difference, so that monitoring may run it. The secret is no part of it: Telegram never \
says which one it has.

Examples:
  botctl webhook-info --bot shop
  botctl webhook-info --bot shop --json | jq .telegram.pending_update_count")]
pub(in crate::cli) struct Info {
    /// The bot's name; may be left out when there is one bot
    #[arg(long, value_name = "NAME")]
    bot: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report<'a> {
    bot: &'a str,
    telegram: &'a WebhookInfo,
    wanted: &'a Wanted,
    differences: &'a [Difference],
}

pub(in crate::cli) async fn run(config: &Config, arguments: Info) -> Result<(), Failure> {
    let bot = store::bot(&store::open(config).await?, arguments.bot.as_deref()).await?;
    let has = super::client(config)?.get_webhook_info(&bot.token).await;
    let has = has.map_err(|error| super::advice(error, "see what Telegram says"))?;
    let wanted = Wanted::of(&bot);
    let differences = wanted.differences(&has);
    if arguments.json {
        let report = Report { bot: &bot.name, telegram: &has, wanted: &wanted, differences: &differences };
        output::json(&report)?;
    } else {
        print(&bot.name, &has, &differences)?;
    }
    if differences.is_empty() {
        return Ok(());
    }
    let what = differences.iter().map(|it| it.what).collect::<Vec<_>>().join(", ");
    Err(anyhow!("Telegram does not have what we want ({what}): `botctl set-webhook` makes it so").into())
}

fn print(bot: &str, has: &WebhookInfo, differences: &[Difference]) -> Result<(), Failure> {
    output::table(&rows(bot, has, clock::now()))?;
    if differences.is_empty() {
        return output::line("all as wanted");
    }
    let mut table = vec![["DIFFERENCE", "TELEGRAM HAS", "WANTED"].map(str::to_owned)];
    table.extend(differences.iter().map(|it| [it.what.to_owned(), it.telegram.clone(), it.wanted.clone()]));
    output::line("")?;
    output::table(&table)
}

fn rows(bot: &str, has: &WebhookInfo, now: Timestamp) -> Vec<[String; 2]> {
    let or_none = |text: &str| if text.is_empty() { "none".to_owned() } else { text.to_owned() };
    let number = |number: Option<u64>| number.map_or_else(|| "-".to_owned(), |number| number.to_string());
    let error = match (has.last_error_date, &has.last_error_message) {
        (Some(date), message) => {
            let ago = output::duration(now.since(Timestamp::from_unix_seconds(date)));
            format!("{} ({ago} ago; a success does not clear it)", message.as_deref().unwrap_or_default())
        }
        (None, _) => "none".to_owned(),
    };
    [
        ("bot", bot.to_owned()),
        ("url", or_none(&has.url)),
        ("pending_updates", has.pending_update_count.to_string()),
        ("last_error", error),
        ("max_connections", number(has.max_connections)),
        ("ip_address", or_none(has.ip_address.as_deref().unwrap_or_default())),
        ("own_certificate", if has.has_custom_certificate { "yes" } else { "no" }.to_owned()),
        (
            "updates",
            has.allowed_updates.as_ref().map_or_else(|| "Telegram's default ones".to_owned(), |it| it.join(", ")),
        ),
    ]
    .map(|(name, value)| [name.to_owned(), value])
    .to_vec()
}
