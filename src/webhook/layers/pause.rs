//! 503 for the updates of a paused bot (maintenance): Telegram keeps them for a day. It stands behind the secret, so
//! that a stranger does not learn it.

use super::{Gated, pass, refuse};
use crate::telemetry::metrics::Outcome;
use crate::webhook::delivery::Addressed;
use crate::webhook::response::{Body, Ended, later};
use http::Response;
use std::convert::Infallible;
use std::task::{Context, Poll};
use std::time::Duration;
use tower::{Layer, Service};

/// Turns the updates of paused bots away.
#[derive(Clone, Copy, Debug)]
pub struct Pause {
    /// When Telegram is to try again.
    pub retry_after: Duration,
}

/// See [`Pause`].
#[derive(Clone, Debug)]
pub struct UnlessPaused<S> {
    inner: S,
    retry_after: Duration,
}

impl<S> Layer<S> for Pause {
    type Service = UnlessPaused<S>;

    fn layer(&self, inner: S) -> UnlessPaused<S> {
        UnlessPaused { inner, retry_after: self.retry_after }
    }
}

impl<S, B> Service<Addressed<B>> for UnlessPaused<S>
where
    S: Service<Addressed<B>, Response = Response<Body>, Error = Infallible>,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Gated<Response<Body>, S::Future>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, addressed: Addressed<B>) -> Self::Future {
        if addressed.bot.bot.paused {
            let ended = Ended::unread(Some(addressed.bot), Outcome::Paused);
            return refuse(later(ended, self.retry_after));
        }
        pass(self.inner.call(addressed))
    }
}
