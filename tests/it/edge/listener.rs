//! Connections: kept, idle, draining.

use super::client::{Connection, Post};
use super::stand::{SECRET, Stand, answered, bot, edge, quiet, service};
use crate::harness::patience;
use futures::future::BoxFuture;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tapgate::bot::Bot;
use tapgate::config::{Address, TrustedProxies};
use tapgate::shutdown::Tasks;
use tapgate::telegram::update::Kind;
use tapgate::telemetry::metrics::Outcome;
use tapgate::webhook::listener::{Keeping, Listener, serve};
use tapgate::webhook::{Body, Delivery, Edge, Peer, Reply};
use tokio::net::{TcpStream, UnixStream};
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout};
use tower::service_fn;

const SHORT: Keeping = Keeping { idle: Duration::from_millis(200), grace: Duration::from_millis(200) };

fn update(bot: &Bot) -> Post {
    Post::to(bot.id.0, SECRET, "{\"update_id\":1}")
}

#[tokio::test]
async fn nothing_is_ever_written_on_an_idle_connection() {
    let bot = bot();
    let stand = Stand::keeping(edge(vec![bot.clone()]), SHORT, quiet).await;

    let mut fresh = stand.connect().await;
    assert_eq!(fresh.rest().await, b"");

    let mut kept = stand.connect().await;
    assert_eq!(kept.post(&update(&bot)).await.status, 200);
    let since = Instant::now();
    assert_eq!(kept.rest().await, b"");
    assert!(since.elapsed() >= SHORT.idle - Duration::from_millis(20), "closed after {:?}", since.elapsed());

    let mut half = stand.connect().await;
    half.send(b"POST /telegram/webhook/1 HTTP/1.1\r\nHost: x").await;
    assert_eq!(half.rest().await, b"");
}

#[test]
fn idle_connections_are_kept_longer_than_telegram_keeps_them() {
    assert!(Keeping::default().idle >= Duration::from_secs(75));
}

#[tokio::test]
async fn one_connection_carries_many_updates() {
    let bot = bot();
    let stand = Stand::start(edge(vec![bot.clone()]), quiet).await;
    let mut connection = stand.connect().await;

    for _ in 0..100 {
        let answer = connection.post(&update(&bot)).await;
        assert_eq!((answer.status, answer.header("connection")), (200, None));
    }
}

#[tokio::test]
async fn a_head_of_more_than_64_kib_is_refused() {
    let bot = bot();
    let stand = Stand::start(edge(vec![bot.clone()]), quiet).await;
    for (padding, status) in [(60_000, 200), (66_000, 431), (100_000, 431), (300_000, 431)] {
        let post = update(&bot).header("X-Padding", "x".repeat(padding));
        assert_eq!(stand.connect().await.post(&post).await.status, status, "{padding}");
    }
    assert_eq!(stand.calls(), 1);
}

#[tokio::test]
async fn draining_finishes_what_is_in_flight_and_turns_kept_connections_away() {
    let bot = bot();
    let release = Arc::new(Semaphore::new(0));
    let gate = Arc::clone(&release);
    let keeping = Keeping { grace: Duration::from_secs(2), ..Keeping::default() };
    let stand = Stand::keeping(edge(vec![bot.clone()]), keeping, move |delivery: Delivery| {
        let gate = Arc::clone(&gate);
        Box::pin(async move {
            if matches!(delivery.kind, Kind::CallbackQuery | Kind::PreCheckoutQuery) {
                gate.acquire().await.unwrap().forget();
            }
            answered("", Outcome::Applied)
        }) as BoxFuture<'static, Reply>
    })
    .await;
    let (mut working, mut kept, mut idle) = (stand.connect().await, stand.connect().await, stand.connect().await);
    assert_eq!(kept.post(&update(&bot)).await.status, 200);
    assert_eq!(idle.post(&update(&bot)).await.status, 200);
    let press = Post::to(bot.id.0, SECRET, "{\"update_id\":2,\"callback_query\":{}}");
    working.send(press.head().as_bytes()).await;
    working.send(&press.body).await;
    patience::until("the press is in flight", async || (stand.calls() == 3).then_some(())).await;

    let tasks = stand.tasks.clone();
    let stopping = tokio::spawn(async move { tasks.stop().await });
    patience::until("the listener is closed", async || TcpStream::connect(stand.address).await.err()).await;

    let last = kept.post(&update(&bot)).await;
    assert_eq!((last.status, last.header("connection")), (200, Some("close")));
    assert_eq!(kept.rest().await, b"");
    assert_eq!(idle.rest().await, b"");
    assert!(!stopping.is_finished(), "a request is still in flight");

    release.add_permits(1);
    let finished = working.answer().await;
    assert_eq!((finished.status, finished.header("connection")), (200, Some("close")));
    assert_eq!(working.rest().await, b"");
    timeout(patience::LIMIT, stopping).await.expect("everything ended").unwrap();
}

