//! What the shipped nginx configuration does with an update, whatever the servers behind it say.
//! Those servers are not Tapgate here but a few lines that answer as told: only nginx is looked at.

use crate::harness::nginx::Nginx;
use crate::harness::ports;
use crate::harness::telegram::{Bot, Update, User};
use crate::harness::wire::Wire;
use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

/// Answers every update with one status and remembers what it was sent.
#[derive(Clone)]
struct Behind {
    address: SocketAddr,
    status: StatusCode,
    seen: Arc<Mutex<Vec<(HeaderMap, Bytes)>>>,
}

impl Behind {
    async fn answering(status: u16) -> Self {
        let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let status = StatusCode::from_u16(status).unwrap();
        let behind = Self { address: listener.local_addr().unwrap(), status, seen: Arc::default() };
        let router = Router::new().fallback(answer).with_state(behind.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        behind
    }

    fn seen(&self) -> Vec<(HeaderMap, Bytes)> {
        self.seen.lock().unwrap().clone()
    }
}

async fn answer(
    State(behind): State<Behind>,
    headers: HeaderMap,
    body: Bytes,
) -> (StatusCode, HeaderMap, &'static str) {
    behind.seen.lock().unwrap().push((headers, body));
    let mut headers = HeaderMap::new();
    headers.insert("content-type", "application/json".parse().unwrap());
    if !behind.status.is_success() {
        headers.insert("retry-after", "7".parse().unwrap());
    }
    (behind.status, headers, "{}")
}

#[test]
fn nginx_finds_nothing_wrong_with_the_shipped_configuration() {
    let Some(output) = Nginx::checks_configuration() else { return };
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert!(!said.contains("[warn]"), "{said}");
}

#[tokio::test]
async fn an_update_arrives_as_telegram_wrote_it_with_the_address_that_nginx_saw() {
    let behind = Behind::answering(200).await;
    let Some(nginx) = Nginx::before(&[behind.address]).await else { return };
    let (bot, update) = (Bot::new("nginx"), User::named("Аня").says("/start"));

    let response = nginx.telegram(&bot).forwarded_for(Some("203.0.113.9, 149.154.167.197")).posts(&update).await;

    assert_eq!((response.status, response.text()), (200, "{}"));
    let seen = behind.seen();
    let [(headers, body)] = &seen[..] else { panic!("{seen:?}") };
    assert_eq!(body, &update.body);
    assert_eq!(headers["x-telegram-bot-api-secret-token"], bot.secret.as_str());
    assert_eq!(headers["x-forwarded-for"], "203.0.113.9, 149.154.167.197, 127.0.0.1");
    assert_eq!(headers["content-type"], "application/json");
    assert!(!headers.contains_key("connection"));
}

#[tokio::test]
async fn an_update_goes_to_the_other_server_when_one_is_gone() {
    let behind = Behind::answering(200).await;
    let Some(nginx) = Nginx::before(&[ports::free(), behind.address]).await else { return };
    let (telegram, ann) = (nginx.telegram(&Bot::new("nginx")), User::named("Ann"));
    for _ in 0..20 {
        assert_eq!(telegram.posts(&ann.says("hello")).await.status, 200);
    }
    assert_eq!(behind.seen().len(), 20);
}

#[tokio::test]
async fn a_503_goes_back_to_telegram_and_to_no_other_server() {
    let busy = [Behind::answering(503).await, Behind::answering(503).await];
    let Some(nginx) = Nginx::before(&[busy[0].address, busy[1].address]).await else { return };
    let response = nginx.telegram(&Bot::new("nginx")).posts(&User::named("Ann").says("hello")).await;
    assert_eq!((response.status, response.header("retry-after"), response.text()), (503, Some("7"), "{}"));
    assert_eq!(busy[0].seen().len() + busy[1].seen().len(), 1);
}

#[tokio::test]
async fn without_any_server_telegram_is_told_to_come_back_soon() {
    let Some(nginx) = Nginx::before(&[ports::free(), ports::free()]).await else { return };
    let telegram = nginx.telegram(&Bot::new("nginx"));
    for _ in 0..3 {
        let response = telegram.posts(&User::named("Ann").says("hello")).await;
        assert_eq!(
            (response.status, response.header("retry-after"), response.text()),
            (503, Some("1"), r#"{"error":"Unavailable"}"#)
        );
    }
    assert_eq!(telegram.opened(), 1, "the connection to Telegram is kept");
}

#[tokio::test]
async fn what_is_no_update_is_answered_by_nginx_itself() {
    let behind = Behind::answering(200).await;
    let Some(nginx) = Nginx::before(&[behind.address]).await else { return };
    let mut connection = nginx.telegram(&Bot::new("nginx")).connects().await.unwrap();
    for request in ["GET /telegram/webhook/1 HTTP/1.1", "POST /metrics HTTP/1.1", "GET / HTTP/1.1"] {
        connection
            .write(format!("{request}\r\nHost: bot.example.org\r\nContent-Length: 0\r\n\r\n").as_bytes())
            .await
            .unwrap();
        let response = connection.read().await.unwrap();
        assert_eq!((response.status, response.text()), (404, r#"{"error":"Not found"}"#), "{request}");
    }
    let huge = Update::raw(1, vec![b' '; 8 * 1024 * 1024 + 1]);
    let response = nginx.telegram(&Bot::new("nginx")).posts(&huge).await;
    assert_eq!((response.status, response.text()), (413, r#"{"error":"Too large"}"#));
    assert!(behind.seen().is_empty());
}

#[tokio::test]
async fn an_update_over_tls_reaches_a_server() {
    let behind = Behind::answering(200).await;
    let Some(nginx) = Nginx::before(&[behind.address]).await else { return };
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = reqwest::Client::builder()
        .no_proxy()
        .tls_certs_only([reqwest::Certificate::from_pem(&nginx.certificate()).unwrap()])
        .resolve("bot.example.org", nginx.tls())
        .build()
        .unwrap();
    let url = format!("https://bot.example.org:{}/telegram/webhook/1", nginx.tls().port());
    let response = client.post(url).body(User::named("Ann").says("hello").body).send().await.unwrap();
    assert_eq!(response.status(), 200);
    assert_eq!(behind.seen().len(), 1);
}

#[tokio::test]
async fn a_busy_telegram_costs_no_more_connections_than_nginx_was_told_to_keep() {
    let behind = [Behind::answering(200).await, Behind::answering(200).await];
    let wires = [Wire::to(behind[0].address), Wire::to(behind[1].address)];
    let Some(nginx) = Nginx::before(&[wires[0].address(), wires[1].address()]).await else { return };
    let telegram = nginx.telegram(&Bot::new("nginx"));

    // 40 updates at a time, Telegram's default, and 100 times over.
    let at_once = (0..40).map(async |_| {
        let user = User::named("Ann");
        for _ in 0..100 {
            assert_eq!(telegram.posts(&user.says("hello")).await.status, 200);
        }
    });
    futures::future::join_all(at_once).await;

    assert!(telegram.opened() <= 40, "{}", telegram.opened());
    let opened = wires[0].opened() + wires[1].opened();
    let kept = Nginx::kept_connections();
    assert!(opened <= kept, "nginx keeps {kept} connections and yet opened {opened}");
}
