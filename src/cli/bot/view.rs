//! A bot as people and programs are shown it: never its token, its secret only where it was asked for.

use crate::bot::Bot;
use crate::cli::output;
use crate::clock;
use serde::Serialize;

#[derive(Serialize)]
pub(super) struct View {
    pub id: i64,
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub username: Option<String>,
    pub webhook_path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub webhook_url: Option<String>,
    pub flow: String,
    pub max_connections: u16,
    pub paused: bool,
    /// During a rotation: until when the secret before this one is accepted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old_secret_until: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secret: Option<String>,
}

/// Whether the webhook secret is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SecretIs {
    Shown,
    Hidden,
}

impl SecretIs {
    pub(super) fn shown_if(asked: bool) -> Self {
        if asked { Self::Shown } else { Self::Hidden }
    }
}

impl View {
    pub(super) fn of(bot: &Bot, secret: SecretIs) -> Self {
        let now = clock::now();
        let until = bot.previous_secret.as_ref().filter(|(_, until)| *until > now);
        Self {
            id: bot.id.0,
            name: bot.name.clone(),
            username: bot.username.clone(),
            webhook_path: bot.webhook_path(),
            webhook_url: bot.webhook_url(),
            flow: bot.flow.clone(),
            max_connections: bot.max_connections,
            paused: bot.paused,
            old_secret_until: until.map(|(_, until)| output::moment(*until)),
            secret: (secret == SecretIs::Shown).then(|| bot.secret.expose().to_owned()),
        }
    }

    /// Each line a word and what it says.
    pub(super) fn rows(&self) -> Vec<[String; 2]> {
        let mut rows = vec![
            ["id", &self.id.to_string()].map(str::to_owned),
            ["name", &self.name].map(str::to_owned),
            ["username", self.username.as_deref().unwrap_or("-")].map(str::to_owned),
            ["webhook_path", &self.webhook_path].map(str::to_owned),
            ["webhook_url", self.webhook_url.as_deref().unwrap_or("-")].map(str::to_owned),
            ["flow", &self.flow].map(str::to_owned),
            ["max_connections", &self.max_connections.to_string()].map(str::to_owned),
            ["paused", if self.paused { "yes" } else { "no" }].map(str::to_owned),
        ];
        rows.extend(self.old_secret_until.as_deref().map(|until| ["old_secret_until", until].map(str::to_owned)));
        rows.extend(self.secret.as_deref().map(|secret| ["secret", secret].map(str::to_owned)));
        rows
    }
}
