//! Calls to Telegram: what goes out, what each answer means, and what nobody may read.

mod answers;
mod connections;
mod requests;

use crate::harness::bot_api::BotApi;
use std::time::Duration;
use tapgate::bot_api::Client;
use tapgate::secret::Secret;
use tapgate::telegram::id::ChatId;
use tapgate::telegram::method::{ParseMode, SendMessage};

const TOKEN: &str = "123456:AA-very_secret";

fn token() -> Secret {
    Secret::new(TOKEN)
}

fn client(api: &BotApi) -> Client {
    client_at(&api.url(), Duration::from_secs(10))
}

fn client_at(url: &str, call_timeout: Duration) -> Client {
    Client::new(&url.parse().unwrap(), call_timeout).unwrap()
}

fn hello(chat: i64, text: &str) -> SendMessage<'_> {
    SendMessage { chat_id: ChatId(chat), text: text.into(), parse_mode: Some(ParseMode::Html), reply_markup: None }
}
