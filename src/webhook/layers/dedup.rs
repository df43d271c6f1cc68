//! Repeats cost one Redis round trip. What is already answered is answered again, byte for byte; everything else goes
//! on, because the fence judges. Never waits for another attempt, never holds anything that a crash would leave behind.

use crate::dedup::{Claim, Claims, Effect};
use crate::telemetry::metrics::Outcome;
use crate::webhook::delivery::{Delivery, Reply};
use futures::future::BoxFuture;
use std::convert::Infallible;
use std::task::{Context, Poll};
use tower::{Layer, Service};

/// Answers repeats.
#[derive(Clone, Debug)]
pub struct Dedup {
    /// Where answers are recorded.
    pub claims: Claims,
}

/// See [`Dedup`].
#[derive(Clone, Debug)]
pub struct Deduplicated<S> {
    inner: S,
    claims: Claims,
}

impl<S> Layer<S> for Dedup {
    type Service = Deduplicated<S>;

    fn layer(&self, inner: S) -> Deduplicated<S> {
        Deduplicated { inner, claims: self.claims.clone() }
    }
}

impl<S> Service<Delivery> for Deduplicated<S>
where
    S: Service<Delivery, Response = Reply, Error = Infallible> + Clone + Send + 'static,
    S::Future: Send,
{
    type Response = Reply;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Reply, Infallible>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, delivery: Delivery) -> Self::Future {
        // What has no id, and what has no gate, goes straight in.
        let (Some(update), false) = (delivery.update, self.claims.is_off()) else {
            return Box::pin(self.inner.call(delivery));
        };
        let clone = self.inner.clone();
        let mut inner = std::mem::replace(&mut self.inner, clone);
        let claims = self.claims.clone();
        let bot = delivery.bot.bot.id;
        Box::pin(async move {
            match claims.claim(bot, update).await {
                Claim::Answered(answer) => {
                    tracing::info!(bot.id = bot.0, update.id = update.0, "update {update} repeated, answer replayed");
                    return Ok(Reply::Answered { answer, outcome: Outcome::Replayed });
                }
                Claim::First | Claim::Pending | Claim::Unavailable => {}
            }
            let reply = inner.call(delivery).await?;
            if let Reply::Answered { answer, outcome } = &reply {
                claims.record(bot, update, answer, effect(*outcome));
            }
            Ok(reply)
        })
    }
}

/// A replay of the fence changed nothing itself: it may be an empty answer in the stead of one that is no longer kept,
/// which must not displace what the attempt that was applied records.
fn effect(outcome: Outcome) -> Effect {
    match outcome {
        Outcome::Applied => Effect::Changed,
        Outcome::Replayed
        | Outcome::Unchanged
        | Outcome::Dead
        | Outcome::Refused(_)
        | Outcome::Shed
        | Outcome::Failed
        | Outcome::Paused => Effect::Nothing,
    }
}
