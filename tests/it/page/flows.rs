//! A watched flow: a saved text is seen, a mistake is reported and changes nothing.

use super::visit::Visit;
use crate::harness::browser::Window;
use serde_json::json;
use std::path::Path;
use tempfile::TempDir;

/// A copy of the shipped flow, to be edited.
pub fn a_flow() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("mine");
    std::fs::create_dir(&copy).unwrap();
    let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("config/flows/companion");
    for file in ["flow.toml", "en.ftl", "ru.ftl"] {
        std::fs::copy(shipped.join(file), copy.join(file)).unwrap();
    }
    folder
}

pub fn edit(folder: &TempDir, file: &str, from: &str, to: &str) {
    let path = folder.path().join("mine").join(file);
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains(from), "{file} has no {from}");
    std::fs::write(&path, text.replace(from, to)).unwrap();
}

#[tokio::test]
async fn a_broken_flow_file_is_reported_and_the_old_flow_goes_on_until_it_is_mended() {
    let folder = a_flow();
    let Some(page) = Visit::begins(Window::Wide, Some(&folder.path().join("mine"))).await else { return };
    page.starts("Ann").await;
    page.sees("Ann", "I know a few people").await;

    edit(&folder, "flow.toml", "go = \"shop\" }]", "go = \"shopp\" }]");
    let report =
        "return !document.getElementById('problems').hidden && document.getElementById('problems').textContent";
    let report = page.waits("the report is shown", report, json!([])).await;
    let report = report.as_str().unwrap();
    assert!(report.contains("flow.toml:") && report.contains("shopp") && report.contains("shop"), "{report}");
    page.presses("Ann", "Get messages").await;
    page.sees("Ann", "What would you like to have?").await;
    page.presses("Ann", "Back").await;
    page.sees("Ann", "I know a few people").await;

    edit(&folder, "flow.toml", "go = \"shopp\" }]", "go = \"shop\" }]");
    page.waits("the report is gone", "return document.getElementById('problems').hidden", json!([])).await;
    page.ends().await;
}

#[tokio::test]
async fn a_saved_text_is_seen_without_a_tap() {
    let folder = a_flow();
    let Some(page) = Visit::begins(Window::Wide, Some(&folder.path().join("mine"))).await else { return };
    page.starts("Ann").await;
    page.sees("Ann", "I know a few people").await;
    edit(&folder, "en.ftl", "I know a few people who love to talk", "I know everybody in town");
    page.sees("Ann", "I know everybody in town").await;
    page.ends().await;
}
