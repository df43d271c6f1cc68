//! Pure: no I/O, no clock. What the public Bot API would refuse, found before it is asked:
//! it ends the running webhook first and looks at the new one afterwards, so that a refusal leaves a bot with none.
//! Never looks a name up.

use crate::bot::{WEBHOOK_PREFIX, webhook_url};
use crate::problem::{Problem, Problems};
use crate::telegram::id::BotId;
use crate::telegram::webhook::{CERTIFICATE_MAX_BYTES, MAX_CONNECTIONS_MAX, SECRET_TOKEN_HELP, is_secret_token};
use ipnet::Ipv4Net;
use std::net::Ipv4Addr;
use url::{Host, Url};

/// Where the public Bot API delivers to.
const PORTS: [u16; 4] = [443, 80, 88, 8443];

/// Longest URL, in bytes. Telegram's request head holds at most 4,096, of them at most 256 the secret; were it longer,
/// every update would be undeliverable without an error to be seen.
const URL_MAX_BYTES: usize = 3000;

/// IPv4 addresses that the public Bot API refuses (tdlib, `IPAddress::is_reserved`).
const RESERVED: [([u8; 4], u8); 14] = [
    ([0, 0, 0, 0], 8),
    ([10, 0, 0, 0], 8),
    ([100, 64, 0, 0], 10),
    ([127, 0, 0, 0], 8),
    ([169, 254, 0, 0], 16),
    ([172, 16, 0, 0], 12),
    ([192, 0, 0, 0], 24),
    ([192, 0, 2, 0], 24),
    ([192, 88, 99, 0], 24),
    ([192, 168, 0, 0], 16),
    ([198, 18, 0, 0], 15),
    ([198, 51, 100, 0], 24),
    ([203, 0, 113, 0], 24),
    ([224, 0, 0, 0], 3),
];

/// Whose rules hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Api {
    /// Telegram's own.
    Public,
    /// A local Bot API server: any scheme, port and address.
    Local,
}

/// What is to be set.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wish<'a> {
    pub api: Api,
    pub base: &'a str,
    pub bot: BotId,
    pub secret: &'a str,
    pub max_connections: u16,
    pub ip_address: Option<&'a str>,
    pub certificate: Option<&'a [u8]>,
}

/// The URL to be set, and the base to be remembered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::cli) struct Target {
    pub base: String,
    pub url: String,
}

/// Everything at once.
pub(super) fn check(wish: &Wish<'_>) -> Result<Target, Problems> {
    let mut problems = Problems::default();
    let target = target(wish).map_err(|problem| problems.push(problem));
    if let Some(address) = wish.ip_address {
        problems.0.extend(ip_address(address, wish.api).err());
    }
    if let Some(certificate) = wish.certificate {
        problems.0.extend(self::certificate(certificate).err());
    }
    problems.0.extend(secret(wish.secret).err());
    if !(1..=MAX_CONNECTIONS_MAX).contains(&wish.max_connections) {
        let problem = Problem::new("--max-connections", format!("{} is out of range", wish.max_connections));
        problems.push(problem.help(format!("1 to {MAX_CONNECTIONS_MAX}")));
    }
    match target {
        Ok(target) => problems.or(target),
        Err(()) => Err(problems),
    }
}

fn refuse<T>(flag: &str, message: impl Into<String>, help: &str) -> Result<T, Problem> {
    Err(Problem::new(flag, message).help(help))
}

