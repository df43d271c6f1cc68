//! 403 for whoever does not come from Telegram's subnets: strangers cost an address comparison.
//! Never believes a header of a peer that is not a trusted proxy.

mod client;

pub use client::client_address;

use super::{Gated, pass, refuse};
use crate::config::TrustedProxies;
use crate::telemetry::metrics::Refusal;
use crate::telemetry::rarely::Rarely;
use crate::webhook::delivery::{Client, Peer};
use crate::webhook::response::{Body, refused};
use http::{HeaderName, Request, Response};
use ipnet::IpNet;
use std::convert::Infallible;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tower::{Layer, Service};

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
/// How often the log says that strangers are refused: anybody can be one.
const LOG_PERIOD: Duration = Duration::from_secs(60);

/// Lets only these networks through and notes the client's address.
#[derive(Clone, Debug)]
pub struct Subnets(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    allowed: Vec<IpNet>,
    trusted: TrustedProxies,
    log: Rarely,
}

impl Subnets {
    /// Clients in `allowed` pass; `trusted` are the proxies that say who a client is.
    pub fn new(allowed: Vec<IpNet>, trusted: TrustedProxies) -> Self {
        Self(Arc::new(Inner { allowed, trusted, log: Rarely::every(LOG_PERIOD) }))
    }

    fn client<B>(&self, request: &Request<B>) -> Option<Client> {
        let lines = request.headers().get_all(X_FORWARDED_FOR).iter().rev().map(|line| line.as_bytes());
        let address = request.extensions().get::<Peer>().and_then(|peer| client_address(*peer, lines, &self.0.trusted));
        let allowed = address.filter(|address| self.0.allowed.iter().any(|network| network.contains(address)));
        if allowed.is_none()
            && let Some(others) = self.0.log.due()
        {
            let address = address.map_or_else(|| "an address that cannot be told".to_owned(), |ip| ip.to_string());
            tracing::warn!(others, "refused {address}, which is not in the allowed subnets ({others} more before)");
        }
        allowed.map(Client)
    }
}

/// See [`Subnets`].
#[derive(Clone, Debug)]
pub struct FromSubnets<S> {
    inner: S,
    subnets: Subnets,
}

impl<S> Layer<S> for Subnets {
    type Service = FromSubnets<S>;

    fn layer(&self, inner: S) -> FromSubnets<S> {
        FromSubnets { inner, subnets: self.clone() }
    }
}

impl<S, B> Service<Request<B>> for FromSubnets<S>
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
        let Some(client) = self.subnets.client(&request) else {
            return refuse(refused(Refusal::Subnet, None));
        };
        request.extensions_mut().insert(client);
        pass(self.inner.call(request))
    }
}
