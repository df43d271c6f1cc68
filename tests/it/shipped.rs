//! The files with which people run it, each read by the program that it is for.

use crate::harness::deployment::Deployment;
use crate::harness::patience;
use crate::harness::ports;
use crate::harness::process::Process;
use crate::harness::server::botctl;
use crate::harness::services;
use crate::harness::telegram::{Destination, Telegram, User};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use tempfile::TempDir;

const CONFIG: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/config");

fn succeeds(output: &Output) {
    let said = [&output.stdout, &output.stderr].map(|said| String::from_utf8_lossy(said));
    assert!(output.status.success(), "{}\n{}", said[0], said[1]);
}

#[test]
fn the_rules_of_prometheus_are_sound_and_say_what_they_mean() {
    let Some(promtool) = services::promtool() else { return };
    let run = |arguments: &[&str]| {
        let folder = Path::new(CONFIG).join("prometheus");
        succeeds(&Command::new(&promtool).args(arguments).current_dir(folder).output().unwrap());
    };
    run(&["check", "config", "prometheus.yml"]);
    run(&["check", "rules", "--lint-fatal", "rules.yml"]);
    run(&["test", "rules", "rules_test.yml"]);
}

/// A real Prometheus with the shipped rules that scrapes one server each second.
struct Prometheus {
    process: Process,
    http: reqwest::Client,
    url: String,
    _folder: TempDir,
}

impl Prometheus {
    async fn of(server: &str) -> Option<Self> {
        let program = services::prometheus()?;
        let (folder, address) = (tempfile::tempdir().unwrap(), ports::free());
        let shipped = |name: &str| fs::read_to_string(format!("{CONFIG}/prometheus/{name}")).unwrap();
        fs::write(folder.path().join("rules.yml"), shipped("rules.yml")).unwrap();
        let targets = r#"["server-1:9180", "server-2:9180"]"#;
        let config = shipped("prometheus.yml");
        assert!(config.contains(targets));
        let config = config.replace(targets, &format!("[\"{server}\"]")).replace(": 15s", ": 1s");
        fs::write(folder.path().join("prometheus.yml"), config).unwrap();
        let mut command = Command::new(program);
        command.current_dir(folder.path()).arg("--config.file=prometheus.yml").arg("--storage.tsdb.path=data");
        command.arg(format!("--web.listen-address={address}"));
        let mut process = Process::start("prometheus", command);
        process.wait_until_listening(address).await;
        let http = reqwest::Client::builder().no_proxy().build().unwrap();
        // It listens before it has opened its store, and answers 503 until then.
        patience::until("Prometheus is ready", async || {
            let answer = http.get(format!("http://{address}/-/ready")).send().await.ok()?;
            answer.status().is_success().then_some(())
        })
        .await;
        Some(Self { process, http, url: format!("http://{address}/api/v1"), _folder: folder })
    }

    async fn asks(&self, path: &str, parameters: &[(&str, &str)]) -> Value {
        let url = reqwest::Url::parse_with_params(&format!("{}/{path}", self.url), parameters).unwrap();
        let answer: Value = self.http.get(url).send().await.unwrap().json().await.unwrap();
        assert_eq!(answer["status"], "success", "{path} {parameters:?}: {answer}\n{}", self.process.said());
        answer["data"].clone()
    }

    /// How many series an expression has now.
    async fn series(&self, expression: &str) -> usize {
        self.asks("query", &[("query", expression)]).await["result"].as_array().unwrap().len()
    }
}

