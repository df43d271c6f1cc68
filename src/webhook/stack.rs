//! The inbound stack on one screen. Order is by price.

use super::delivery::{Delivery, Reply};
use super::layers::admission::{Everything, Shares};
use super::layers::{body::ReadBody, dedup::Dedup, pause::Pause, record::Record};
use super::layers::{route::OurPath, secret::Secrets, subnet::Subnets};
use super::response::Body;
use crate::config::TrustedProxies;
use crate::dedup::Claims;
use crate::roster::Roster;
use bytes::Bytes;
use http::{Request, Response};
use ipnet::IpNet;
use std::convert::Infallible;
use std::time::Duration;
use tower::{Service, ServiceBuilder};

/// What the stack is built of.
#[derive(Clone, Debug)]
pub struct Edge {
    /// The bots.
    pub roster: Roster,
    /// From where updates may come.
    pub subnets: Vec<IpNet>,
    /// Whose `X-Forwarded-For` is believed.
    pub trusted_proxies: TrustedProxies,
    /// Most updates in flight.
    pub in_flight_max: usize,
    /// For one update, from the first byte of its body on.
    pub deadline: Duration,
    /// What a 503 says.
    pub retry_after: Duration,
    /// The dedup gate.
    pub claims: Claims,
}

/// The stack around `handler`, outside to inside.
pub fn stack<S, B>(
    edge: Edge,
    handler: S,
) -> impl Service<Request<B>, Response = Response<Body>, Error = Infallible, Future: Send> + Clone + Send + 'static
where
    S: Service<Delivery, Response = Reply, Error = Infallible, Future: Send> + Clone + Send + 'static,
    B: http_body::Body<Data = Bytes, Error: Send> + Send + 'static,
{
    let Edge { roster, subnets, trusted_proxies, in_flight_max, deadline, retry_after, claims } = edge;
    ServiceBuilder::new()
        .layer(Record { retry_after }) // outermost: must also count refusals, time-outs and panics
        .layer(OurPath) // 404: a comparison of texts
        .layer(Subnets::new(subnets, trusted_proxies)) // 403: strangers cost an address comparison
        .layer(Secrets { roster }) // 401: forgers cost a hash comparison
        .layer(Pause { retry_after }) // 503: behind the secret, so that a stranger does not learn it
        .layer(Everything::new(in_flight_max, retry_after)) // 503: gate 1; Telegram repeats it, never queue here
        .layer(ReadBody { deadline, retry_after }) // 413, and 503 past the deadline: from here on memory is spent
        .layer(Dedup { claims }) // a repeat costs one Redis round trip
        .layer(Shares::new(in_flight_max, retry_after)) // 503: gate 2; a backlog must not starve presses and checkouts
        .service(handler)
}
