//! Redis slow, gone, emptied, restarted: updates go on, and the gate comes back by itself.

use super::client::Post;
use super::stand::{SECRET, Stand, answered, bot, edge};
use crate::harness::patience;
use crate::harness::redis::Redis;
use futures::FutureExt;
use tapgate::bot::Bot;
use tapgate::dedup::{Claim, Claims};
use tapgate::secret::Secret;
use tapgate::shutdown::Tasks;
use tapgate::telegram::id::UpdateId;
use tapgate::telemetry::metrics::Outcome;
use tapgate::webhook::{Delivery, Edge};

async fn open(url: &str) -> Claims {
    Claims::open(&Secret::new(url), &Tasks::new("recording")).await.unwrap()
}

async fn stand(claims: &Claims, bot: &Bot) -> Stand {
    let edge = Edge { claims: claims.clone(), ..edge(vec![bot.clone()]) };
    Stand::start(edge, |_: Delivery| Box::pin(async { answered("{}", Outcome::Applied) })).await
}

fn update(bot: &Bot, id: i64) -> Post {
    Post::to(bot.id.0, SECRET, format!("{{\"update_id\":{id},\"message\":{{}}}}"))
}

async fn recovered(claims: &Claims) {
    patience::until("redis is used again", async || (!claims.is_degraded()).then_some(())).await;
}

#[tokio::test]
async fn a_frozen_redis_is_waited_for_a_few_times_and_then_not_asked() {
    let Some(redis) = Redis::start().await else { return };
    let bot = bot();
    let claims = open(&redis.url()).await;
    let stand = stand(&claims, &bot).await;
    assert_eq!(stand.post(&update(&bot, 1)).await.status, 200);
    assert!(!claims.is_degraded());

    redis.freeze();
    let mut connection = stand.connect().await;
    let mut id = 1;
    patience::until("the breaker opens", async || {
        id += 1;
        assert_eq!(connection.post(&update(&bot, id)).await.status, 200);
        claims.is_degraded().then_some(())
    })
    .await;
    // At most five updates waited, besides a recording that missed with each.
    assert!(id <= 6, "{id} updates were sent before the breaker opened");

    // It is not asked any more: nothing is waited for.
    for id in 100..200 {
        assert_eq!(claims.claim(bot.id, UpdateId(id)).now_or_never(), Some(Claim::Unavailable));
    }
    assert_eq!(connection.post(&update(&bot, 200)).await.status, 200);

    redis.thaw();
    recovered(&claims).await;
    assert_eq!(claims.claim(bot.id, UpdateId(300)).await, Claim::First);
    assert_eq!(claims.claim(bot.id, UpdateId(300)).await, Claim::Pending);
}

#[tokio::test]
async fn an_emptied_redis_knows_nothing_and_is_used_on() {
    let Some(redis) = Redis::start().await else { return };
    let bot = bot();
    let claims = open(&redis.url()).await;

    assert_eq!(claims.claim(bot.id, UpdateId(1)).await, Claim::First);
    redis.empty().await;
    assert_eq!(claims.claim(bot.id, UpdateId(1)).await, Claim::First);
    assert!(!claims.is_degraded());
}

#[tokio::test]
async fn a_killed_redis_is_gone_around_until_it_is_back() {
    let Some(mut redis) = Redis::start().await else { return };
    let bot = bot();
    let claims = open(&redis.url()).await;
    let stand = stand(&claims, &bot).await;
    let mut connection = stand.connect().await;
    assert_eq!(connection.post(&update(&bot, 1)).await.status, 200);

    redis.kill();
    for id in 2..50 {
        assert_eq!(connection.post(&update(&bot, id)).await.status, 200);
    }
    assert!(claims.is_degraded());
    assert_eq!(claims.claim(bot.id, UpdateId(1)).await, Claim::Unavailable);

    redis.restart().await;
    recovered(&claims).await;
    assert_eq!(claims.claim(bot.id, UpdateId(1)).await, Claim::First);
    assert_eq!(connection.post(&update(&bot, 60)).await.status, 200);
}

#[tokio::test]
async fn a_redis_that_is_down_at_the_start_is_found_when_it_comes() {
    let Some(mut redis) = Redis::start().await else { return };
    redis.kill();
    let claims = open(&redis.url()).await;
    assert!(claims.is_degraded());
    assert_eq!(claims.claim(bot().id, UpdateId(1)).await, Claim::Unavailable);

    redis.restart().await;
    recovered(&claims).await;
    assert_eq!(claims.claim(bot().id, UpdateId(1)).await, Claim::First);
}

#[tokio::test]
async fn a_redis_that_cannot_do_the_work_counts_as_gone() {
    let Some(redis) = Redis::start().await else { return };
    let mut admin = redis.connect().await;
    let () = redis::cmd("CONFIG").arg("SET").arg("requirepass").arg("hunter2").query_async(&mut admin).await.unwrap();

    let claims = open(&redis.url()).await;

    assert!(claims.is_degraded());
    assert_eq!(claims.claim(bot().id, UpdateId(1)).await, Claim::Unavailable);
}

#[tokio::test]
async fn a_redis_that_is_to_speak_tls_and_does_not_counts_as_gone() {
    let Some(redis) = Redis::start().await else { return };

    let claims = open(&redis.url().replace("redis://", "rediss://")).await;

    assert!(claims.is_degraded());
    assert_eq!(claims.claim(bot().id, UpdateId(1)).await, Claim::Unavailable);
}
