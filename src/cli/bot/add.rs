//! `botctl bot add`: checked here, asked of Telegram (`getMe`), then stored.

use super::given;
use super::view::{SecretIs, View};
use crate::bot::Bot;
use crate::cli::context::Setup;
use crate::cli::{Failure, output, store};
use crate::clock;
use crate::secret::Secret;
use crate::storage::Added;
use crate::telegram::webhook::{MAX_CONNECTIONS_DEFAULT, MAX_CONNECTIONS_MAX};
use anyhow::anyhow;
use clap::Args;

/// Add a bot
#[derive(Args, Debug)]
#[command(after_help = "\
Servers that run know it within a second.

Examples:
  botctl bot add --name shop --token - < token.txt
  botctl bot add --name shop --token 123456:AAE_x9 --flow companion --max-connections 100")]
pub(in crate::cli) struct Add {
    /// What you call it
    #[arg(long)]
    name: String,
    /// Its token from @BotFather; `-` reads it from stdin, so that no process list shows it [env: BOT_TOKEN]
    #[arg(long, allow_hyphen_values = true)]
    token: Option<String>,
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
    /// If it is there already, say so and leave it as it is
    #[arg(long)]
    if_missing: bool,
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
    let name = given::name(&arguments.name)?;
    let token = Secret::new(given::or_stdin(token(setup, arguments.token)?, "token")?);
    let id = given::id_of(&token)?;
    if arguments.if_missing {
        let bots = store::open_or_create(setup).await?.bots().await?;
        if let Some(bot) = bots.iter().find(|bot| bot.id == id) {
            let view = View::of(bot, SecretIs::shown_if(arguments.show_secret));
            return if arguments.json { output::json(&view) } else { output::line(&format!("{} is there", bot.name)) };
        }
    }
    let secret = match arguments.secret {
        Some(secret) => given::checked_secret(given::or_stdin(secret, "secret")?)?,
        None => Secret::generate(),
    };
    let flow = given::flow(setup, &arguments.flow)?;
    let username = if arguments.offline { None } else { given::username(setup, id, &token).await? };
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
    match store::open_or_create(setup).await?.add_bot(&bot, clock::now()).await? {
        Added::Added => {}
        Added::NameTaken => return Err(store::name_taken(&bot.name)),
        Added::IdTaken => {
            return Err(anyhow!("the bot of this token, {id}, is there already: see `botctl bot list`").into());
        }
    }
    let view = View::of(&bot, SecretIs::shown_if(arguments.show_secret));
    if arguments.json { output::json(&view) } else { output::table(&view.rows()) }
}

/// The flag's value, or the variable's: a container's command line is shown to whoever may look at containers.
fn token(setup: &Setup<'_>, flag: Option<String>) -> Result<String, Failure> {
    let variable = || setup.variable("BOT_TOKEN").filter(|token| !token.is_empty());
    flag.or_else(variable).ok_or_else(|| Failure::usage("--token is missing: @BotFather gives one like 123456:AAE_x9"))
}
