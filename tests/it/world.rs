//! The harness itself: what it says of the world must be so, or the tests that lean on it prove nothing.

use crate::harness::postgres::Database;
use crate::harness::redis::Redis;
use crate::harness::services;
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
