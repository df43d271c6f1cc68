//! The ops listener: what a scraper and an orchestrator see.

use crate::harness::postgres::Database;
use axum::body::Body;
use axum::http::Request;
use http_body_util::BodyExt;
use metrics_exporter_prometheus::PrometheusBuilder;
use serde_json::Value;
use std::sync::Arc;
use tapgate::config::{self, Sources};
use tapgate::dedup::Claims;
use tapgate::lanes::{Bells, Lanes};
use tapgate::library::Library;
use tapgate::ops::{Api, Checks, router};
use tapgate::roster::Roster;
use tapgate::secret::Secret;
use tapgate::shutdown::Tasks;
use tapgate::storage::{Storage, StorageUrl};
use tower::ServiceExt;

async fn sqlite() -> (Storage, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let storage = Storage::open(&StorageUrl::Sqlite(folder.path().join("tapgate.db"))).await.unwrap();
    storage.migrate().await.unwrap();
    (storage, folder)
}

/// A process as readiness sees it: no bots, no Redis, not stopping.
fn process(storage: Storage) -> Checks {
    Checks { storage, roster: Roster::of(Vec::new()), claims: Claims::Off, draining: Tasks::new("connections") }
}

/// The API of workers of the same process.
fn work(checks: &Checks) -> Api {
    let Checks { storage, roster, draining, .. } = checks.clone();
    let library = Arc::new(Library::open(None).unwrap());
    let settings = config::load(&Sources::NONE).unwrap().lanes;
    let lanes = Lanes::new(storage.clone(), library, roster, Bells::default(), settings);
    Api::new(lanes, storage, &[], draining)
}

/// Status, content type and body.
async fn get(path: &str, checks: &Checks) -> (u16, String, String) {
    let recorder = PrometheusBuilder::new().build_recorder();
    let request = Request::get(path).body(Body::empty()).unwrap();
    let response = router(recorder.handle(), checks.clone(), work(checks)).oneshot(request).await.unwrap();
    let kind = response.headers().get("content-type").map_or("", |value| value.to_str().unwrap()).to_owned();
    let status = response.status().as_u16();
    let body = response.into_body().collect().await.unwrap().to_bytes();
    (status, kind, String::from_utf8(body.to_vec()).unwrap())
}

#[tokio::test]
async fn ready_says_how_everything_stands() {
    let (storage, _folder) = sqlite().await;
    let (status, _, body) = get("/health/ready", &process(storage)).await;
    let body: Value = serde_json::from_str(&body).unwrap();
    assert_eq!(status, 200);
    assert_eq!(
        body,
        serde_json::json!({
            "status": "ready", "storage": "up", "redis": "none", "bots": "up", "draining": false,
        })
    );
}

#[tokio::test]
async fn a_degraded_gate_is_visible_and_still_ready() {
    let (storage, _folder) = sqlite().await;
    let tasks = Tasks::new("recorders");
    let nobody = Secret::new(format!("redis://{}", crate::harness::ports::free()));
    let claims = Claims::open(&nobody, &tasks).await.unwrap();
    let (status, _, body) = get("/health/ready", &Checks { claims, ..process(storage) }).await;
    tasks.stop().await;
    assert_eq!(status, 200);
    assert!(body.contains("\"redis\":\"degraded\""), "{body}");
}

#[tokio::test]
async fn a_draining_process_is_live_but_not_ready() {
    let (storage, _folder) = sqlite().await;
    let checks = process(storage);
    checks.draining.stop().await;
    let (status, _, body) = get("/health/ready", &checks).await;
    assert_eq!(status, 503);
    assert!(body.contains("\"status\":\"unready\"") && body.contains("\"draining\":true"), "{body}");
    assert_eq!(get("/health/live", &checks).await.0, 200);
}

#[tokio::test]
async fn a_process_without_its_store_is_not_ready() {
    let Some(database) = Database::create().await else { return };
    let storage = Storage::open(&StorageUrl::Postgres(Secret::new(database.url()))).await.unwrap();
    let checks = process(storage);
    assert_eq!(get("/health/ready", &checks).await.0, 200);
    drop(database);
    let (status, _, body) = get("/health/ready", &checks).await;
    assert_eq!(status, 503);
    assert!(body.contains("\"storage\":\"unreachable\""), "{body}");
    assert_eq!(get("/health/live", &checks).await.0, 200);
}

#[tokio::test]
async fn metrics_are_served_as_prometheus_wants_them_and_nothing_else_is() {
    let (storage, _folder) = sqlite().await;
    let (status, kind, _) = get("/metrics", &process(storage.clone())).await;
    assert_eq!((status, kind.as_str()), (200, "text/plain; version=0.0.4; charset=utf-8"));
    assert_eq!(get("/telegram/webhook/1", &process(storage)).await.0, 404);
}
