//! What a worker says of its job to a server that is not always there.

use super::stand::TOKEN;
use crate::harness::patience;
use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::post;
use axum::{Json, Router};
use serde_json::{Value, json};
use std::mem;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tapgate::Worker;
use tapgate::secret::Secret;
use tapgate::worker::{Completion, Failure, Job, Progress, Runner};
use tokio::sync::{Mutex, mpsc};
use tokio::time::timeout;

/// The ops listener of a server that has one job, and does not take the first progress.
#[derive(Debug)]
struct Server {
    jobs: Mutex<Vec<Value>>,
    told: mpsc::UnboundedSender<String>,
    refuses: AtomicBool,
}

impl Server {
    async fn start() -> (String, mpsc::UnboundedReceiver<String>) {
        let job = json!({
            "id": "1", "lease": "one", "lease_seconds": 60, "lane": "text", "attempt": 1, "key": "1.0", "kind": "generate",
            "screen": "talk", "bot": {"id": 42, "name": "demo"}, "chat": {"id": 7},
        });
        let (told, heard) = mpsc::unbounded_channel();
        let server = Arc::new(Self { jobs: Mutex::new(vec![job]), told, refuses: AtomicBool::new(true) });
        let router = Router::new()
            .route("/v1/lanes/text/lease", post(Self::lease))
            .route("/v1/jobs/1/progress", post(Self::progress))
            .with_state(server);
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(async move { axum::serve(listener, router).await });
        (url, heard)
    }

    async fn lease(State(server): State<Arc<Self>>) -> Json<Value> {
        let jobs = mem::take(&mut *server.jobs.lock().await);
        if jobs.is_empty() {
            std::future::pending::<()>().await;
        }
        Json(json!({"version": 1, "jobs": jobs}))
    }

    async fn progress(State(server): State<Arc<Self>>, Json(body): Json<Value>) -> StatusCode {
        server.told.send(body["text"].as_str().unwrap().to_owned()).unwrap();
        match server.refuses.swap(false, Ordering::Relaxed) {
            true => StatusCode::SERVICE_UNAVAILABLE,
            false => StatusCode::NO_CONTENT,
        }
    }
}

/// A worker that says one thing and then thinks for ever.
struct Thinks;

impl Worker for Thinks {
    async fn work(&self, _: Job, progress: Progress) -> Result<Completion, Failure> {
        progress.text("Once upon a time");
        std::future::pending().await
    }
}

#[tokio::test]
async fn what_the_server_did_not_take_is_said_again_and_what_it_took_is_not() {
    let (server, mut heard) = Server::start().await;
    let runner = Runner::new(&server.parse().unwrap(), Secret::new(TOKEN)).unwrap();
    let running = tokio::spawn(runner.run(Thinks, std::future::pending()));
    for _ in 0..2 {
        let told = timeout(patience::LIMIT, heard.recv()).await.expect("it is said");
        assert_eq!(told.as_deref(), Some("Once upon a time"));
    }
    // Longer than a worker waits before it says something again.
    let more = timeout(Duration::from_secs(3), heard.recv()).await;
    assert!(more.is_err(), "it was taken: {more:?}");
    running.abort();
}