fn target(wish: &Wish<'_>) -> Result<Target, Problem> {
    const FLAG: &str = "--url";
    const HELP: &str = "such as https://bot.example.org";
    let base = wish.base.trim();
    if base.contains(|letter: char| letter.is_whitespace() || letter.is_control()) {
        return refuse(FLAG, "a blank inside the URL", HELP);
    }
    let written = base.to_ascii_lowercase();
    match wish.api {
        Api::Public if !written.starts_with("https://") => return refuse(FLAG, "it must begin with https://", HELP),
        Api::Local if !written.starts_with("https://") && !written.starts_with("http://") => {
            return refuse(FLAG, "it must begin with https:// or http://", "such as http://127.0.0.1:8080");
        }
        Api::Public | Api::Local => {}
    }
    let Ok(url) = Url::parse(base) else { return refuse(FLAG, "not a URL", HELP) };
    if !url.username().is_empty() || url.password().is_some() {
        return refuse(
            FLAG,
            "a user or a password in the URL",
            "leave it away: Telegram sends the bot's secret instead",
        );
    }
    if url.query().is_some() || url.fragment().is_some() {
        return refuse(FLAG, "a base URL has neither query nor fragment", HELP);
    }
    if url.path().contains(WEBHOOK_PREFIX) {
        return refuse(FLAG, format!("{WEBHOOK_PREFIX}{} is appended by itself", wish.bot), "give the base alone");
    }
    if wish.api == Api::Public {
        public_host(&url, base)?;
    }
    let base = url.as_str().trim_end_matches('/').to_owned();
    let url = webhook_url(&base, wish.bot);
    if url.len() > URL_MAX_BYTES {
        return refuse(FLAG, format!("longer than {URL_MAX_BYTES} bytes"), HELP);
    }
    Ok(Target { base, url })
}

/// A host and a port that the public Bot API delivers to. `url` is `base` as a browser understands it.
fn public_host(url: &Url, base: &str) -> Result<(), Problem> {
    const FLAG: &str = "--url";
    const HELP: &str = "a public host name or IPv4 address; --local-api for a Bot API server of your own";
    match url.host() {
        Some(Host::Domain(name)) => {
            let name = name.strip_suffix('.').unwrap_or(name);
            let labels = || name.split('.');
            if labels().count() < 2 {
                return refuse(FLAG, format!("`{name}` is no public host name"), HELP);
            }
            if name.len() > 253 || !labels().all(is_label) {
                return refuse(FLAG, "no host can have that name", HELP);
            }
        }
        Some(Host::Ipv4(address)) if is_reserved(address) => {
            return refuse(FLAG, format!("{address} is a reserved address"), HELP);
        }
        // A browser takes `1.1` for 1.0.0.1, which is a stranger's.
        Some(Host::Ipv4(address)) if !is_written_out(address, base) => {
            return refuse(FLAG, format!("an IPv4 address is written in full, as {address}"), HELP);
        }
        Some(Host::Ipv4(_)) => {}
        Some(Host::Ipv6(_)) => return refuse(FLAG, "Telegram does not deliver to IPv6 addresses", HELP),
        None => return refuse(FLAG, "no host", HELP),
    }
    match url.port_or_known_default() {
        Some(port) if PORTS.contains(&port) => Ok(()),
        _ => refuse(FLAG, "Telegram does not deliver to that port", "443, 80, 88 or 8443"),
    }
}

/// One part of a host name (RFC 952, RFC 1123 §2.1): small letters, digits and hyphens, no hyphen at an edge. A name in
/// another script is in punycode by now.
fn is_label(label: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    (1..=63).contains(&label.len()) && label.bytes().all(plain) && !label.starts_with('-') && !label.ends_with('-')
}

/// Whether the host of `base` is `address` as four decimal numbers.
fn is_written_out(address: Ipv4Addr, base: &str) -> bool {
    let host = base.split_once("://").map_or(base, |(_, rest)| rest);
    let host = host.split([':', '/']).next().unwrap_or_default();
    host == address.to_string()
}

fn is_reserved(address: Ipv4Addr) -> bool {
    RESERVED.iter().any(|(network, prefix)| {
        Ipv4Net::new(Ipv4Addr::from(*network), *prefix).is_ok_and(|network| network.contains(&address))
    })
}

fn ip_address(text: &str, api: Api) -> Result<(), Problem> {
    const FLAG: &str = "--ip-address";
    let help = "the public IPv4 address that Telegram is to use";
    match (text.parse::<std::net::IpAddr>(), api) {
        (Err(_), _) => refuse(FLAG, "not an IP address", help),
        (Ok(_), Api::Local) => Ok(()),
        (Ok(std::net::IpAddr::V6(_)), Api::Public) => refuse(FLAG, "Telegram does not deliver to IPv6 addresses", help),
        (Ok(std::net::IpAddr::V4(address)), Api::Public) if is_reserved(address) => {
            refuse(FLAG, format!("{address} is a reserved address"), help)
        }
        (Ok(std::net::IpAddr::V4(_)), Api::Public) => Ok(()),
    }
}

