//! The gates: how much is in flight. Over either it is 503 at once: Telegram keeps what is refused and repeats it,
//! so nothing ever queues here. A place is given back by whoever drops the permit, which is the task that works and
//! not the connection that waits.

use super::{Gated, pass, refuse};
use crate::telegram::update::Kind;
use crate::telemetry::metrics::{self, Outcome};
use crate::webhook::delivery::{Addressed, Delivery, Reply};
use crate::webhook::response::{Body, Ended, later};
use http::Response;
use std::convert::Infallible;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tower::{Layer, Service};

/// A place in a gate, given back when dropped.
#[derive(Debug)]
pub struct Permit {
    _place: OwnedSemaphorePermit,
    _counted: Option<InFlight>,
}

/// Keeps the gauge right, also when a request is cancelled.
#[derive(Debug)]
struct InFlight;

impl InFlight {
    fn begins() -> Self {
        metrics::in_flight(1.0);
        Self
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        metrics::in_flight(-1.0);
    }
}

/// The first gate: all updates in flight, before their bodies are read.
#[derive(Clone, Debug)]
pub struct Everything {
    places: Arc<Semaphore>,
    retry_after: Duration,
}

impl Everything {
    /// At most `in_flight_max` at once.
    pub fn new(in_flight_max: usize, retry_after: Duration) -> Self {
        Self { places: places(in_flight_max), retry_after }
    }

    /// A place, if one is free.
    pub fn enter(&self) -> Option<Permit> {
        let place = Arc::clone(&self.places).try_acquire_owned().ok()?;
        Some(Permit { _place: place, _counted: Some(InFlight::begins()) })
    }
}

/// See [`Everything`].
#[derive(Clone, Debug)]
pub struct Admitted<S> {
    inner: S,
    gate: Everything,
}

impl<S> Layer<S> for Everything {
    type Service = Admitted<S>;

    fn layer(&self, inner: S) -> Admitted<S> {
        Admitted { inner, gate: self.clone() }
    }
}

impl<S, B> Service<Addressed<B>> for Admitted<S>
where
    S: Service<Addressed<B>, Response = Response<Body>, Error = Infallible>,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Gated<Response<Body>, S::Future>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, mut addressed: Addressed<B>) -> Self::Future {
        let Some(permit) = self.gate.enter() else {
            let ended = Ended::unread(Some(addressed.bot), Outcome::Shed);
            return refuse(later(ended, self.gate.retry_after));
        };
        addressed.permits.push(permit);
        pass(self.inner.call(addressed))
    }
}

/// The second gate: shares of the first one. What nobody waits for with a finger on the glass may use three quarters, so
/// that a backlog of messages cannot starve presses; and all that is no checkout leaves a sixteenth to those, which have
/// ten seconds until the buyer is told that it failed.
#[derive(Clone, Debug)]
pub struct Shares {
    background: Arc<Semaphore>,
    not_checkouts: Arc<Semaphore>,
    retry_after: Duration,
}

impl Shares {
    /// Shares of `in_flight_max`, each at least one.
    pub fn new(in_flight_max: usize, retry_after: Duration) -> Self {
        let background = places(in_flight_max - in_flight_max / 4);
        let not_checkouts = places(in_flight_max - in_flight_max / 16);
        Self { background, not_checkouts, retry_after }
    }

    /// The places that an update of `kind` takes; none where one of its shares is used up.
    fn enter(&self, kind: Kind) -> Option<Vec<Permit>> {
        let shares: &[&Arc<Semaphore>] = match kind {
            Kind::PreCheckoutQuery => &[],
            Kind::CallbackQuery => &[&self.not_checkouts],
            _ => &[&self.not_checkouts, &self.background],
        };
        let place = |share: &&Arc<Semaphore>| {
            Some(Permit { _place: Arc::clone(share).try_acquire_owned().ok()?, _counted: None })
        };
        shares.iter().map(place).collect()
    }
}

/// See [`Shares`].
#[derive(Clone, Debug)]
pub struct Ranked<S> {
    inner: S,
    gate: Shares,
}

impl<S> Layer<S> for Shares {
    type Service = Ranked<S>;

    fn layer(&self, inner: S) -> Ranked<S> {
        Ranked { inner, gate: self.clone() }
    }
}

