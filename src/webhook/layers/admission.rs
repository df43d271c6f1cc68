//! The gates: how much is in flight. Over either it is 503 at once: Telegram keeps what is refused and repeats it,
//! so nothing ever queues here. A place is given back by whoever drops the permit, which is the task that works and
//! not the connection that waits.

use super::{Gated, pass, refuse};
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

/// The second gate: what nobody waits for with a finger on the glass may use three quarters of the first one, so that
/// a backlog of messages cannot starve presses and checkouts.
#[derive(Clone, Debug)]
pub struct Background {
    places: Arc<Semaphore>,
    retry_after: Duration,
}

impl Background {
    /// Three quarters of `in_flight_max`, at least one.
    pub fn new(in_flight_max: usize, retry_after: Duration) -> Self {
        let three_quarters = in_flight_max - in_flight_max / 4;
        Self { places: places(three_quarters), retry_after }
    }
}

/// See [`Background`].
#[derive(Clone, Debug)]
pub struct Ranked<S> {
    inner: S,
    gate: Background,
}

impl<S> Layer<S> for Background {
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
        if !delivery.kind.is_interactive() {
            let Ok(place) = Arc::clone(&self.gate.places).try_acquire_owned() else {
                return refuse(Reply::Later { outcome: Outcome::Shed, retry_after: self.gate.retry_after });
            };
            delivery.permits.push(Permit { _place: place, _counted: None });
        }
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
    use crate::telegram::update::Kind;
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
    async fn messages_may_use_three_quarters_and_presses_and_checkouts_the_rest() {
        let (mock, mut handle) = mock::pair::<Delivery, Reply>();
        let mut service = Background::new(4, RETRY_AFTER).layer(infallible(mock));

        let mut waiting = Vec::new();
        for kind in [Kind::Message, Kind::MyChatMember, Kind::Other, Kind::CallbackQuery, Kind::PreCheckoutQuery] {
            waiting.push(service.ready().await.unwrap().call(delivery(kind)));
        }
        for kind in [Kind::Message, Kind::Unreadable] {
            let shed = service.ready().await.unwrap().call(delivery(kind)).await.unwrap();
            assert_eq!(shed, Reply::Later { outcome: Outcome::Shed, retry_after: RETRY_AFTER });
        }
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
