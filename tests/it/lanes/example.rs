//! A worker that is written in Rust: the example `worker`, from the question to the answer.

use super::stand::{Stand, TOKEN};
use crate::backwards::Backwards;
use crate::harness::deployment::Deployment;
use tapgate::secret::Secret;
use tapgate::worker::Runner;
use tokio::sync::oneshot;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_written_in_rust_answers() {
    let stand = Stand::on(Deployment::embedded()).await;
    let server = format!("http://{}", stand.server.ops()).parse().unwrap();
    let runner = Runner::new(&server, Secret::new(TOKEN)).unwrap();
    let (stop, stopped) = oneshot::channel::<()>();
    let running = tokio::spawn(runner.run(Backwards, async { stopped.await.unwrap_or_default() }));
    let ann = stand.asks("Привет, Anna <3").await;
    stand.sees(&ann, "3&lt; annA ,тевирП").await;
    stand.sees(&ann, "After, 99 left").await;
    stop.send(()).unwrap();
    running.await.unwrap().unwrap();
}
