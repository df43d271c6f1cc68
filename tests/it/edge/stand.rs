//! The stack over a real listener, for as long as a test runs.

use super::client::{Answer, Connection, Post};
use futures::future::BoxFuture;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tapgate::bot::Bot;
use tapgate::config::{Address, TrustedProxies};
use tapgate::dedup::Claims;
use tapgate::roster::Roster;
use tapgate::secret::{self, Secret};
use tapgate::shutdown::Tasks;
use tapgate::telegram;
use tapgate::telegram::id::BotId;
use tapgate::telemetry::metrics::Outcome;
use tapgate::webhook::listener::{Keeping, Listener, serve};
use tapgate::webhook::{Delivery, Edge, Reply, stack};
use tower::{ServiceExt, service_fn};

pub const SECRET: &str = "the-right-secret";

/// A bot that no other test has, so that tests can share a Redis.
pub fn bot() -> Bot {
    let id = i64::from(u32::from_le_bytes(secret::random())) + 1;
    Bot {
        id: BotId(id),
        name: format!("bot{id}"),
        username: None,
        token: Secret::new(format!("{id}:token")),
        secret: Secret::new(SECRET),
        previous_secret: None,
        max_connections: 40,
        base_url: None,
        flow: "companion".into(),
        paused: false,
    }
}

/// An edge that takes updates from this machine.
pub fn edge(bots: Vec<Bot>) -> Edge {
    Edge {
        roster: Roster::of(bots),
        subnets: vec!["127.0.0.0/8".parse().unwrap()],
        trusted_proxies: TrustedProxies::default(),
        in_flight_max: 512,
        deadline: Duration::from_secs(5),
        retry_after: Duration::from_secs(2),
        claims: Claims::Off,
    }
}

/// 200 with that body.
pub fn answered(body: &str, outcome: Outcome) -> Reply {
    Reply::Answered { answer: telegram::answer::Answer::from_body(body), outcome }
}

/// A running edge.
pub struct Stand {
    pub address: SocketAddr,
    /// Its connections.
    pub tasks: Tasks,
    /// How often the service behind the stack was called.
    pub calls: Arc<AtomicUsize>,
}

impl Stand {
    /// Serves `edge` in front of `handler`.
    pub async fn start<F>(edge: Edge, handler: F) -> Self
    where
        F: AsyncHandler,
    {
        Self::keeping(edge, Keeping::default(), handler).await
    }

    /// The same with limits of its own.
    pub async fn keeping<F: AsyncHandler>(edge: Edge, keeping: Keeping, handler: F) -> Self {
        let listener = Listener::bind(&Address::Tcp(([127, 0, 0, 1], 0).into())).await.unwrap();
        let address = listener.local_address().unwrap();
        let (tasks, calls) = (Tasks::new("requests"), Arc::new(AtomicUsize::new(0)));
        serve(listener, service(edge, Arc::clone(&calls), handler), keeping, &tasks);
        Self { address, tasks, calls }
    }

    pub async fn connect(&self) -> Connection {
        Connection::open(self.address).await
    }

    /// Sends it over a connection of its own.
    pub async fn post(&self, post: &Post) -> Answer {
        self.connect().await.post(post).await
    }

    pub fn calls(&self) -> usize {
        self.calls.load(Ordering::SeqCst)
    }
}

/// The stack in front of `handler`, as [`serve`] takes it.
pub fn service<F: AsyncHandler>(
    edge: Edge,
    calls: Arc<AtomicUsize>,
    handler: F,
) -> impl tower::Service<
    http::Request<hyper::body::Incoming>,
    Response = http::Response<tapgate::webhook::Body>,
    Error = Infallible,
    Future: Send,
> + Clone
+ Send
+ 'static {
    let inner = service_fn(move |delivery: Delivery| {
        calls.fetch_add(1, Ordering::SeqCst);
        let reply = handler(delivery);
        async move { Ok::<_, Infallible>(reply.await) }
    });
    stack(edge, inner.map_response(|reply| reply))
}

/// What stands where the handler stands.
pub trait AsyncHandler: Fn(Delivery) -> BoxFuture<'static, Reply> + Clone + Send + 'static {}

impl<F: Fn(Delivery) -> BoxFuture<'static, Reply> + Clone + Send + 'static> AsyncHandler for F {}

/// Answers every update with 200 and nothing.
pub fn quiet(_: Delivery) -> BoxFuture<'static, Reply> {
    Box::pin(async { answered("", Outcome::Applied) })
}
