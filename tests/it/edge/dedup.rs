//! Claims and recorded answers in a real Redis.

use super::client::Post;
use super::stand::{SECRET, Stand, answered, bot, edge};
use crate::harness::{patience, services};
use futures::future::BoxFuture;
use std::time::Duration;
use tapgate::bot::Bot;
use tapgate::dedup::{Claim, Claims, Effect};
use tapgate::secret::Secret;
use tapgate::shutdown::Tasks;
use tapgate::telegram::answer::Answer;
use tapgate::telegram::id::{BotId, UpdateId};
use tapgate::telegram::update::Kind;
use tapgate::telemetry::metrics::Outcome;
use tapgate::webhook::{Delivery, Edge, Reply};

const INLINE: &str = "{\"method\":\"answerCallbackQuery\",\"callback_query_id\":\"7\"}";

/// The shared Redis, seen through the gate and past it.
struct Gate {
    claims: Claims,
    recording: Tasks,
    redis: redis::aio::MultiplexedConnection,
}

impl Gate {
    async fn open() -> Option<Self> {
        let url = services::redis_url()?;
        let recording = Tasks::new("recording");
        let claims = Claims::open(&Secret::new(&url), &recording).await.unwrap();
        let redis = redis::Client::open(url).unwrap().get_multiplexed_async_connection().await.unwrap();
        Some(Self { claims, recording, redis })
    }

    async fn value(&mut self, bot: BotId, update: i64) -> Option<String> {
        redis::cmd("GET").arg(key(bot, update)).query_async(&mut self.redis).await.unwrap()
    }

    async fn claim(&self, bot: BotId, update: i64) -> Claim {
        self.claims.claim(bot, UpdateId(update)).await
    }

    fn record(&self, bot: BotId, update: i64, body: &str, effect: Effect) {
        self.claims.record(bot, UpdateId(update), &Answer::from_body(body), effect);
    }

    async fn wait_until_answered(&mut self, bot: BotId, update: i64) {
        let mut redis = self.redis.clone();
        let key = key(bot, update);
        patience::until("the answer is recorded", async || {
            let value: Option<String> = redis::cmd("GET").arg(&key).query_async(&mut redis).await.unwrap();
            value.filter(|value| !value.is_empty())
        })
        .await;
    }
}

fn key(bot: BotId, update: i64) -> String {
    format!("tapgate:upd:{bot}:{update}")
}

#[tokio::test]
async fn a_claim_finds_nothing_then_itself_then_the_answer() {
    let Some(mut gate) = Gate::open().await else { return };
    let bot = bot().id;

    assert_eq!(gate.claim(bot, 1).await, Claim::First);
    assert_eq!(gate.value(bot, 1).await.as_deref(), Some(""));
    assert_eq!(gate.claim(bot, 1).await, Claim::Pending);

    gate.record(bot, 1, INLINE, Effect::Changed);
    gate.recording.stop().await;
    assert_eq!(gate.value(bot, 1).await, Some(format!("200\n{INLINE}")));
    assert_eq!(gate.claim(bot, 1).await, Claim::Answered(Answer::from_body(INLINE)));
    // Another update of the bot, the same id of another bot.
    assert_eq!(gate.claim(bot, 2).await, Claim::First);
    assert_eq!(gate.claim(BotId(bot.0 + (1 << 40)), 1).await, Claim::First);
}

#[tokio::test]
async fn an_empty_answer_is_an_answer() {
    let Some(mut gate) = Gate::open().await else { return };
    let bot = bot().id;

    gate.claim(bot, 1).await;
    gate.record(bot, 1, "", Effect::Nothing);
    gate.recording.stop().await;

    assert_eq!(gate.value(bot, 1).await.as_deref(), Some("200\n"));
    assert_eq!(gate.claim(bot, 1).await, Claim::Answered(Answer::EMPTY));
}

#[tokio::test]
async fn an_answer_that_changed_nothing_is_written_over_the_claim_alone() {
    let Some(mut gate) = Gate::open().await else { return };
    let bot = bot().id;

    gate.claim(bot, 1).await;
    gate.record(bot, 1, INLINE, Effect::Changed);
    gate.wait_until_answered(bot, 1).await;
    gate.record(bot, 1, "{\"late\":true}", Effect::Nothing);
    gate.record(bot, 2, "{\"unclaimed\":true}", Effect::Nothing);
    gate.recording.stop().await;

    assert_eq!(gate.value(bot, 1).await, Some(format!("200\n{INLINE}")));
    assert_eq!(gate.value(bot, 2).await, None);
}

