//! setWebhook, deleteWebhook, getWebhookInfo. The order is Telegram's: the running webhook is closed first, then what is to
//! come is checked, so that a refused setWebhook leaves none.
//! Source: tdlib/telegram-bot-api `Client.cpp` (`process_set_webhook_query`, `do_set_webhook`, `finish_set_webhook`,
//! `JsonWebhookInfo`).

use super::{Context, Outcome};
use crate::sandbox::api::Mode;
use crate::sandbox::api::bot::EndedBy;
use crate::sandbox::api::outcome::{Done, Failure};
use crate::sandbox::api::webhook::{self, Hook, Set, Wish};
use crate::sandbox::deliver::{self, Delivering, Surroundings, Webhook};
use crate::sandbox::world::Allowed;
use crate::secret::Secret;
use crate::telegram::webhook::CERTIFICATE_MAX_BYTES;
use serde::Serialize;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

/// One setWebhook in this time.
const PACE: Duration = Duration::from_secs(1);

pub(super) async fn set(context: Context<'_>) -> Outcome {
    let Context { api, bot, arguments } = context;
    let url = arguments.text("url");
    if url.is_empty() {
        return delete(context).await;
    }
    let mut hook = bot.hook.write().await;
    hook.settle().await;
    let now = api.0.setup.clock.now();
    if now < hook.next_allowed {
        return Err(Failure::flood(PACE));
    }
    hook.next_allowed = now.plus(PACE);
    bot.end_poll(EndedBy::SetWebhook);

    let wish = wish(context);
    let certificate = arguments.0.file("certificate");
    let drops = arguments.flag("drop_pending_updates");
    if let Some(set) = &hook.set
        && set.wish == wish
        && !set.certificate
        && certificate.is_none()
        && arguments.text("certificate").is_empty()
        && !drops
    {
        take_allowed(context);
        return Ok(Done::said("Webhook is already set"));
    }

    hook.close().await;
    if drops {
        bot.updates.drop_all();
    }
    let invalid = || Failure::verbatim(400, "Bad Request: invalid webhook URL specified");
    let address = webhook::parse(url).ok_or_else(invalid)?;
    webhook::check_secret(wish.secret_token.expose()).map_err(Failure::bad)?;
    if let Some(file) = certificate.filter(|file| file.content.len() > CERTIFICATE_MAX_BYTES) {
        return Err(Failure::bad(&format!("certificate size is too big ({} bytes)", file.content.len())));
    }
    take_allowed(context);
    let bad = |why: &str| Failure::verbatim(400, format!("Bad Request: bad webhook: {why}"));
    webhook::check(&address, &wish.ip_address, api.0.setup.mode).map_err(|why| bad(&why))?;
    let delivering = match api.0.setup.mode {
        Mode::Public => None,
        Mode::Local => Some(start(context, address.as_str(), &wish).map_err(|why| bad(&why.to_string()))?),
    };
    hook.set = Some(Set { wish, certificate: certificate.is_some(), delivering });
    Ok(Done::said("Webhook was set"))
}

pub(super) async fn delete(context: Context<'_>) -> Outcome {
    let Context { bot, arguments, .. } = context;
    let mut hook = bot.hook.write().await;
    hook.settle().await;
    let drops = arguments.flag("drop_pending_updates");
    let was_set = hook.close().await;
    if drops {
        bot.updates.drop_all();
    }
    Ok(Done::said(if was_set { "Webhook was deleted" } else { "Webhook is already deleted" }))
}

fn wish(context: Context<'_>) -> Wish {
    let Context { api, arguments, .. } = context;
    let (default, most) = match api.0.setup.mode {
        Mode::Public => (40, 100),
        Mode::Local => (100, 100_000),
    };
    Wish {
        url: arguments.text("url").to_owned(),
        max_connections: u32::try_from(arguments.integer("max_connections", default, 1..=most)).unwrap_or(1),
        ip_address: arguments.text("ip_address").to_owned(),
        secret_token: Secret::new(arguments.text("secret_token")),
    }
}

/// Takes `allowed_updates`; absent or no array, what was allowed before stays so.
fn take_allowed(context: Context<'_>) {
    if let Ok(Some(Value::Array(names))) = context.arguments.json("allowed_updates", "allowed updates") {
        context.bot.world.allow(Allowed::named(names.iter().filter_map(Value::as_str)));
    }
}

fn start(context: Context<'_>, url: &str, wish: &Wish) -> Result<Delivering, deliver::BadUrl> {
    let Context { api, bot, .. } = context;
    let secret_token = Some(wish.secret_token.clone()).filter(|token| !token.expose().is_empty());
    let max_connections = usize::try_from(wish.max_connections).unwrap_or(usize::MAX);
    let setup = &api.0.setup;
    let surroundings = Surroundings {
        updates: bot.updates.clone(),
        clock: setup.clock.clone(),
        wire: setup.wire.clone(),
        faults: setup.faults.clone(),
        seed: setup.seed,
    };
    let (caller, own) = (api.clone(), Arc::downgrade(bot));
    let inline = Arc::new(move |call| {
        if let Some(bot) = own.upgrade() {
            caller.run_inline(&bot, call);
        }
    });
    deliver::start(Webhook { url: url.to_owned(), secret_token, max_connections }, surroundings, inline, &api.0.tasks)
}

/// What getWebhookInfo says, its fields in Telegram's order.
#[derive(Serialize)]
struct WebhookInfo<'a> {
    url: &'a str,
    has_custom_certificate: bool,
    pending_update_count: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_error_date: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_error_message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_connections: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ip_address: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    allowed_updates: Option<&'a [&'static str]>,
}

pub(super) async fn info(context: Context<'_>) -> Outcome {
    let bot = context.bot;
    let hook = bot.hook.read().await;
    let set = Hook::live(&hook);
    let error = set.and_then(|set| set.sender().last_error);
    let allowed = bot.world.allowed();
    Ok(Done::object(&WebhookInfo {
        url: set.map_or("", |set| &set.wish.url),
        has_custom_certificate: set.is_some_and(|set| set.certificate),
        pending_update_count: bot.updates.pending(),
        last_error_date: error.as_ref().map(|error| error.at.unix_millis().div_euclid(1000)),
        last_error_message: error.map(|error| error.message),
        max_connections: set.map(|set| set.wish.max_connections),
        ip_address: set.map(ip_address),
        allowed_updates: allowed.names(),
    }))
}

/// The address in use, as far as it is known without asking anybody.
fn ip_address(set: &Set) -> String {
    let own = || match webhook::parse(&set.wish.url)?.host()? {
        url::Host::Ipv4(address) => Some(address.to_string()),
        url::Host::Domain("localhost") => Some("127.0.0.1".to_owned()),
        url::Host::Domain(_) | url::Host::Ipv6(_) => None,
    };
    if set.wish.ip_address.is_empty() {
        own().unwrap_or_else(|| "<unknown>".to_owned())
    } else {
        set.wish.ip_address.clone()
    }
}