/// All expressions of the dashboard's panels, with what Grafana puts in the place of its variables.
fn panels() -> Vec<(String, String)> {
    let text = fs::read_to_string(format!("{CONFIG}/grafana/dashboards/tapgate.json")).unwrap();
    let dashboard: Value = serde_json::from_str(&text).unwrap();
    let panels = dashboard["panels"].as_array().unwrap();
    let targets = panels.iter().flat_map(|panel| {
        let title = panel["title"].as_str().unwrap().to_owned();
        let targets = panel["targets"].as_array().unwrap().iter();
        targets.map(move |target| (title.clone(), target["expr"].as_str().unwrap().to_owned()))
    });
    targets
        .map(|(title, expression)| (title, expression.replace("$bot", ".*").replace("$__rate_interval", "1m")))
        .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_prometheus_that_scrapes_a_server_answers_every_panel_and_every_alert() {
    let deployment = Deployment::embedded();
    let bot = deployment.adds_bot("shop").await;
    let server = deployment.serves().await;
    let Some(prometheus) = Prometheus::of(&server.ops().to_string()).await else { return };
    let telegram = server.telegram(&bot);
    let panels = panels();
    assert_eq!(panels[0].0, "Webhook response time", "the main graph is the first panel");

    // Traffic, until what is derived from rates is there.
    patience::until("the main graph and the capacity have values", async || {
        assert_eq!(telegram.posts(&User::named("Ann").says("/start")).await.status, 200);
        let main = prometheus.series(&format!("({}) > 0", panels[0].1)).await;
        let capacity = prometheus.series("tapgate:webhook_capacity:p50 > 0").await;
        (main > 0 && capacity > 0).then_some(())
    })
    .await;
    for (_, expression) in &panels {
        prometheus.series(expression).await;
    }

    let groups = prometheus.asks("rules", &[]).await;
    let rules: Vec<_> =
        groups["groups"].as_array().unwrap().iter().flat_map(|it| it["rules"].as_array().unwrap()).collect();
    let alerts = rules.iter().filter(|rule| rule["type"] == "alerting").count();
    assert!(alerts >= 10, "{alerts} alerts");
    for rule in rules {
        assert_eq!(rule["health"], "ok", "{rule}");
        assert_ne!(rule["state"], "firing", "nothing is wrong here: {rule}");
    }
}

/// A panel or an alert about a metric that does not exist would be empty for ever.
#[test]
fn every_metric_that_a_panel_or_an_alert_names_exists() {
    let rules = fs::read_to_string(format!("{CONFIG}/prometheus/rules.yml")).unwrap();
    let known: Vec<&str> = tapgate::telemetry::metrics::METRICS.iter().map(|metric| metric.name).collect();
    let expressions = panels().into_iter().map(|(_, expression)| expression).chain([rules]);
    for expression in expressions {
        for name in metrics_of(&expression) {
            let base = ["_bucket", "_sum", "_count"].iter().find_map(|part| name.strip_suffix(part)).unwrap_or(&name);
            assert!(known.contains(&base) || known.contains(&&*name), "{name} in {expression}");
        }
    }
}

/// The names of our metrics in a text; those of recorded rules have a colon.
fn metrics_of(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_' || letter == ':'));
    words.filter(|word| word.starts_with("tapgate")).map(str::to_owned).filter(|word| {
        !word.contains(':') && word.contains('_') && !matches!(word.as_str(), "tapgate_recorded" | "tapgate_alerts")
    })
}

/// The units of systemd with this build of the program in the place of the installed one.
fn units() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for unit in ["tapgate.service", "tapgate.socket", "tapgate-sender.service"] {
        let text = fs::read_to_string(format!("{CONFIG}/systemd/{unit}")).unwrap();
        let text = text.replace("/usr/local/bin/botctl", env!("CARGO_BIN_EXE_botctl"));
        fs::write(folder.path().join(unit), text).unwrap();
    }
    folder
}

#[test]
fn systemd_takes_the_units() {
    let Some(program) = services::systemd_analyze() else { return };
    let folder = units();
    let units = ["tapgate.service", "tapgate.socket", "tapgate-sender.service"].map(|unit| folder.path().join(unit));
    let output = Command::new(program).args(["verify", "--man=no"]).args(units).output().unwrap();
    succeeds(&output);
    assert_eq!(String::from_utf8_lossy(&output.stderr), "", "it has nothing to say of them");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_takes_the_socket_that_systemd_opened() {
    let Some(program) = services::systemd_socket_activate() else { return };
    let deployment = Deployment::embedded();
    let bot = deployment.adds_bot("shop").await;
    let (public, ops) = (ports::free(), ports::free());
    let mut environment = deployment.environment().clone();
    // Taken: a server that opened its own socket would not start.
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    environment.insert("TAPGATE_LISTEN".to_owned(), taken.local_addr().unwrap().to_string());
    environment.insert("TAPGATE_OPS_LISTEN".to_owned(), ops.to_string());
    let serve = botctl(&environment, &["serve"]);
    let mut command = Command::new(program);
    command.arg("--listen").arg(public.to_string());
    for (name, value) in &environment {
        command.arg("--setenv").arg(format!("{name}={value}"));
    }
    command.arg(serve.get_program()).args(serve.get_args());
    let mut process = Process::start("systemd-socket-activate", command);
    process.wait_until_listening(public).await;
    let answer = Telegram::of(&bot, Destination::Tcp(public)).posts(&User::named("Ann").says("/start")).await;
    assert_eq!(answer.status, 200, "{}", process.said());
}
