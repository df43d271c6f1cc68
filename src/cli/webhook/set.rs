//! `botctl set-webhook`: check, say what will be lost, tell Telegram, remember.

use super::check::Target;
use super::drop::{agreed, waiting};
use super::tell::Reach;
use crate::bot::Bot;
use crate::cli::confirm::Ask;
use crate::cli::context::Setup;
use crate::cli::{Failure, output, store};
use crate::telegram::menu::SetMyCommands;
use crate::telegram::webhook::{ALLOWED_UPDATES, MAX_CONNECTIONS_MAX};
use anyhow::anyhow;
use clap::Args;
use serde::Serialize;
use std::fmt;

/// Tell Telegram where a bot's updates go, and which commands it has
#[derive(Args, Debug)]
#[command(after_help = "\
The URL's last part, /telegram/webhook/ID, is appended to --url. The commands of the bot's flow become the menu of its \
private chats, in each of its languages. What Telegram would refuse is refused before it is asked.

Examples:
  botctl set-webhook --bot shop --url https://bot.example.org
  botctl set-webhook --bot shop --dry-run
  botctl set-webhook --bot shop --drop --yes
  botctl set-webhook --url https://8.8.8.8:8443 --certificate server.pem")]
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
    #[command(flatten)]
    reach: Reach,
    /// Leave the menu of commands as it is
    #[arg(long)]
    no_commands: bool,
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
    /// The menus of commands: one a language, and one for everybody else; none were set where there is none here.
    commands: &'a [SetMyCommands],
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

pub(in crate::cli) async fn run(setup: &Setup<'_>, arguments: Set) -> Result<(), Failure> {
    let storage = store::open(setup).await?;
    let bot = store::bot(&storage, arguments.bot.as_deref()).await?;
    let bot = Bot { max_connections: arguments.max_connections.unwrap_or(bot.max_connections), ..bot };
    let Some(base) = arguments.url.as_deref().or(bot.base_url.as_deref()) else {
        return Err(Failure::usage(format!("{} has no URL yet: give it once with --url https://host", bot.name)));
    };
    let mut telling = arguments.reach.telling(super::client(setup)?, &bot, base)?;
    telling.drop = arguments.drop;
    let menus = if arguments.no_commands { Vec::new() } else { menus(setup, &bot)? };
    if arguments.dry_run {
        // Only looked at: what cannot be counted is no reason not to say the rest.
        let waiting = async || waiting(&telling.client, &bot).await.ok();
        let lost = if arguments.drop { Lost::Would(waiting().await) } else { Lost::Nothing };
        return print(&bot, &telling.target, &menus, &arguments, lost);
    }
    let ask = Ask::unless(arguments.yes);
    let lost = if arguments.drop { Lost::Dropped(agreed(&telling.client, &bot, ask).await?) } else { Lost::Nothing };
    telling.tell(&bot).await.map_err(|error| {
        super::advice(error, "the bot may have no webhook now: mend what Telegram names and run it again")
    })?;
    telling.remember(&storage, &bot).await?;
    for menu in &menus {
        telling.client.set_my_commands(&bot.token, menu).await.map_err(|error| {
            let done = "the webhook is set, but not all menus of commands are: run it again, or with --no-commands";
            anyhow!(error).context(done)
        })?;
    }
    print(&bot, &telling.target, &menus, &arguments, lost)
}

/// The menus of the bot's flow.
fn menus(setup: &Setup<'_>, bot: &Bot) -> Result<Vec<SetMyCommands>, Failure> {
    let flow = setup.library()?.dialogue(&bot.flow);
    let absent = || {
        Failure::usage(format!(
            "the flow {} of {} is not there, so its commands are not known: set TAPGATE_FLOWS_DIR as for `serve`, choose \
             another with `botctl bot set --flow`, or pass --no-commands",
            bot.flow, bot.name
        ))
    };
    Ok(flow.ok_or_else(absent)?.menus())
}

fn print(bot: &Bot, target: &Target, menus: &[SetMyCommands], arguments: &Set, lost: Lost) -> Result<(), Failure> {
    if arguments.json {
        return output::json(&Done {
            bot: &bot.name,
            url: &target.url,
            max_connections: bot.max_connections,
            allowed_updates: ALLOWED_UPDATES,
            ip_address: arguments.reach.ip_address.as_deref(),
            certificate: arguments.reach.has_certificate(),
            drop_pending_updates: arguments.drop,
            dropped: if let Lost::Dropped(count) = lost { Some(count) } else { None },
            would_drop: if let Lost::Would(count) = lost { count } else { None },
            commands: menus,
            dry_run: arguments.dry_run,
        });
    }
    let verb = if arguments.dry_run { "would be set" } else { "is set" };
    let kinds = ALLOWED_UPDATES.join(", ");
    let text = format!(
        "the webhook of {} {verb} to {}\nmax_connections {}, updates {kinds}, {lost}",
        bot.name, target.url, bot.max_connections
    );
    output::line(&text)?;
    for menu in menus {
        let language = menu.language_code.as_deref().unwrap_or("everybody");
        let names: Vec<String> = menu.commands.iter().map(|command| format!("/{}", command.command)).collect();
        output::line(&format!("commands, {language}: {}", names.join(" ")))?;
    }
    Ok(())
}
