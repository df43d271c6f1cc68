//! `botctl bot add`: checked here, asked of Telegram (`getMe`), then stored.

use super::view::{SecretIs, View};
use crate::bot::{Bot, id_of_token};
use crate::bot_api::{Client, Error};
use crate::cli::context::Setup;
use crate::cli::{Failure, output, store};
use crate::clock;
use crate::config::Config;
use crate::problem::nearest;
use crate::secret::Secret;
use crate::storage::Added;
use crate::telegram::id::BotId;
use crate::telegram::webhook::{MAX_CONNECTIONS_DEFAULT, MAX_CONNECTIONS_MAX, SECRET_TOKEN_HELP, is_secret_token};
use anyhow::{Context as _, anyhow};
use clap::Args;
use std::io::BufRead;

/// Longest name of a bot, in bytes: it is a label of metrics.
const NAME_MAX_BYTES: usize = 64;

/// Add a bot
#[derive(Args, Debug)]
pub(in crate::cli) struct Add {
    /// What you call it
    #[arg(long)]
    name: String,
    /// Its token from @BotFather; `-` reads it from stdin, so that no process list shows it
    #[arg(long, allow_hyphen_values = true)]
    token: String,
    /// What Telegram has to send with every update; `-` reads it from stdin [default: a random one]
    #[arg(long, allow_hyphen_values = true)]
    secret: Option<String>,
    /// The name of its flow
    #[arg(long, default_value = "companion")]
    flow: String,
    /// How many updates Telegram may post at once, 1 to 100
    #[arg(long, value_name = "N", default_value_t = MAX_CONNECTIONS_DEFAULT,
          value_parser = clap::value_parser!(u16).range(1..=i64::from(MAX_CONNECTIONS_MAX)))]
    max_connections: u16,
    /// Do not ask Telegram for its username
    #[arg(long)]
    offline: bool,
    /// Show the secret
    #[arg(long)]
    show_secret: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) async fn run(setup: &Setup<'_>, arguments: Add) -> Result<(), Failure> {
    let config: &Config = setup;
    let name = name(&arguments.name)?;
    let token = Secret::new(or_stdin(arguments.token, "token")?);
    let id = id_of(&token)?;
    let secret = match arguments.secret {
        Some(secret) => checked_secret(or_stdin(secret, "secret")?)?,
        None => Secret::generate(),
    };
    let flow = flow(setup, &arguments.flow)?;
    let username = if arguments.offline { None } else { username(config, id, &token).await? };
    let bot = Bot {
        id,
        name,
        username,
        token,
        secret,
        previous_secret: None,
        max_connections: arguments.max_connections,
        base_url: None,
        flow,
        paused: false,
    };
    match store::open_or_create(config).await?.add_bot(&bot, clock::now()).await? {
        Added::Added => {}
        Added::NameTaken => {
            return Err(anyhow!("there is a bot called {} already: choose another --name", bot.name).into());
        }
        Added::IdTaken => {
            return Err(anyhow!("the bot of this token, {id}, is there already: see `botctl bot list`").into());
        }
    }
    let view = View::of(&bot, SecretIs::shown_if(arguments.show_secret));
    if arguments.json { output::json(&view) } else { output::table(&view.rows()) }
}

/// The value itself, or, for `-`, the next line of stdin.
fn or_stdin(value: String, what: &str) -> Result<String, Failure> {
    if value != "-" {
        return Ok(value);
    }
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line).with_context(|| format!("the {what} cannot be read from stdin"))?;
    Ok(line.trim().to_owned())
}

fn name(name: &str) -> Result<String, Failure> {
    let fits = !name.is_empty()
        && name.len() <= NAME_MAX_BYTES
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte));
    let refusal = || Failure::usage(format!("--name takes 1 to {NAME_MAX_BYTES} characters of A-Z a-z 0-9 _ - ."));
    fits.then(|| name.to_owned()).ok_or_else(refusal)
}

/// The id that a token begins with. The rest stands in URLs, so it must need no escaping there.
fn id_of(token: &Secret) -> Result<BotId, Failure> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b":_-".contains(&byte);
    let id = id_of_token(token).filter(|_| token.expose().bytes().all(plain));
    id.ok_or_else(|| Failure::usage("--token is no bot token: @BotFather gives one like 123456:AAE_x9"))
}

fn checked_secret(secret: String) -> Result<Secret, Failure> {
    let refusal = || Failure::usage(format!("--secret takes {SECRET_TOKEN_HELP}"));
    is_secret_token(&secret).then(|| Secret::new(secret)).ok_or_else(refusal)
}

fn flow(setup: &Setup<'_>, name: &str) -> Result<String, Failure> {
    let library = setup.library()?;
    if library.dialogue(name).is_some() {
        return Ok(name.to_owned());
    }
    let names = library.names();
    let advice = match nearest(name, names.iter().map(String::as_str)) {
        Some(near) => format!("did you mean {near}?"),
        None => format!("there is {}", names.join(", ")),
    };
    Err(Failure::usage(format!("--flow: there is no flow {name}: {advice}")))
}

async fn username(config: &Config, id: BotId, token: &Secret) -> Result<Option<String>, Failure> {
    let client = Client::new(&config.telegram_api_url, config.sender.call_timeout)?;
    match client.get_me(token).await {
        Ok(me) if me.id == id => Ok(me.username),
        Ok(me) => Err(anyhow!("Telegram says this is the token of bot {}, not {id}: copy it again", me.id).into()),
        Err(Error::Unauthorized) => {
            Err(anyhow!("Telegram does not know this token: copy it again from @BotFather").into())
        }
        Err(error) => Err(anyhow!(error).context("getMe: try again, or pass --offline to go without").into()),
    }
}
