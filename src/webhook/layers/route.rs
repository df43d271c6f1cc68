//! 404 for every path and method but ours. It stands before the subnets because it costs a comparison of texts and
//! tells a stranger nothing: which bots exist is not asked yet.

use super::{Gated, pass, refuse};
use crate::telemetry::metrics::Refusal;
use crate::webhook::delivery::Route;
use crate::webhook::response::{Body, refused};
use http::{Request, Response};
use std::convert::Infallible;
use std::task::{Context, Poll};
use tower::{Layer, Service};

/// Lets only our path through and notes which bot it names.
#[derive(Clone, Copy, Debug)]
pub struct OurPath;

/// See [`OurPath`].
#[derive(Clone, Debug)]
pub struct OnOurPath<S> {
    inner: S,
}

impl<S> Layer<S> for OurPath {
    type Service = OnOurPath<S>;

    fn layer(&self, inner: S) -> OnOurPath<S> {
        OnOurPath { inner }
    }
}

impl<S, B> Service<Request<B>> for OnOurPath<S>
where
    S: Service<Request<B>, Response = Response<Body>, Error = Infallible>,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Gated<Response<Body>, S::Future>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, mut request: Request<B>) -> Self::Future {
        match Route::of(request.method(), request.uri().path()) {
            Route::Other => refuse(refused(Refusal::Path, None)),
            route @ Route::Webhook(_) => {
                request.extensions_mut().insert(route);
                pass(self.inner.call(request))
            }
        }
    }
}
