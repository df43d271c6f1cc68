//! The documents say what is so: tables match the code, links lead somewhere, and the first commands do what they claim.

use crate::harness::deployment::Deployment;
use crate::harness::telegram::{Bot, Update};
use std::path::{Path, PathBuf};
use tapgate::telemetry::metrics::{METRICS, Type};

const README: &str = include_str!("../../README.md");
const ROOT: &str = env!("CARGO_MANIFEST_DIR");

#[test]
fn the_table_of_metrics_is_that_of_the_code() {
    let (_, after) = README.split_once("<!-- metrics:").expect("the README marks its table");
    let table: Vec<&str> = after.lines().filter(|line| line.starts_with("| `")).take(METRICS.len()).collect();
    let expected: Vec<String> = METRICS
        .iter()
        .map(|metric| {
            let kind = match metric.kind {
                Type::Counter => "counter",
                Type::Gauge => "gauge",
                Type::Histogram => "histogram",
            };
            let labels: Vec<String> = metric.labels.iter().map(|label| format!("`{label}`")).collect();
            format!("| `{}` | {kind} | {} | {} |", metric.name, labels.join(", "), metric.help)
        })
        .collect();
    assert_eq!(table, expected);
}

#[test]
fn the_table_of_variables_is_that_of_the_settings() {
    let manual = std::fs::read_to_string(format!("{ROOT}/config/default.toml")).unwrap();
    let named = |text: &str| -> Vec<String> {
        let words = text.split(|letter: char| !letter.is_ascii_uppercase() && letter != '_');
        let mut words: Vec<String> = words
            .filter(|word| word.starts_with("TAPGATE_") || matches!(*word, "DATABASE_URL" | "REDIS_URL"))
            .map(str::to_owned)
            .collect();
        words.sort();
        words.dedup();
        words
    };
    let rows: Vec<&str> =
        README.lines().filter(|line| line.starts_with("| `TAPGATE_") || line.contains("_URL` |")).collect();
    assert_eq!(named(&rows.join("\n")), named(&manual));
}

#[test]
fn every_link_between_the_documents_leads_to_a_file() {
    for document in documents() {
        let text = std::fs::read_to_string(&document).unwrap();
        for target in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let file = target.split('#').next().unwrap_or_default();
            if file.is_empty() || file.contains("://") {
                continue;
            }
            let path = document.parent().unwrap().join(file);
            assert!(path.exists(), "{} leads to {file}, which is not there", document.display());
        }
    }
}

#[test]
fn every_file_that_the_documents_name_is_there() {
    for document in documents() {
        let text = std::fs::read_to_string(&document).unwrap();
        for name in text.split('`').skip(1).step_by(2) {
            let is_path = ["src/", "tests/", "config/", "migrations/", "benches/", ".ci/"]
                .iter()
                .any(|root| name.starts_with(root));
            let plain = name.chars().all(|letter| letter.is_ascii_alphanumeric() || "/._-".contains(letter));
            assert!(!is_path || !plain || Path::new(ROOT).join(name).exists(), "{}: {name}", document.display());
        }
    }
}

#[test]
fn every_area_that_the_map_of_tests_names_is_there() {
    let map = include_str!("../README.md");
    let areas: Vec<&str> = map.split('`').skip(1).step_by(2).filter_map(|name| name.strip_suffix("::")).collect();
    assert!(areas.len() > 10, "{areas:?}");
    for area in areas {
        let area = area.split_whitespace().last().unwrap_or_default();
        let folder = Path::new(ROOT).join("tests/it").join(area);
        assert!(folder.exists() || folder.with_extension("rs").exists(), "no tests are in {area}");
    }
}

/// The first commands of the README, run as they are written, but for where the server listens.
#[tokio::test]
async fn the_first_update_of_the_readme_does_what_the_readme_says() {
    let deployment = Deployment::embedded();
    let (_, first) = README.split_once("\ncargo run -- bot add").expect("the README adds a bot");
    let add: Vec<&str> = first.lines().next().unwrap().split_whitespace().collect();
    deployment.botctl(&[&["bot", "add"], &add[..]].concat()).await;
    let (_, body) = README.split_once("-d '").expect("the README posts an update");
    let (body, _) = body.split_once('\'').unwrap();
    let bot = Bot { id: 42, name: "demo".into(), token: "42:DEMO".into(), secret: "demo-secret".into() };
    let server = deployment.serves_with(&[("TAPGATE_TELEGRAM_API_URL", "http://127.0.0.1:9")]).await;
    let telegram = server.telegram(&bot);

    let start = Update::raw(1, body);
    let answer = telegram.posts(&start).await;
    assert_eq!((answer.status, answer.text()), (200, ""));
    let chat = deployment.chat(&bot, 7).await;
    assert_eq!(chat["desired"]["screen"], "welcome", "{chat}");
    assert!(chat["shown"].is_null(), "{chat}");

    let again = telegram.posts(&start).await;
    assert_eq!((again.status, again.body), (answer.status, answer.body));
    assert_eq!(deployment.chat(&bot, 7).await, chat);

    let nonsense = body.replace("/start", "/nonsense").replace("\"update_id\":1", "\"update_id\":2");
    let answer = telegram.posts(&Update::raw(2, nonsense)).await;
    assert_eq!((answer.status, &answer.json()["method"]), (200, &"sendMessage".into()));
}

fn documents() -> Vec<PathBuf> {
    let names = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "tests/README.md", "benches/README.md"];
    names.iter().map(|name| Path::new(ROOT).join(name)).collect()
}
