//! A tool that nobody here wrote reads the document of the API and makes calls after it, right ones and wrong ones.

use super::stand::{Stand, TOKEN};
use crate::harness::deployment::Deployment;
use crate::harness::services;
use std::process::Stdio;
use tokio::process::Command;

const HOOKS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/clients/schema_hooks.py");

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whatever_is_called_gets_an_answer_that_the_document_has() {
    let Some(python) = services::python() else { return };
    let stand = Stand::on(Deployment::embedded()).await;
    // So that some leases bring something.
    stand.crowd_asks(&stand.bot, 100, &["/draw"]).await;
    let document = format!("http://{}/v1/openapi.json", stand.server.ops());
    let checks = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance";
    let ended = Command::new(python)
        .args(["-m", "schemathesis.cli", "run", &document, "--header", &format!("Authorization: Bearer {TOKEN}")])
        .args(["--checks", checks, "--max-examples", "20", "--seed", "1", "--no-color"])
        .env("SCHEMATHESIS_HOOKS", HOOKS)
        // It keeps what it found in the folder that it runs in.
        .current_dir(stand.deployment.folder())
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output()
        .await
        .unwrap();
    let said = String::from_utf8_lossy(&ended.stdout);
    assert!(ended.status.success(), "{said}{}", String::from_utf8_lossy(&ended.stderr));
    assert!(said.contains("6 selected / 6 total"), "all routes are called: {said}");
}
