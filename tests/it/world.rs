//! The harness itself: what it says of the world must be so, or the tests that lean on it prove nothing.

use crate::harness::bot_api::{BotApi, Reply};
use crate::harness::postgres::Database;
use crate::harness::redis::Redis;
use crate::harness::services;
use serde_json::{Value, json};
use sqlx::{Connection, PgConnection};
use std::time::Duration;

#[tokio::test]
async fn a_database_is_gone_when_its_test_is_over() {
    let Some(database) = Database::create().await else { return };
    let url = database.url().to_owned();
    let open = database.connect().await;
    drop(database);
    drop(open);
    assert!(PgConnection::connect(&url).await.is_err());
}

#[tokio::test]
async fn a_frozen_redis_keeps_connections_and_says_nothing_until_it_thaws() {
    let Some(redis) = Redis::start().await else { return };
    let mut connection = redis.connect().await;
    redis.freeze();
    let ping = ::redis::cmd("PING");
    let mut answer = Box::pin(ping.query_async::<String>(&mut connection));
    assert!(tokio::time::timeout(Duration::from_millis(100), &mut answer).await.is_err());
    redis.thaw();
    assert_eq!(answer.await.unwrap(), "PONG");
}

#[tokio::test]
async fn the_shared_redis_answers() {
    let Some(url) = services::redis_url() else { return };
    let mut connection = ::redis::Client::open(url).unwrap().get_multiplexed_async_connection().await.unwrap();
    assert_eq!(::redis::cmd("PING").query_async::<String>(&mut connection).await.unwrap(), "PONG");
}

#[tokio::test]
async fn the_bot_api_remembers_what_was_called_and_shows_what_users_see() {
    let api = BotApi::start();
    let client = Client::over(&api);
    client
        .calls(
            "sendMessage",
            json!({"chat_id": 7, "text": "Shop", "reply_markup": {"inline_keyboard": [[
        {"text": "Buy it", "callback_data": "buy"}]]}}),
        )
        .await;
    client.calls("editMessageText", json!({"chat_id": 7, "message_id": 1, "text": "Sold"})).await;

    let calls = api.wait_for(1, "sendMessage").await;
    assert_eq!((calls[0].bot.as_str(), calls[0].chat(), calls[0].text("text")), ("42", Some(7), "Shop"));
    assert!(!format!("{:?}", api.calls()).contains("PRIVATE"), "a call holds no token");
    let seen = api.wait_for_text(7, "Sold").await;
    assert_eq!((seen.id, api.messages(7).len()), (1, 1));
    assert_eq!(api.connections(), 1);

    let same = client.calls("editMessageText", json!({"chat_id": 7, "message_id": 1, "text": "Sold"})).await;
    assert_eq!(same["description"].as_str().map(|text| text.contains("message is not modified")), Some(true));
}

#[tokio::test]
async fn the_bot_api_answers_as_told() {
    let api = BotApi::start();
    let client = Client::over(&api);
    api.answer_next("sendMessage", Reply::too_many_requests(3));
    api.answer_next("sendMessage", Reply::done_but_cut());

    let text = json!({"chat_id": 7, "text": "hello"});
    assert_eq!(client.calls("sendMessage", text.clone()).await["parameters"]["retry_after"], 3);
    assert!(client.tries("sendMessage", text.clone()).await.is_err());
    assert_eq!(api.messages(7).len(), 1, "it was done all the same");

    let (reply, hand) = Reply::done().held();
    api.answer_next("sendMessage", reply);
    let held = tokio::spawn(async move { client.calls("sendMessage", text).await });
    api.wait_for(3, "sendMessage").await;
    assert_eq!(api.messages(7).len(), 1);
    hand.let_go();
    assert_eq!(held.await.unwrap()["result"]["message_id"], 2);
}

/// Somebody who calls the Bot API.
struct Client {
    http: reqwest::Client,
    base: String,
}

impl Client {
    fn over(api: &BotApi) -> Self {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let http = reqwest::Client::builder().no_proxy().build().unwrap();
        Self { http, base: format!("{}/bot42:PRIVATE", api.url()) }
    }

    async fn tries(&self, method: &str, params: Value) -> reqwest::Result<Value> {
        self.http.post(format!("{}/{method}", self.base)).json(&params).send().await?.json().await
    }

    async fn calls(&self, method: &str, params: Value) -> Value {
        self.tries(method, params).await.unwrap()
    }
}
