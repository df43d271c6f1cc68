//! The whole webhook inside one process, from a request's head to its answer, for each backend, gathered and one at a
//! time, under forty callers. There is no socket, so what is left out against the closed loop is HTTP itself.

mod support;

use bytes::Bytes;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use http::{Request, Response, StatusCode};
use http_body_util::Full;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use support::bot::{self, SECRET};
use support::callers::{self, BOTH};
use support::stores::{Redis, Store};
use support::updates;
use tapgate::config::TrustedProxies;
use tapgate::dedup::Claims;
use tapgate::ops;
use tapgate::roster::Roster;
use tapgate::secret::Secret;
use tapgate::shutdown::Tasks;
use tapgate::storage::{Gathered, Gathering};
use tapgate::telemetry::metrics;
use tapgate::webhook::handler::Handler;
use tapgate::webhook::{Body, Edge, Peer, stack};
use tokio::runtime::Runtime;
use tower::{Service, ServiceExt};

const CALLERS: usize = 40;

fn webhook(criterion: &mut Criterion) {
    let runtime = Runtime::new().expect("a runtime can be made");
    // As `serve` has it: without a recorder the metrics would cost nothing.
    let background = Tasks::new("the background");
    let recorder = metrics::install().expect("the process has no recorder yet");
    runtime.block_on(async { ops::start_upkeep(recorder, &background) });

    let mut group = criterion.benchmark_group("webhook");
    group.sample_size(20).measurement_time(Duration::from_secs(5)).throughput(Throughput::Elements(1));
    for store in runtime.block_on(Store::all()) {
        for (name, gathering) in BOTH {
            let (tasks, recorders) = (Tasks::new("the server"), Tasks::new("recorders of answers"));
            let service = runtime.block_on(service(&store, gathering, &tasks, &recorders));
            group.bench_function(BenchmarkId::new(store.name, name), |bencher| {
                bencher.to_async(&runtime).iter_custom(|calls| {
                    callers::time(vec![service.clone(); CALLERS], calls, |service, calls| async move {
                        for _ in 0..calls {
                            let answer = service.clone().oneshot(request()).await;
                            assert!(answer.is_ok_and(|answer| answer.status() == StatusCode::OK));
                        }
                    })
                });
            });
            runtime.block_on(async {
                tasks.stop().await;
                recorders.stop().await;
            });
        }
    }
    runtime.block_on(background.stop());
}

type Answer = Response<Body>;

async fn service(
    store: &Store,
    gathering: Gathering,
    tasks: &Tasks,
    recorders: &Tasks,
) -> impl Service<Request<Full<Bytes>>, Response = Answer, Error = Infallible, Future: Send> + Clone + Send + 'static + use<>
{
    let gathered = Gathered::start(&store.storage, gathering, tasks).await.expect("the store gives connections");
    let retry_after = Duration::from_secs(1);
    let (library, queued) = (Arc::new(bot::library()), Arc::default());
    let handler = Handler::new(gathered, store.storage.clone(), library, tasks.clone(), queued, retry_after);
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

fn request() -> Request<Full<Bytes>> {
    Request::post(format!("/telegram/webhook/{}", bot::id()))
        .header("x-telegram-bot-api-secret-token", SECRET)
        .header("content-type", "application/json")
        .extension(Peer::Tcp(([127, 0, 0, 1], 9).into()))
        .body(Full::from(updates::next_message()))
        .expect("our own request is one")
}

criterion_group!(benches, webhook);
criterion_main!(benches);
