//! Telegram as it posts updates, byte for byte, and the people behind them.
//! The form of a request is that of tdlib/telegram-bot-api, `WebhookActor::send_update`.

mod connection;
mod post;
mod update;
mod user;

pub use connection::{Destination, Response};
pub use post::Telegram;
pub use update::Update;
pub use user::User;

use std::sync::atomic::{AtomicI64, Ordering};

/// A number that nobody else in this run has: ids of bots, users, updates and messages.
pub fn fresh_id() -> i64 {
    static NEXT: AtomicI64 = AtomicI64::new(0);
    // Runs share a Redis, so their numbers must differ too: each process begins at a place of its own.
    let first = 2_000_001 + i64::from(std::process::id() % 30_000) * 70_000;
    first + NEXT.fetch_add(1, Ordering::Relaxed)
}

/// A bot as its owner knows it.
#[derive(Clone, Debug)]
pub struct Bot {
    /// Its user id.
    pub id: i64,
    /// What operators call it.
    pub name: String,
    /// The key to the Bot API.
    pub token: String,
    /// What Telegram sends with every update.
    pub secret: String,
}

impl Bot {
    /// A bot of a new id.
    pub fn new(name: &str) -> Self {
        let id = fresh_id();
        Self {
            id,
            name: name.to_owned(),
            token: format!("{id}:TOKEN-of-{name}-that-nobody-may-see"),
            secret: format!("SECRET-of-{name}-{id}-that-nobody-may-see"),
        }
    }

    /// Where its updates are posted.
    pub fn webhook_path(&self) -> String {
        format!("/telegram/webhook/{}", self.id)
    }
}
