//! Where a bot's updates go: the webhook as it is set, and the rules for its address.
//! Source: tdlib/telegram-bot-api `Client.cpp` (`process_set_webhook_query`, `do_set_webhook`), `WebhookActor.cpp`
//! (`start_up`, `check_ip_address`); tdlib/td `IPAddress.cpp` (`is_reserved`).

use super::Mode;
use super::bot::Bot;
use crate::clock::Timestamp;
use crate::sandbox::deliver::{Delivering, Info};
use crate::secret::Secret;
use ipnet::Ipv4Net;
use std::net::IpAddr;
use url::{Host, Url};

/// Where updates can go on the public server.
const PORTS: [u16; 4] = [80, 88, 443, 8443];

/// Addresses that the public server refuses, beside all of IPv6.
const RESERVED: [&str; 14] = [
    "0.0.0.0/8",
    "10.0.0.0/8",
    "100.64.0.0/10",
    "127.0.0.0/8",
    "169.254.0.0/16",
    "172.16.0.0/12",
    "192.0.0.0/24",
    "192.0.2.0/24",
    "192.88.99.0/24",
    "192.168.0.0/16",
    "198.18.0.0/15",
    "198.51.100.0/24",
    "203.0.113.0/24",
    "224.0.0.0/3",
];

/// How a bot's webhook is set, and how its sender is doing.
#[derive(Clone, Debug)]
pub struct WebhookState {
    /// Its address.
    pub url: String,
    /// Most connections at once.
    pub max_connections: u32,
    /// How the sender is doing.
    pub sender: Info,
}

/// A bot's webhook, or that it has none.
#[derive(Debug, Default)]
pub(super) struct Hook {
    pub(super) set: Option<Set>,
    /// Before this, setWebhook answers 429.
    pub(super) next_allowed: Timestamp,
}

/// A webhook that is set.
#[derive(Debug)]
pub(super) struct Set {
    pub(super) wish: Wish,
    pub(super) certificate: bool,
    /// None where the sandbox cannot post to the address.
    pub(super) delivering: Option<Delivering>,
}

/// What is asked for, as far as a second call with the same changes nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Wish {
    pub(super) url: String,
    pub(super) max_connections: u32,
    pub(super) ip_address: String,
    pub(super) secret_token: Secret,
}

impl Hook {
    /// Forgets a webhook whose 410s have gone on for too long.
    pub(super) async fn settle(&mut self) {
        let delivering = self.set.as_ref().and_then(|set| set.delivering.as_ref());
        if delivering.is_some_and(|delivering| delivering.info().removed) {
            self.close().await;
        }
    }

    /// Closes the webhook, its connections dropped with their requests in flight; whether there was one.
    pub(super) async fn close(&mut self) -> bool {
        let Some(set) = self.set.take() else { return false };
        if let Some(delivering) = set.delivering {
            delivering.stop().await;
        }
        true
    }

    /// The webhook, unless it was removed.
    pub(super) fn live(&self) -> Option<&Set> {
        self.set.as_ref().filter(|set| !set.sender().removed)
    }

    pub(super) async fn quiet(&self) {
        if let Some(delivering) = self.set.as_ref().and_then(|set| set.delivering.as_ref()) {
            delivering.quiet().await;
        }
    }
}

impl Set {
    pub(super) fn sender(&self) -> Info {
        self.delivering.as_ref().map(Delivering::info).unwrap_or_default()
    }
}

pub(super) async fn state(bot: &Bot) -> Option<WebhookState> {
    let hook = bot.hook.read().await;
    let set = hook.live()?;
    Some(WebhookState { url: set.wish.url.clone(), max_connections: set.wish.max_connections, sender: set.sender() })
}

/// `text` as an address of a webhook; a missing scheme is `https`.
pub(super) fn parse(text: &str) -> Option<Url> {
    let whole = if text.contains("://") { text.to_owned() } else { format!("https://{text}") };
    let url = Url::parse(&whole).ok()?;
    (matches!(url.scheme(), "http" | "https") && url.has_host()).then_some(url)
}

/// Whether updates may go to `url` (and to `ip_address`, if one is given). What the name resolves to is not asked.
///
/// # Errors
/// What Telegram says after `bad webhook: `.
pub(super) fn check(url: &Url, ip_address: &str, mode: Mode) -> Result<(), String> {
    let address = match (ip_address, url.host()) {
        ("", Some(Host::Ipv4(address))) => Some(IpAddr::V4(address)),
        ("", Some(Host::Ipv6(address))) => Some(IpAddr::V6(address)),
        ("", _) => None,
        (given, _) => Some(given.parse().map_err(|_| "Invalid IP address specified")?),
    };
    if mode == Mode::Local {
        return Ok(());
    }
    if url.scheme() != "https" {
        return Err("An HTTPS URL must be provided for webhook".to_owned());
    }
    if !url.port_or_known_default().is_some_and(|port| PORTS.contains(&port)) {
        return Err("Webhook can be set up only on ports 80, 88, 443 or 8443".to_owned());
    }
    match address {
        Some(IpAddr::V6(_)) => Err("IPv6-only addresses are not allowed".to_owned()),
        Some(IpAddr::V4(address)) => {
            let reserved =
                RESERVED.iter().filter_map(|net| net.parse::<Ipv4Net>().ok()).any(|net| net.contains(&address));
            if reserved { Err(format!("IP address {address} is reserved")) } else { Ok(()) }
        }
        None => Ok(()),
    }
}

/// Whether `token` may be a secret token.
///
/// # Errors
/// What Telegram says.
pub(super) fn check_secret(token: &str) -> Result<(), &'static str> {
    if token.len() > 256 {
        return Err("secret token is too long");
    }
    let allowed = token.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    if allowed { Ok(()) } else { Err("secret token contains unallowed characters") }
}