fn certificate(pem: &[u8]) -> Result<(), Problem> {
    const FLAG: &str = "--certificate";
    let help = "the public certificate in PEM, -----BEGIN CERTIFICATE-----";
    let contains = |word: &str| pem.windows(word.len()).any(|window| window == word.as_bytes());
    match () {
        () if pem.len() > CERTIFICATE_MAX_BYTES => {
            refuse(FLAG, format!("larger than {CERTIFICATE_MAX_BYTES} bytes"), help)
        }
        () if contains("PRIVATE KEY-----") => refuse(FLAG, "there is a private key in it, which nobody may have", help),
        () if !contains("-----BEGIN CERTIFICATE-----") => refuse(FLAG, "no certificate in it", help),
        () => Ok(()),
    }
}

fn secret(secret: &str) -> Result<(), Problem> {
    if is_secret_token(secret) {
        return Ok(());
    }
    refuse("the bot's secret", "Telegram does not take it", SECRET_TOKEN_HELP)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const PATH: &str = "/telegram/webhook/123456";
    const PEM: &[u8] = b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";

    fn wish(base: &str) -> Wish<'_> {
        Wish {
            api: Api::Public,
            base,
            bot: BotId(123_456),
            secret: "abc_-09",
            max_connections: 40,
            ip_address: None,
            certificate: None,
        }
    }

    /// The problems' origins.
    fn blamed(wish: &Wish<'_>) -> Vec<String> {
        check(wish).err().into_iter().flat_map(|problems| problems.0).map(|problem| problem.origin).collect()
    }

    #[test]
    fn what_telegram_takes_is_taken() {
        for (base, url) in [
            ("https://bot.example.org", "https://bot.example.org/telegram/webhook/123456"),
            ("https://bot.example.org/", "https://bot.example.org/telegram/webhook/123456"),
            ("HTTPS://Bot.Example.ORG:443", "https://bot.example.org/telegram/webhook/123456"),
            ("https://bot.example.org:8443/sub/", "https://bot.example.org:8443/sub/telegram/webhook/123456"),
            ("https://bot.example.org:80", "https://bot.example.org:80/telegram/webhook/123456"),
            ("https://bot.example.org:88", "https://bot.example.org:88/telegram/webhook/123456"),
            ("https://8.8.8.8", "https://8.8.8.8/telegram/webhook/123456"),
            ("https://8.8.8.8:8443/sub", "https://8.8.8.8:8443/sub/telegram/webhook/123456"),
            ("https://172.15.255.255", "https://172.15.255.255/telegram/webhook/123456"),
            ("https://бот.example.org", "https://xn--90a0am.example.org/telegram/webhook/123456"),
            ("https://3-bots.1and1.org", "https://3-bots.1and1.org/telegram/webhook/123456"),
            ("https://bot.example.org.", "https://bot.example.org./telegram/webhook/123456"),
        ] {
            assert_eq!(check(&wish(base)).map(|target| target.url), Ok(url.to_owned()), "{base}");
        }
    }

    #[test]
    fn what_the_public_bot_api_refuses_is_refused() {
        let long = format!("https://bot.example.org/{}", "x".repeat(URL_MAX_BYTES));
        let label = format!("https://{}.org", "x".repeat(64));
        for base in [
            "",
            "bot.example.org",
            "http://bot.example.org",
            "ftp://bot.example.org",
            "https:bot.example.org",
            "https:/bot.example.org",
            "https://",
            "https://localhost",
            "https://localhost.",
            "https://bot.example.org:8080",
            "https://bot.example.org:0",
            "https://bot.example.org:99999",
            "https://bot..example.org",
            "https://bot.exam ple.org",
            "https://bot.example.org\nHost: x",
            "https://me:pass@bot.example.org",
            "https://me@bot.example.org",
            "https://bot.example.org?x=1",
            "https://bot.example.org/#x",
            "https://bot.example.org/telegram/webhook/123456",
            "https://bot.example.org/telegram/webhook/",
            "https://[2001:db8::1]",
            "https://[::ffff:8.8.8.8]",
            "https://*.org",
            "https://*.example.org",
            "https://-x.org",
            "https://x-.org",
            "https://bot.-example-.org",
            "https://my_bot.example.org",
            "https://bot!.example.org",
            "https://bot$(x).example.org",
            "https://1.1",
            "https://8.8.8",
            "https://8.8.8.8.",
            "https://8.8.8.010",
            "https://0x8.8.8.8",
            "https://134744072",
            "https://\u{ff18}.8.8.8",
            "https:///8.8.8.8",
            "https://0.1.2.3",
            "https://10.0.0.1",
            "https://100.64.0.1",
            "https://127.0.0.1",
            "https://2130706433",
            "https://0x7f.1",
            "https://169.254.1.1",
            "https://172.31.255.255",
            "https://192.0.0.1",
            "https://192.0.2.1",
            "https://192.88.99.1",
            "https://192.168.1.1",
            "https://198.19.0.1",
            "https://198.51.100.1",
            "https://203.0.113.1",
            "https://224.0.0.1",
            "https://255.255.255.255",
            &long,
            &label,
        ] {
            assert_eq!(blamed(&wish(base)), ["--url"], "{base}");
        }
    }

    #[test]
    fn a_local_bot_api_server_takes_more_but_not_everything() {
        let local = |base| Wish { api: Api::Local, ..wish(base) };
        for base in ["http://localhost:8080", "https://127.0.0.1", "http://[::1]:81", "http://tapgate:8080/x"] {
            assert_eq!(blamed(&local(base)), Vec::<String>::new(), "{base}");
        }
        for base in ["localhost:8080", "ftp://localhost", "http://", "http://me:pass@localhost"] {
            assert_eq!(blamed(&local(base)), ["--url"], "{base}");
        }
        let own = Wish { ip_address: Some("fd00::1"), ..local("http://localhost") };
        assert_eq!(blamed(&own), Vec::<String>::new());
    }

    #[test]
    fn everything_else_is_checked_too_and_all_at_once() {
        let large = [PEM, &vec![b'x'; CERTIFICATE_MAX_BYTES]].concat();
        let key = [PEM, b"-----BEGIN PRIVATE KEY-----"].concat();
        let good = wish("https://bot.example.org");
        let secret = "x".repeat(257);
        for (wish, expected) in [
            (Wish { certificate: Some(PEM), ip_address: Some("8.8.8.8"), max_connections: 100, ..good }, &[][..]),
            (Wish { certificate: Some(&large), ..good }, &["--certificate"]),
            (Wish { certificate: Some(&key), ..good }, &["--certificate"]),
            (Wish { certificate: Some(b"hello"), ..good }, &["--certificate"]),
            (Wish { ip_address: Some("10.1.2.3"), ..good }, &["--ip-address"]),
            (Wish { ip_address: Some("2001:db8::1"), ..good }, &["--ip-address"]),
            (Wish { ip_address: Some("bot.example.org"), ..good }, &["--ip-address"]),
            (Wish { secret: "", ..good }, &["the bot's secret"]),
            (Wish { secret: "a b", ..good }, &["the bot's secret"]),
            (Wish { secret: &secret, ..good }, &["the bot's secret"]),
            (Wish { max_connections: 0, ..good }, &["--max-connections"]),
            (Wish { max_connections: 101, ..good }, &["--max-connections"]),
            (
                Wish {
                    base: "x",
                    ip_address: Some("x"),
                    certificate: Some(b""),
                    secret: "",
                    max_connections: 0,
                    ..good
                },
                &["--url", "--ip-address", "--certificate", "the bot's secret", "--max-connections"],
            ),
        ] {
            assert_eq!(blamed(&wish), expected, "{wish:?}");
        }
    }

    proptest! {
        #[test]
        fn whatever_is_written_what_is_taken_is_public_and_plain(base in "(https://)?[a-z0-9.:\\[\\]/@?#\\PC]{0,40}") {
            if let Ok(target) = check(&wish(&base)) {
                let url = Url::parse(&target.url).unwrap();
                prop_assert_eq!(url.scheme(), "https");
                prop_assert!(url.path().ends_with(PATH));
                prop_assert!(target.url.is_ascii() && !target.url.contains(|letter: char| letter <= ' '));
                let plain = |letter: char| matches!(letter, 'a'..='z' | '0'..='9' | '-' | '.');
                prop_assert!(url.host_str().is_some_and(|host| host.contains('.') && host.chars().all(plain)));
                // The same again, since the base is remembered.
                prop_assert_eq!(check(&wish(&target.base)), Ok(target));
            }
        }
    }
}
