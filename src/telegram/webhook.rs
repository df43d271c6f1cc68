//! Pure: no I/O, no clock. The Bot API methods that say where updates go, and what Telegram says of it.

use serde::{Deserialize, Serialize};

/// The kinds of updates that Tapgate asks for; exactly these, so that nothing is posted that it would throw away.
pub const ALLOWED_UPDATES: [&str; 4] = ["message", "callback_query", "pre_checkout_query", "my_chat_member"];

/// Most requests at once that Telegram can be told to make; a larger number is silently lowered to it.
pub const MAX_CONNECTIONS_MAX: u16 = 100;

/// What Telegram takes when it is told nothing.
pub const MAX_CONNECTIONS_DEFAULT: u16 = 40;

/// Longest `secret_token`, in bytes.
pub const SECRET_TOKEN_MAX_BYTES: usize = 256;

/// What a `secret_token` may be, in words.
pub const SECRET_TOKEN_HELP: &str = "1 to 256 characters of A-Z a-z 0-9 _ -";

/// Whether Telegram takes `secret` as a `secret_token`. An empty one it takes too, and then sends none.
pub fn is_secret_token(secret: &str) -> bool {
    (1..=SECRET_TOKEN_MAX_BYTES).contains(&secret.len())
        && secret.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte))
}

/// Largest certificate, in bytes.
pub const CERTIFICATE_MAX_BYTES: usize = 3 * 1024 * 1024;

/// `setWebhook`. The certificate is no parameter but a file beside them. `S` is what the caller keeps secrets in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SetWebhook<S> {
    /// Where updates are posted.
    pub url: String,
    /// A fixed address instead of what the name resolves to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ip_address: Option<String>,
    /// How many requests Telegram may make at once.
    pub max_connections: u16,
    /// Which kinds of updates are wanted.
    pub allowed_updates: [&'static str; 4],
    /// Whether everything that waits at Telegram is thrown away; left out when not, so that no mistake can drop.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub drop_pending_updates: bool,
    /// What Telegram has to send with every update.
    pub secret_token: S,
}

/// `deleteWebhook`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct DeleteWebhook {
    /// Whether everything that waits at Telegram is thrown away.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub drop_pending_updates: bool,
}

/// What `getWebhookInfo` says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WebhookInfo {
    /// Where updates are posted; empty: nowhere.
    #[serde(default)]
    pub url: String,
    /// Whether a certificate of one's own was uploaded.
    #[serde(default)]
    pub has_custom_certificate: bool,
    /// Everything not yet acknowledged, what is in flight included.
    #[serde(default)]
    pub pending_update_count: u64,
    /// The address that is used now, or `<unknown>`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ip_address: Option<String>,
    /// When a delivery failed last, Unix seconds. Successes never clear it, only a new webhook does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_error_date: Option<i64>,
    /// How it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_error_message: Option<String>,
    /// How many requests Telegram may make at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_connections: Option<u64>,
    /// Which kinds are wanted; absent when they are Telegram's default ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed_updates: Option<Vec<String>>,
}

/// What `getMe` says of a bot.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Me {
    /// Its id.
    pub id: super::id::BotId,
    /// Its name without `@`.
    pub username: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_token_is_plain_and_neither_empty_nor_long() {
        let longest = "x".repeat(SECRET_TOKEN_MAX_BYTES);
        for secret in ["x", "AZaz09_-", &longest] {
            assert!(is_secret_token(secret), "{secret}");
        }
        let longer = "x".repeat(SECRET_TOKEN_MAX_BYTES + 1);
        for secret in ["", "a b", "a.b", "a\n", "ä", &longer] {
            assert!(!is_secret_token(secret), "{secret}");
        }
        assert!(SECRET_TOKEN_HELP.contains(&SECRET_TOKEN_MAX_BYTES.to_string()));
    }
}
