//! The whole webhook inside one process, from a request's head to its answer, for each backend, gathered and one at a
//! time, under forty callers. There is no socket, so what is left out against the closed loop is HTTP itself.

mod support;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use http::StatusCode;
use std::time::Duration;
use support::callers::{self, BOTH};
use support::stores::Store;
use support::webhook::{request, service};
use tapgate::ops;
use tapgate::shutdown::Tasks;
use tapgate::telemetry::metrics;
use tokio::runtime::Runtime;
use tower::ServiceExt;

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

criterion_group!(benches, webhook);
criterion_main!(benches);
