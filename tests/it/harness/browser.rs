//! A real Chromium, driven over WebDriver (<https://www.w3.org/TR/webdriver2/>). Never looks at a page by itself.

use super::process::Process;
use super::{patience, ports, services};
use serde_json::{Value, json};
use std::process::Command;
use std::time::Duration;
use tempfile::TempDir;

/// How long a command may take: the first one starts a browser on a busy machine.
const COMMAND_TIME_MAX: Duration = Duration::from_secs(60);

/// A window of a browser of its own. It ends with this value.
#[derive(Debug)]
pub struct Browser {
    http: reqwest::Client,
    session: String,
    _driver: Process,
    _profile: TempDir,
}

/// How wide a window is.
#[derive(Clone, Copy, Debug)]
pub enum Window {
    /// A desk's.
    Wide,
    /// A telephone's.
    Narrow,
}

impl Browser {
    /// Opens one; none where there is no browser, which is recorded.
    pub async fn open(window: Window) -> Option<Self> {
        let services::Chromium { browser, driver } = services::chromium()?;
        let profile = tempfile::tempdir().unwrap();
        let address = ports::free();
        let mut command = Command::new(driver);
        command.arg(format!("--port={}", address.port())).env("HOME", profile.path());
        let mut driver = Process::start("chromedriver", command);
        driver.wait_until_listening(address).await;
        // A second installation is refused and harmless.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let http = reqwest::Client::builder().no_proxy().timeout(COMMAND_TIME_MAX).build().unwrap();
        let size = match window {
            Window::Wide => "1440,900",
            Window::Narrow => "500,844",
        };
        let user_data = profile.path().join("profile");
        let capabilities = json!({ "alwaysMatch": {
            "browserName": "chrome",
            "goog:loggingPrefs": { "browser": "ALL" },
            "goog:chromeOptions": { "binary": browser, "args": [
                "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                "--disable-background-networking", "--disable-component-update", "--disable-sync",
                // The browser ends with the pipe, and so with its driver.
                "--remote-debugging-pipe",
                format!("--user-data-dir={}", user_data.display()), format!("--window-size={size}"),
            ] },
        } });
        let base = format!("http://{address}/session");
        let answer = post(&http, &base, &json!({ "capabilities": capabilities })).await;
        let session = format!("{base}/{}", answer["sessionId"].as_str().expect("a session has an id"));
        Some(Self { http, session, _driver: driver, _profile: profile })
    }

    /// Goes there.
    pub async fn visits(&self, url: &str) {
        self.command("url", &json!({ "url": url })).await;
    }

    /// What the body of a function says, `arguments` being its arguments.
    pub async fn says(&self, script: &str, arguments: Value) -> Value {
        self.command("execute/sync", &json!({ "script": script, "args": arguments })).await
    }

    /// Waits until it says something other than null, false and the empty text.
    pub async fn waits(&self, what: &str, script: &str, arguments: Value) -> Value {
        patience::until(what, async || {
            let said = self.says(script, arguments.clone()).await;
            (!matches!(&said, Value::Null | Value::Bool(false)) && said != "").then_some(said)
        })
        .await
    }

    /// Types keys where the focus is.
    pub async fn types(&self, keys: &str) {
        let strokes: Vec<Value> = keys
            .chars()
            .flat_map(|key| [json!({ "type": "keyDown", "value": key }), json!({ "type": "keyUp", "value": key })])
            .collect();
        let actions = json!({ "actions": [{ "type": "key", "id": "keyboard", "actions": strokes }] });
        self.command("actions", &actions).await;
    }

    /// Everything that went wrong on the page: errors of scripts, refusals of the content policy, missing files.
    pub async fn complaints(&self) -> Vec<String> {
        let entries = self.command("se/log", &json!({ "type": "browser" })).await;
        let all = entries.as_array().cloned().unwrap_or_default();
        all.iter().filter(|entry| entry["level"] == "SEVERE").map(|entry| entry["message"].to_string()).collect()
    }

    async fn command(&self, name: &str, body: &Value) -> Value {
        post(&self.http, &format!("{}/{name}", self.session), body).await
    }
}

async fn post(http: &reqwest::Client, url: &str, body: &Value) -> Value {
    let response = http.post(url).json(body).send().await.expect("chromedriver answers");
    let status = response.status();
    let answer: Value = response.json().await.expect("chromedriver answers JSON");
    assert!(status.is_success(), "{url}: {}", answer["value"]["message"]);
    answer["value"].clone()
}
