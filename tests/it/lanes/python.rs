//! The worker of the README, as it stands there, against a real server.

use super::stand::{Stand, TOKEN};
use crate::harness::deployment::Deployment;
use crate::harness::process::Process;
use std::process::Command;

/// The block of Python in README.md.
fn code() -> String {
    let readme = include_str!("../../../README.md");
    let (_, rest) = readme.split_once("```python\n").expect("README.md has a worker in Python");
    rest.split_once("```").unwrap().0.to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_worker_of_the_readme_answers_what_users_write() {
    let Some(python) = crate::harness::services::python() else { return };
    let stand = Stand::on(Deployment::embedded()).await;
    let file = stand.deployment.folder().join("worker.py");
    std::fs::write(&file, code()).unwrap();
    let mut command = Command::new(python);
    command.arg(&file).env("TAPGATE_URL", format!("http://{}", stand.server.ops())).env("TAPGATE_WORKER_TOKEN", TOKEN);
    let worker = Process::start("the worker of the README", command);

    let ann = stand.asks("Hello <there>").await;
    stand.sees(&ann, "You said: Hello &lt;there&gt;").await;
    stand.sees(&ann, "After, 99 left").await;
    stand.posts(&ann, "And again").await;
    stand.sees(&ann, "You said: And again").await;
    worker.terminate();
}
