//! What is of one bot: its flow, its token, its webhook, its URL as anybody sees it, its dead letters.

use super::Finding;
use crate::bot::{Bot, Wanted};
use crate::bot_api::{Client, Error};
use crate::cli::context::Setup;
use crate::cli::output;
use crate::clock::{self, Timestamp};
use crate::library::Library;
use crate::storage::Storage;
use crate::telegram::webhook::WebhookInfo;
use std::time::Duration;

/// How far back an error of Telegram's is news: it never clears it.
const RECENT: Duration = Duration::from_secs(3600);
/// So many updates that wait at Telegram are more than a burst.
const PENDING_MAX: u64 = 100;
const TIMEOUT: Duration = Duration::from_secs(10);
/// Most dead letters that are counted.
const DEAD_MAX: usize = 1000;

/// What is looked at.
pub(super) struct Looked<'a> {
    pub(super) setup: &'a Setup<'a>,
    pub(super) storage: &'a Storage,
    /// None: not all flows are sound, which is said already.
    pub(super) library: Option<&'a Library>,
}

impl Looked<'_> {
    pub(super) async fn at_all(&self, only: Option<&str>, findings: &mut Vec<Finding>) {
        let bots = match self.storage.bots().await {
            Ok(bots) => bots,
            Err(error) => return findings.push(Finding::wrong("bots", output::with_causes(&error), "see `database`")),
        };
        let chosen: Vec<_> = bots.iter().filter(|bot| only.is_none_or(|name| bot.name == name)).collect();
        if chosen.is_empty() {
            let said =
                only.map_or_else(|| "there is none yet".to_owned(), |name| format!("there is none called {name}"));
            findings.push(Finding::wrong("bots", said, "`botctl bot add`, or see `botctl bot list`"));
        }
        for bot in chosen {
            self.at(bot, findings).await;
        }
    }

    async fn at(&self, bot: &Bot, findings: &mut Vec<Finding>) {
        let Self { setup, storage, library } = *self;
        let about = |what: &str| format!("{}: {what}", bot.name);
        if bot.paused {
            let advice = format!("`botctl resume --bot {}` takes its updates again", bot.name);
            findings.push(Finding::doubtful(about("paused"), "its updates are answered 503", advice));
        }
        if library.is_some_and(|library| library.dialogue(&bot.flow).is_none()) {
            let said = format!("the flow {} is not there, its updates are answered 503", bot.flow);
            findings.push(Finding::wrong(about("flow"), said, "set TAPGATE_FLOWS_DIR, or `botctl bot set --flow`"));
        }
        let Ok(client) = Client::new(&setup.telegram_api_url, setup.sender.call_timeout.min(TIMEOUT)) else { return };
        match client.get_me(&bot.token).await {
            Ok(me) if me.id == bot.id => findings.push(Finding::well(about("token"), "Telegram takes it")),
            Ok(me) => {
                let said = format!("it is that of bot {}, not {}", me.id, bot.id);
                findings.push(Finding::wrong(about("token"), said, "`botctl bot set --token -`"));
            }
            Err(Error::Unauthorized) => {
                let advice = "take the current one from @BotFather: `botctl bot set --token -`";
                return findings.push(Finding::wrong(about("token"), "Telegram does not take it", advice));
            }
            // Said of the Bot API already.
            Err(error) => return findings.push(Finding::wrong(about("token"), error.to_string(), "try again")),
        }
        let mut certificate = Certificate::Anybodys;
        match client.get_webhook_info(&bot.token).await {
            Ok(info) => {
                webhook(bot, &info, clock::now(), findings);
                if info.has_custom_certificate {
                    certificate = Certificate::GivenToTelegram;
                }
            }
            Err(error) => findings.push(Finding::wrong(about("webhook"), error.to_string(), "try again")),
        }
        if let Some(url) = bot.webhook_url() {
            findings.push(seen_from_here(&about("url"), &url, certificate).await);
        }
        match storage.failures(bot.id, DEAD_MAX).await.map(|all| all.iter().filter(|it| it.dead_at.is_some()).count()) {
            Ok(0) => findings.push(Finding::well(about("dead letters"), "none")),
            Ok(dead) => {
                let said = format!("{dead}{} updates were given up", if dead == DEAD_MAX { " or more" } else { "" });
                findings.push(Finding::doubtful(about("dead letters"), said, "`botctl dead list` shows them"));
            }
            Err(error) => {
                findings.push(Finding::wrong(about("dead letters"), output::with_causes(&error), "see `database`"))
            }
        }
    }
}

