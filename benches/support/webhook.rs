//! The whole webhook inside one process: what answers, and what it is asked.

use super::bot::{self, SECRET};
use super::stores::{Redis, Store};
use super::updates;
use bytes::Bytes;
use http::{Request, Response};
use http_body_util::Full;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tapgate::config::TrustedProxies;
use tapgate::dedup::Claims;
use tapgate::lanes::Bells;
use tapgate::roster::Roster;
use tapgate::secret::Secret;
use tapgate::shutdown::Tasks;
use tapgate::storage::{Gathered, Gathering};
use tapgate::webhook::handler::Handler;
use tapgate::webhook::{Body, Edge, Peer, stack};
use tower::Service;

/// What it answers.
pub type Answer = Response<Body>;

/// What answers, without a socket. Its parts run in `tasks`, the recorders of answers in `recorders`.
pub async fn service(
    store: &Store,
    gathering: Gathering,
    tasks: &Tasks,
    recorders: &Tasks,
) -> impl Service<Request<Full<Bytes>>, Response = Answer, Error = Infallible, Future: Send> + Clone + Send + 'static + use<>
{
    let gathered = Gathered::start(&store.storage, gathering, tasks).await.expect("the store gives connections");
    let retry_after = Duration::from_secs(1);
    let (library, bells) = (Arc::new(bot::library()), Bells::default());
    let handler = Handler::new(gathered, store.storage.clone(), library, tasks.clone(), bells, retry_after);
    let edge = Edge {
        roster: Roster::load(&store.storage).await.expect("the store answers"),
        subnets: vec!["127.0.0.0/8".parse().expect("a network")],
        trusted_proxies: TrustedProxies::default(),
        in_flight_max: 512,
        deadline: Duration::from_secs(5),
        retry_after,
        claims: claims(store.redis.as_ref(), recorders).await,
    };
    stack(edge, handler)
}

async fn claims(redis: Option<&Redis>, recorders: &Tasks) -> Claims {
    match redis {
        Some(redis) => Claims::open(&Secret::new(redis.url()), recorders).await.expect("the URL is one"),
        None => Claims::Off,
    }
}

/// A text of some user.
pub fn request() -> Request<Full<Bytes>> {
    Request::post(format!("/telegram/webhook/{}", bot::id()))
        .header("x-telegram-bot-api-secret-token", SECRET)
        .header("content-type", "application/json")
        .extension(Peer::Tcp(([127, 0, 0, 1], 9).into()))
        .body(Full::from(updates::next_message()))
        .expect("our own request is one")
}