impl<S> Service<Delivery> for Ranked<S>
where
    S: Service<Delivery, Response = Reply, Error = Infallible>,
{
    type Response = Reply;
    type Error = Infallible;
    type Future = Gated<Reply, S::Future>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, mut delivery: Delivery) -> Self::Future {
        let Some(permits) = self.gate.enter(delivery.kind) else {
            return refuse(Reply::Later { outcome: Outcome::Shed, retry_after: self.gate.retry_after });
        };
        delivery.permits.extend(permits);
        pass(self.inner.call(delivery))
    }
}

fn places(count: usize) -> Arc<Semaphore> {
    Arc::new(Semaphore::new(count.clamp(1, Semaphore::MAX_PERMITS)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::telegram::answer::Answer;
    use crate::webhook::layers::testing::{addressed, delivery};
    use http::StatusCode;
    use tower::ServiceExt;
    use tower_test::mock;

    const RETRY_AFTER: Duration = Duration::from_secs(1);
    const ANSWERED: Reply = Reply::Answered { answer: Answer::EMPTY, outcome: Outcome::Applied };

    /// The mock's errors are boxed; ours cannot happen.
    fn infallible<S, R>(service: S) -> impl Service<R, Response = S::Response, Error = Infallible>
    where
        S: Service<R, Error: std::fmt::Debug>,
    {
        service.map_err(|error| panic!("{error:?}"))
    }

    #[tokio::test]
    async fn over_the_first_gate_it_is_503_at_once_and_a_dropped_permit_is_a_free_place() {
        let (mock, mut handle) = mock::pair::<Addressed<()>, Response<Body>>();
        let mut service = Everything::new(1, RETRY_AFTER).layer(infallible(mock));

        let first = service.ready().await.unwrap().call(addressed(()));
        let (held, respond) = handle.next_request().await.unwrap();
        assert_eq!(held.permits.len(), 1);

        let shed = service.ready().await.unwrap().call(addressed(())).await.unwrap();
        assert_eq!(shed.status(), StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(shed.headers()[http::header::RETRY_AFTER], "1");

        // The answer alone frees nothing: the work may go on.
        respond.send_response(Response::default());
        first.await.unwrap();
        assert_eq!(
            service.ready().await.unwrap().call(addressed(())).await.unwrap().status(),
            StatusCode::SERVICE_UNAVAILABLE
        );

        drop(held);
        let second = service.ready().await.unwrap().call(addressed(()));
        handle.next_request().await.unwrap().1.send_response(Response::default());
        assert_eq!(second.await.unwrap().status(), StatusCode::OK);
    }

    #[tokio::test]
    async fn messages_may_use_three_quarters_presses_almost_the_rest_and_checkouts_all() {
        let (mock, mut handle) = mock::pair::<Delivery, Reply>();
        let mut service = Shares::new(16, RETRY_AFTER).layer(infallible(mock));

        let mut waiting = Vec::new();
        let mut fill = async |kind, count: usize| {
            for _ in 0..count {
                waiting.push(service.ready().await.unwrap().call(delivery(kind)));
            }
            if kind != Kind::PreCheckoutQuery {
                let shed = service.ready().await.unwrap().call(delivery(kind)).await.unwrap();
                assert_eq!(shed, Reply::Later { outcome: Outcome::Shed, retry_after: RETRY_AFTER }, "{kind:?}");
            }
        };
        fill(Kind::Message, 12).await;
        fill(Kind::Unreadable, 0).await;
        fill(Kind::CallbackQuery, 3).await;
        fill(Kind::PreCheckoutQuery, 1).await;
        for waiting in waiting {
            let (_, respond) = handle.next_request().await.unwrap();
            respond.send_response(ANSWERED);
            assert_eq!(waiting.await.unwrap(), ANSWERED);
        }
    }

    #[test]
    fn the_gauge_counts_permits_of_the_first_gate_until_they_are_dropped() {
        let recorder = metrics_exporter_prometheus::PrometheusBuilder::new().build_recorder();
        let in_flight = || {
            let page = recorder.handle().render();
            page.lines().find_map(|line| line.strip_prefix("tapgate_webhook_in_flight ").map(str::to_owned))
        };
        ::metrics::with_local_recorder(&recorder, || {
            let gate = Everything::new(2, RETRY_AFTER);
            let (first, second) = (gate.enter(), gate.enter());
            assert!(gate.enter().is_none());
            assert_eq!(in_flight().as_deref(), Some("2"));
            drop((first, second));
            assert_eq!(in_flight().as_deref(), Some("0"));
        });
    }
}
