//! Pure: no I/O, no clock. What Telegram has against what we want.

use super::Bot;
use crate::telegram::webhook::{ALLOWED_UPDATES, WebhookInfo};
use serde::Serialize;

/// What we want. Telegram never says which secret it has, so that cannot be compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Wanted {
    /// None: `set-webhook` was never told a base URL.
    pub url: Option<String>,
    /// How many updates Telegram may post at once.
    pub max_connections: u16,
    /// Which kinds of updates.
    pub allowed_updates: [&'static str; 4],
}

/// One thing that is not as wanted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// `url`, `max_connections` or `allowed_updates`.
    pub what: &'static str,
    /// What Telegram has.
    pub telegram: String,
    /// What we want.
    pub wanted: String,
}

impl Wanted {
    /// Of `bot`.
    pub fn of(bot: &Bot) -> Self {
        Self { url: bot.webhook_url(), max_connections: bot.max_connections, allowed_updates: ALLOWED_UPDATES }
    }

    /// What is not so at Telegram.
    pub fn differences(&self, has: &WebhookInfo) -> Vec<Difference> {
        let mut differences = Vec::new();
        let wanted = self.url.as_deref().unwrap_or_default();
        if has.url != wanted {
            differences.push(Difference { what: "url", telegram: or_none(&has.url), wanted: or_none(wanted) });
        }
        if has.url.is_empty() {
            return differences;
        }
        let connections = has.max_connections.unwrap_or_default();
        if connections != u64::from(self.max_connections) {
            differences.push(Difference {
                what: "max_connections",
                telegram: connections.to_string(),
                wanted: self.max_connections.to_string(),
            });
        }
        // Absent: Telegram's default kinds, which are others than ours.
        let sorted = |kinds: Vec<String>| {
            let mut kinds = kinds;
            kinds.sort();
            kinds.join(", ")
        };
        let kinds = has.allowed_updates.clone().map_or_else(|| "Telegram's default ones".to_owned(), sorted);
        let ours = sorted(self.allowed_updates.map(str::to_owned).to_vec());
        if kinds != ours {
            differences.push(Difference { what: "allowed_updates", telegram: kinds, wanted: ours });
        }
        differences
    }
}

fn or_none(url: &str) -> String {
    if url.is_empty() { "none".to_owned() } else { url.to_owned() }
}