#[tokio::test]
async fn a_client_that_does_not_finish_its_request_does_not_hold_up_stopping() {
    let stand = Stand::keeping(edge(vec![bot()]), Keeping { grace: SHORT.grace, ..Keeping::default() }, quiet).await;
    let mut half = stand.connect().await;
    half.send(b"POST /telegram/webhook/1 HTTP/1.1\r\nHost: x").await;

    timeout(patience::LIMIT, stand.tasks.stop()).await.expect("it ends");
}

#[tokio::test]
async fn a_panic_of_a_service_ends_its_connection_and_nothing_else() {
    let listener = Listener::bind(&Address::Tcp(([127, 0, 0, 1], 0).into())).await.unwrap();
    let (address, tasks) = (listener.local_address().unwrap(), Tasks::new("requests"));
    let panicking = service_fn(async |request: http::Request<hyper::body::Incoming>| {
        assert_ne!(request.uri().path(), "/panic");
        assert!(matches!(request.extensions().get(), Some(Peer::Tcp(_))));
        Ok::<_, Infallible>(http::Response::new(Body::default()))
    });
    serve(listener, panicking, Keeping::default(), &tasks);
    let post = Post::to(1, SECRET, "");

    let mut doomed = Connection::open(address).await;
    doomed.send(post.clone().path("/panic").head().as_bytes()).await;
    assert_eq!(doomed.rest().await, b"");
    assert_eq!(Connection::open(address).await.post(&post).await.status, 200);
}

#[tokio::test]
async fn a_proxy_on_the_unix_socket_is_believed_when_the_word_unix_trusts_it() {
    let bot = bot();
    let folder = tempfile::tempdir().unwrap();
    let tasks = Tasks::new("requests");
    for (unix, status) in [(true, 200), (false, 403)] {
        let path = folder.path().join(format!("{unix}.sock"));
        let edge = Edge { trusted_proxies: TrustedProxies { networks: vec![], unix }, ..edge(vec![bot.clone()]) };
        let listener = Listener::bind(&Address::Unix(path.clone())).await.unwrap();
        serve(listener, service(edge, Arc::default(), quiet), Keeping::default(), &tasks);

        let mut connection = Connection::over(UnixStream::connect(&path).await.unwrap());
        let answer = connection.post(&update(&bot).header("X-Forwarded-For", "127.0.0.9")).await;

        assert_eq!(answer.status, status, "unix trusted: {unix}");
    }
}

#[tokio::test]
async fn any_http_service_can_be_served() {
    let listener = Listener::bind(&Address::Tcp(([127, 0, 0, 1], 0).into())).await.unwrap();
    let (address, tasks) = (listener.local_address().unwrap(), Tasks::new("ops"));
    let router = axum::Router::new().route("/health/live", axum::routing::get(async || "alive"));
    serve(listener, router, Keeping::default(), &tasks);

    let get = Post::to(1, SECRET, "").method("GET").path("/health/live");
    assert_eq!(Connection::open(address).await.post(&get).await.body, "alive");
}