#[tokio::test]
async fn an_answer_that_counts_displaces_one_that_changed_nothing() {
    let Some(mut gate) = Gate::open().await else { return };
    let bot = bot().id;

    gate.claim(bot, 1).await;
    gate.record(bot, 1, "{\"unchanged\":true}", Effect::Nothing);
    gate.wait_until_answered(bot, 1).await;
    gate.record(bot, 1, INLINE, Effect::Changed);
    gate.recording.stop().await;

    assert_eq!(gate.value(bot, 1).await, Some(format!("200\n{INLINE}")));
}

#[tokio::test]
async fn redis_forgets_after_an_hour() {
    let Some(mut gate) = Gate::open().await else { return };
    let bot = bot().id;

    for update in [1, 2, 3] {
        gate.claim(bot, update).await;
    }
    gate.record(bot, 2, INLINE, Effect::Changed);
    gate.record(bot, 3, INLINE, Effect::Nothing);
    gate.recording.stop().await;

    for update in [1, 2, 3] {
        let seconds: i64 = redis::cmd("TTL").arg(key(bot, update)).query_async(&mut gate.redis).await.unwrap();
        assert!((3500..=3600).contains(&seconds), "update {update} is kept {seconds} s");
    }
}

/// A handler that says how often it was called, and ends as `outcome` says.
fn counting(outcome: Outcome) -> impl Fn(Delivery) -> BoxFuture<'static, Reply> + Clone + Send + 'static {
    let calls = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
    move |_| {
        let call = calls.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        Box::pin(async move { answered(&format!("{{\"call\":{call}}}"), outcome) })
    }
}

async fn stand(gate: &Gate, bot: &Bot, handler: impl super::stand::AsyncHandler) -> Stand {
    Stand::start(Edge { claims: gate.claims.clone(), ..edge(vec![bot.clone()]) }, handler).await
}

#[tokio::test]
async fn a_repeat_gets_the_same_answer_byte_for_byte_and_reaches_no_handler() {
    let Some(mut gate) = Gate::open().await else { return };
    for outcome in [Outcome::Applied, Outcome::Replayed, Outcome::Unchanged, Outcome::Dead] {
        let bot = bot();
        let stand = stand(&gate, &bot, counting(outcome)).await;
        let post = Post::to(bot.id.0, SECRET, "{\"update_id\":5,\"message\":{}}");

        let first = stand.post(&post).await;
        gate.wait_until_answered(bot.id, 5).await;

        for _ in 0..3 {
            assert_eq!(stand.post(&post).await, first, "{outcome:?}");
        }
        assert_eq!(stand.calls(), 1, "{outcome:?}");
    }
}

#[tokio::test]
async fn a_503_is_never_recorded() {
    let Some(mut gate) = Gate::open().await else { return };
    let bot = bot();
    let later = Reply::Later { outcome: Outcome::Failed, retry_after: Duration::from_secs(1) };
    let stand = stand(&gate, &bot, move |_: Delivery| {
        let later = later.clone();
        Box::pin(async move { later }) as BoxFuture<'static, Reply>
    })
    .await;
    let post = Post::to(bot.id.0, SECRET, "{\"update_id\":5,\"message\":{}}");

    for calls in 1..=3 {
        assert_eq!(stand.post(&post).await.status, 503);
        assert_eq!(stand.calls(), calls);
    }
    gate.recording.stop().await;
    assert_eq!(gate.value(bot.id, 5).await.as_deref(), Some(""));
}

#[tokio::test]
async fn what_has_no_id_is_not_claimed() {
    let Some(gate) = Gate::open().await else { return };
    let bot = bot();
    let stand = stand(&gate, &bot, |delivery: Delivery| {
        assert_eq!(delivery.kind, Kind::Unreadable);
        Box::pin(async { answered("", Outcome::Dead) })
    })
    .await;

    for _ in 0..2 {
        assert_eq!(stand.post(&Post::to(bot.id.0, SECRET, "no json")).await.status, 200);
    }
    assert_eq!(stand.calls(), 2);
}

#[tokio::test]
async fn without_redis_nothing_is_remembered_by_the_process() {
    let bot = bot();
    let stand = Stand::start(edge(vec![bot.clone()]), counting(Outcome::Applied)).await;
    let post = Post::to(bot.id.0, SECRET, "{\"update_id\":5,\"message\":{}}");

    for call in 0..3 {
        assert_eq!(stand.post(&post).await.body, format!("{{\"call\":{call}}}"));
    }
}
