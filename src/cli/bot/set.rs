//! `botctl bot set`: what of a bot can be changed without anybody noticing, and what Telegram has to be told of.

use super::given;
use super::view::{SecretIs, View};
use crate::bot::Bot;
use crate::cli::context::Setup;
use crate::cli::webhook::Reach;
use crate::cli::{Failure, output, store};
use crate::secret::Secret;
use crate::telegram::webhook::MAX_CONNECTIONS_MAX;
use clap::Args;

/// Change a bot
#[derive(Args, Debug)]
#[command(after_help = "\
Servers that run know it within a second. A new --token, --url and --max-connections are told to Telegram by \
set-webhook.

Examples:
  botctl bot set --bot shop --name boutique
  botctl bot set --bot shop --token - < new-token.txt
  botctl bot set --bot shop --flow companion")]
pub(in crate::cli) struct Set {
    /// The bot's name; may be left out when there is one bot
    #[arg(long, value_name = "NAME")]
    bot: Option<String>,
    /// What you call it from now on
    #[arg(long, value_name = "NEW NAME")]
    name: Option<String>,
    /// Its new token from @BotFather; `-` reads it from stdin, so that no process list shows it
    #[arg(long, allow_hyphen_values = true)]
    token: Option<String>,
    /// The name of its flow. Chats on a screen that it does not have begin anew
    #[arg(long)]
    flow: Option<String>,
    /// How many updates Telegram may post at once, 1 to 100
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=i64::from(MAX_CONNECTIONS_MAX)))]
    max_connections: Option<u16>,
    /// The base of the webhook's URL, https://host
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// A Bot API server of your own is asked: any scheme, port and address goes
    #[arg(long, requires = "url")]
    local_api: bool,
    /// Do not ask Telegram whether it knows a new token
    #[arg(long)]
    offline: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) async fn run(setup: &Setup<'_>, arguments: Set) -> Result<(), Failure> {
    let Set { bot, name, token, flow, max_connections, url, local_api, offline, json } = arguments;
    if name.is_none() && token.is_none() && flow.is_none() && max_connections.is_none() && url.is_none() {
        let flags = "--name, --token, --flow, --max-connections or --url";
        return Err(Failure::usage(format!("nothing to change: give {flags}")));
    }
    let storage = store::open(setup).await?;
    let before = store::bot(&storage, bot.as_deref()).await?;
    let mut bot = before.clone();
    if let Some(name) = name {
        bot.name = given::name(&name)?;
    }
    if let Some(flow) = flow {
        bot.flow = given::flow(setup, &flow)?;
    }
    bot.max_connections = max_connections.unwrap_or(bot.max_connections);
    if let Some(url) = url {
        bot.base_url = Some(Reach::with(local_api).target(&bot, &url, None)?.base);
    }
    if let Some(token) = token {
        bot.token = token_of(&bot, given::or_stdin(token, "token")?)?;
        if !offline {
            bot.username = given::username(setup, bot.id, &bot.token).await?;
        }
    }
    store::change(&storage, &bot).await?;
    let view = View::of(&bot, SecretIs::Hidden);
    if json {
        return output::json(&view);
    }
    output::table(&view.rows())?;
    // With a new token a bot has no webhook: Telegram keeps it under the token (telegram-bot-api, `webhook_db`).
    let told = |bot: &Bot| (bot.base_url.clone(), bot.max_connections, bot.token.clone());
    if told(&bot) != told(&before) {
        output::line("Telegram has not been told: `botctl set-webhook` does that")?;
    }
    Ok(())
}

/// A new token of the same bot.
fn token_of(bot: &Bot, token: String) -> Result<Secret, Failure> {
    let token = Secret::new(token);
    let id = given::id_of(&token)?;
    if id == bot.id {
        return Ok(token);
    }
    let (name, old) = (&bot.name, bot.id);
    Err(Failure::usage(format!(
        "--token: this is the token of bot {id}, and {name} is {old}: `botctl bot add` adds another bot"
    )))
}