fn webhook(bot: &Bot, info: &WebhookInfo, now: Timestamp, findings: &mut Vec<Finding>) {
    let about = format!("{}: webhook", bot.name);
    let differences = Wanted::of(bot).differences(info);
    findings.push(if bot.base_url.is_none() && info.url.is_empty() {
        Finding::wrong(&about, "it was never set", "`botctl set-webhook --url https://YOUR.NAME`")
    } else if differences.is_empty() {
        Finding::well(&about, "Telegram has what we want")
    } else {
        let what = differences.iter().map(|it| it.what).collect::<Vec<_>>().join(", ");
        let said = format!("Telegram has another {what} than we want");
        Finding::wrong(&about, said, "`botctl webhook-info` shows both, `botctl set-webhook` makes them equal")
    });
    if info.pending_update_count > PENDING_MAX {
        let said = format!("{} updates wait at Telegram", info.pending_update_count);
        findings.push(Finding::doubtful(&about, said, "see what failed last, and `botctl capacity`"));
    }
    let Some(date) = info.last_error_date else { return };
    let ago = now.since(Timestamp::from_unix_seconds(date));
    let message = info.last_error_message.as_deref().unwrap_or_default();
    if ago <= RECENT {
        let said = format!("a delivery failed {} ago: {message}", output::duration(ago));
        findings.push(Finding::doubtful(about, said, in_plain_words(message)));
    }
}

/// What Telegram's words for a failed delivery mean here.
fn in_plain_words(message: &str) -> &'static str {
    const WORDS: &[(&str, &str)] = &[
        ("401", "its secret is not ours: `botctl set-webhook`"),
        ("403", "the server takes Telegram for a stranger: nginx's address is missing in TAPGATE_TRUSTED_PROXIES"),
        ("404", "another site answers under this name, or nginx passes another path on"),
        ("413", "something before the server takes no bodies of half a megabyte: client_max_body_size of nginx"),
        ("502", "nginx reaches no server: is it running, at the address in servers.conf?"),
        ("503", "the server was overloaded, paused or without its database: its log and /metrics say which"),
        ("504", "a server did not answer nginx in time"),
        ("certificate", "give nginx the full chain, or Telegram your certificate: `botctl set-webhook --certificate`"),
        ("SSL", "the TLS of nginx: certificate, chain, TLS 1.2 or newer"),
        ("resolve", "the name does not lead anywhere: DNS"),
        ("refused", "nobody listens there: nginx, or the port in the URL"),
        ("imeout", "the firewall drops it, or the answer takes 60 s and more"),
        ("imed out", "the firewall drops it, or the answer takes 60 s and more"),
    ];
    let found = WORDS.iter().find(|(words, _)| message.contains(words));
    found.map_or("if it goes on, the log of nginx at that moment says more", |(_, meaning)| meaning)
}

/// Who can check the certificate of a URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Certificate {
    /// Whoever knows the usual authorities.
    Anybodys,
    /// Telegram alone: it was uploaded there.
    GivenToTelegram,
}

/// What anybody gets who is not Telegram: through DNS, firewall, TLS and nginx, to a server that refuses.
async fn seen_from_here(what: &str, url: &str, certificate: Certificate) -> Finding {
    let client = reqwest::Client::builder()
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .timeout(TIMEOUT)
        .tls_danger_accept_invalid_certs(certificate == Certificate::GivenToTelegram);
    let answer = match client.build() {
        Ok(client) => client.post(url).body("{}").send().await,
        Err(error) => Err(error),
    };
    match answer.map(|response| response.status().as_u16()) {
        Ok(403) => Finding::well(what, "answers, and refuses whoever is not Telegram"),
        Ok(401) => Finding::well(what, "answers, and refuses whoever has not the secret"),
        Ok(status @ 502..=504) => Finding::wrong(
            what,
            format!("{status}: nginx is there, the server behind it is not"),
            "is it running, at the address in servers.conf?",
        ),
        Ok(404) => {
            Finding::wrong(what, "404: another site answers", "the name in listen.conf, or the path that is passed on")
        }
        Ok(status) => Finding::wrong(what, format!("{status}, which no Tapgate says"), "who answers there?"),
        Err(error) => Finding::wrong(
            what,
            format!("it cannot be reached from here: {}", output::with_causes(&error.without_url())),
            "the name, the firewall, the certificate (one of your own: `botctl set-webhook --certificate`)",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn telegrams_words_are_told_what_to_do_about() {
        for (message, word) in [
            ("Wrong response from the webhook: 401 Unauthorized", "set-webhook"),
            ("Wrong response from the webhook: 403 Forbidden", "TRUSTED_PROXIES"),
            ("Wrong response from the webhook: 502 Bad Gateway", "servers.conf"),
            ("SSL error {error:0A000086:SSL routines::certificate verify failed}", "chain"),
            ("Connection refused", "listens"),
            ("Read timeout expired", "60 s"),
            ("Failed to resolve host: Name or service not known", "DNS"),
            ("something of a later version", "nginx"),
        ] {
            assert!(in_plain_words(message).contains(word), "{message}: {}", in_plain_words(message));
        }
    }
}
