//! The outermost layer: measures every request, refusals, time-outs, panics and hang-ups included.
//! Never decides anything, except that a panic of what stands inside it becomes a 503; here, and not in tower-http's
//! layer for it, which would box the body of every answer.

use crate::telegram::update::Kind;
use crate::telemetry::metrics::{self, Outcome};
use crate::webhook::response::{self, Body, Ended};
use futures::FutureExt;
use futures::future::BoxFuture;
use http::{Request, Response};
use std::convert::Infallible;
use std::panic::AssertUnwindSafe;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::time::Instant;
use tower::{Layer, Service};

/// The label of requests that name no bot of ours.
const NO_BOT: &str = "none";

/// Records what stands inside it.
#[derive(Clone, Debug)]
pub struct Record {
    /// What a 503 after a panic says.
    pub retry_after: Duration,
}

/// See [`Record`].
#[derive(Clone, Debug)]
pub struct Recorded<S> {
    inner: S,
    retry_after: Duration,
}

impl<S> Layer<S> for Record {
    type Service = Recorded<S>;

    fn layer(&self, inner: S) -> Recorded<S> {
        Recorded { inner, retry_after: self.retry_after }
    }
}

impl<S, B> Service<Request<B>> for Recorded<S>
where
    S: Service<Request<B>, Response = Response<Body>, Error = Infallible> + Clone + Send + 'static,
    S::Future: Send,
    B: Send + 'static,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Self::Response, Infallible>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let clone = self.inner.clone();
        let mut inner = std::mem::replace(&mut self.inner, clone);
        let retry_after = self.retry_after;
        let measured = Measured::begins();
        Box::pin(async move {
            let answering = AssertUnwindSafe(async { inner.call(request).await }).catch_unwind();
            let mut response = match answering.await {
                Ok(Ok(response)) => response,
                Err(_) => {
                    tracing::error!("a panic at the edge was answered with 503");
                    response::later(Ended::unread(None, Outcome::Failed), retry_after)
                }
            };
            measured.ended(response.extensions_mut().remove());
            Ok(response)
        })
    }
}

/// Counts a request exactly once, also when its future is dropped because the client hung up.
struct Measured {
    began: Instant,
    counted: bool,
}

impl Measured {
    fn begins() -> Self {
        Self { began: Instant::now(), counted: false }
    }

    fn ended(mut self, ended: Option<Ended>) {
        self.counted = true;
        let ended = ended.unwrap_or(Ended::unread(None, Outcome::Failed));
        let label = ended.bot.as_ref().map_or(NO_BOT, |known| &*known.label);
        metrics::webhook_answered(label, ended.kind, ended.outcome, self.began.elapsed());
    }
}

impl Drop for Measured {
    fn drop(&mut self) {
        if !self.counted {
            metrics::webhook_answered(NO_BOT, Kind::Other, Outcome::Failed, self.began.elapsed());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::webhook::layers::testing::known;
    use http::StatusCode;
    use http::header::RETRY_AFTER;
    use tower::{ServiceExt, service_fn};

    #[tokio::test]
    async fn a_panic_inside_becomes_a_503() {
        let panicking = service_fn(async |request: Request<()>| -> Result<Response<Body>, Infallible> {
            panic!("{}", request.uri())
        });

        let response =
            Record { retry_after: Duration::from_secs(3) }.layer(panicking).oneshot(Request::new(())).await.unwrap();

        assert_eq!(response.status(), StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(response.headers()[RETRY_AFTER], "3");
    }

    #[tokio::test]
    async fn how_it_ended_does_not_leave_with_the_response() {
        let inner =
            service_fn(async |_: Request<()>| Ok::<_, Infallible>(response::refused(metrics::Refusal::Path, None)));

        let response = Record { retry_after: Duration::ZERO }.layer(inner).oneshot(Request::new(())).await.unwrap();

        assert_eq!(response.status(), StatusCode::NOT_FOUND);
        assert!(response.extensions().get::<Ended>().is_none());
    }

    /// The lines of the metrics page that count requests, after `run` was run.
    fn counted(run: impl AsyncFnOnce()) -> Vec<String> {
        let recorder = metrics_exporter_prometheus::PrometheusBuilder::new().build_recorder();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        ::metrics::with_local_recorder(&recorder, || runtime.block_on(run()));
        let page = recorder.handle().render();
        let counts = page.lines().filter(|line| line.starts_with("tapgate_webhook_requests_total"));
        let mut counts: Vec<_> = counts.map(str::to_owned).collect();
        counts.sort();
        counts
    }

    fn record<S>(inner: S) -> Recorded<S> {
        Record { retry_after: Duration::ZERO }.layer(inner)
    }

    #[test]
    fn every_request_is_counted_once_by_how_it_ended() {
        let ending = |bot, outcome| {
            let response = response::later(Ended::unread(bot, outcome), Duration::ZERO);
            record(service_fn(move |_: Request<()>| std::future::ready(Ok::<_, Infallible>(response.clone()))))
        };

        let lines = counted(async || {
            ending(Some(known()), Outcome::Shed).oneshot(Request::new(())).await.unwrap();
            ending(None, Outcome::Refused(metrics::Refusal::Subnet)).oneshot(Request::new(())).await.unwrap();
        });

        assert_eq!(
            lines,
            [
                r#"tapgate_webhook_requests_total{bot="bot",outcome="shed",reason=""} 1"#,
                r#"tapgate_webhook_requests_total{bot="none",outcome="refused",reason="subnet"} 1"#,
            ]
        );
    }

    #[test]
    fn panics_and_hang_ups_are_counted_as_failed() {
        let failed = [r#"tapgate_webhook_requests_total{bot="none",outcome="failed",reason=""} 1"#];

        let panicked = counted(async || {
            let inner = service_fn(async |_: Request<()>| -> Result<Response<Body>, Infallible> { panic!("it") });
            record(inner).oneshot(Request::new(())).await.unwrap();
        });
        let hung_up = counted(async || {
            let inner = service_fn(|_: Request<()>| std::future::pending::<Result<Response<Body>, Infallible>>());
            drop(record(inner).call(Request::new(())));
        });

        assert_eq!(panicked, failed);
        assert_eq!(hung_up, failed);
    }
}
