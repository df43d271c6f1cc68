//! What operators give of a bot, checked. Nothing of a token or a secret is repeated.

use crate::bot::id_of_token;
use crate::bot_api::{Client, Error};
use crate::cli::Failure;
use crate::cli::context::Setup;
use crate::config::Config;
use crate::problem::nearest;
use crate::secret::Secret;
use crate::telegram::id::BotId;
use crate::telegram::webhook::{SECRET_TOKEN_HELP, is_secret_token};
use anyhow::{Context as _, anyhow};
use std::io::BufRead;

/// Longest name of a bot, in bytes: it is a label of metrics.
const NAME_MAX_BYTES: usize = 64;

/// The value itself, or, for `-`, the next line of stdin.
pub(super) fn or_stdin(value: String, what: &str) -> Result<String, Failure> {
    if value != "-" {
        return Ok(value);
    }
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line).with_context(|| format!("the {what} cannot be read from stdin"))?;
    Ok(line.trim().to_owned())
}

pub(super) fn name(name: &str) -> Result<String, Failure> {
    let fits = !name.is_empty()
        && name.len() <= NAME_MAX_BYTES
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte));
    let refusal = || Failure::usage(format!("--name takes 1 to {NAME_MAX_BYTES} characters of A-Z a-z 0-9 _ - ."));
    fits.then(|| name.to_owned()).ok_or_else(refusal)
}

/// The id that a token begins with. The rest stands in URLs, so it must need no escaping there.
pub(super) fn id_of(token: &Secret) -> Result<BotId, Failure> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b":_-".contains(&byte);
    let id = id_of_token(token).filter(|_| token.expose().bytes().all(plain));
    id.ok_or_else(|| Failure::usage("--token is no bot token: @BotFather gives one like 123456:AAE_x9"))
}

pub(super) fn checked_secret(secret: String) -> Result<Secret, Failure> {
    let refusal = || Failure::usage(format!("--secret takes {SECRET_TOKEN_HELP}"));
    is_secret_token(&secret).then(|| Secret::new(secret)).ok_or_else(refusal)
}

pub(super) fn flow(setup: &Setup<'_>, name: &str) -> Result<String, Failure> {
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

pub(super) async fn username(config: &Config, id: BotId, token: &Secret) -> Result<Option<String>, Failure> {
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
