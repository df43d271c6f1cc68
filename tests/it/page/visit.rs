//! A newcomer in front of the page: the real program, a real browser, and words for what one does there.

use crate::harness::browser::{Browser, Window};
use crate::harness::patience;
use crate::harness::process::Process;
use crate::harness::server::{Environment, botctl};
use serde_json::{Value, json};
use std::path::Path;
use std::process::ExitStatus;
use std::time::Duration;

/// A running sandbox.
#[derive(Debug)]
pub struct Running {
    process: Process,
    /// Where its page is.
    pub url: String,
    /// Where workers find their jobs.
    pub ops: String,
}

impl Running {
    /// Starts one; `flow` is the folder of its flow.
    pub async fn start(flow: Option<&Path>) -> Self {
        Self::start_for(flow, None).await
    }

    /// The same; a worker with this token does its jobs instead of the demo worker.
    pub async fn start_for(flow: Option<&Path>, token: Option<&str>) -> Self {
        let (mut arguments, mut environment) =
            (vec!["sandbox", "--no-open", "--listen", "127.0.0.1:0"], Environment::new());
        if let Some(flow) = flow {
            arguments.extend(["--flow", flow.to_str().unwrap()]);
        }
        if let Some(token) = token {
            arguments.push("--no-demo");
            environment.insert("TAPGATE_WORKER_TOKEN".to_owned(), token.to_owned());
        }
        let mut process = Process::start("botctl sandbox", botctl(&environment, &arguments));
        let (url, ops) = patience::until("the sandbox says where it is", async || {
            if let Some(status) = process.ended() {
                panic!("botctl sandbox ended with {status}:\n{}", process.said());
            }
            let said = process.said();
            let url = said.lines().find_map(|line| line.strip_prefix("The sandbox is at "))?;
            let ops = said.lines().find_map(|line| line.strip_prefix("Workers of yours find their jobs at "))?;
            Some((url.to_owned(), ops.split(' ').next()?.to_owned()))
        })
        .await;
        Self { process, url, ops }
    }

    /// SIGTERM, and waits for its end.
    pub async fn stops(&mut self) -> ExitStatus {
        self.process.terminate();
        self.process.wait_for_end(Duration::from_secs(45)).await
    }

    /// What it wrote.
    pub fn said(&self) -> String {
        self.process.said()
    }
}

/// A visit of the page.
#[derive(Debug)]
pub struct Visit {
    pub browser: Browser,
    pub sandbox: Running,
}

/// Finds the telephone of somebody.
const PHONE: &str = "
    const phone = [...document.querySelectorAll('.phone')].find((one) => one.querySelector('h2').textContent === arguments[0]);
    if (!phone) return null;
";

impl Visit {
    /// Opens the page of a new sandbox; none where there is no browser.
    pub async fn begins(window: Window, flow: Option<&Path>) -> Option<Self> {
        Self::begins_for(window, flow, None).await
    }

    /// The same; a worker with this token does the jobs of the sandbox instead of the demo worker.
    pub async fn begins_for(window: Window, flow: Option<&Path>, token: Option<&str>) -> Option<Self> {
        let browser = Browser::open(window).await?;
        let sandbox = Running::start_for(flow, token).await;
        browser.visits(&sandbox.url).await;
        let visit = Self { browser, sandbox };
        visit
            .waits("both telephones are there", "return document.querySelectorAll('.phone').length >= 2", json!([]))
            .await;
        Some(visit)
    }

    /// See [`Browser::waits`].
    pub async fn waits(&self, what: &str, script: &str, arguments: Value) -> Value {
        self.browser.waits(what, script, arguments).await
    }

    /// `user` presses START.
    pub async fn starts(&self, user: &str) {
        let script = format!(
            "{PHONE} const start = phone.querySelector('.foot-line > .wide'); if (start.hidden) return false; start.click(); return true;"
        );
        self.waits(&format!("{user} presses START"), &script, json!([user])).await;
    }

    /// `user` presses the button `label` of the newest keyboard, as soon as it is there.
    pub async fn presses(&self, user: &str, label: &str) {
        let script = format!(
            "{PHONE} const buttons = [...phone.querySelectorAll('.keys button')].filter((one) => one.textContent.includes(arguments[1]));
             const button = buttons.at(-1); if (!button) return false; button.click(); return true;"
        );
        self.waits(&format!("{user} presses {label}"), &script, json!([user, label])).await;
    }

    /// `user` writes `text` and sends it.
    pub async fn writes(&self, user: &str, text: &str) {
        let script = format!(
            "{PHONE} const form = phone.querySelector('form'); if (form.hidden) return false;
             form.querySelector('input').value = arguments[1]; form.requestSubmit(); return true;"
        );
        self.waits(&format!("{user} writes"), &script, json!([user, text])).await;
    }

    /// Waits until the last message of the bot in `user`'s chat contains `text`.
    pub async fn sees(&self, user: &str, text: &str) {
        let script = format!(
            "{PHONE} const last = [...phone.querySelectorAll('.theirs .bubble')].at(-1); return last?.textContent.includes(arguments[1]);"
        );
        self.waits(&format!("{user} sees {text}"), &script, json!([user, text])).await;
    }

    /// Waits until some message of the bot in `user`'s chat contains `text`.
    pub async fn sees_somewhere(&self, user: &str, text: &str) {
        let script = format!(
            "{PHONE} return [...phone.querySelectorAll('.theirs .bubble')].some((one) => one.textContent.includes(arguments[1]));"
        );
        self.waits(&format!("{user} sees {text}"), &script, json!([user, text])).await;
    }

    /// How many messages of the bot `user`'s chat has.
    pub async fn messages_of_the_bot(&self, user: &str) -> u64 {
        let script = format!("{PHONE} return phone.querySelectorAll('.theirs').length;");
        self.browser.says(&script, json!([user])).await.as_u64().unwrap()
    }

    /// `user` takes the entry `label` of the menu of their telephone.
    pub async fn chooses(&self, user: &str, label: &str) {
        let script = format!(
            "{PHONE} phone.querySelector('.more > button').click();
             const entry = [...phone.querySelectorAll('.pop button')].find((one) => one.textContent === arguments[1]);
             entry?.click(); return Boolean(entry);"
        );
        self.waits(&format!("{user} chooses {label}"), &script, json!([user, label])).await;
    }

    /// Presses the button of a fault, for `user`, and waits until the page says so.
    pub async fn breaks(&self, fault: &str, user: &str) {
        self.browser
            .says(
                "document.getElementById('tab-faults').click();
                 const select = document.getElementById('fault-user');
                 select.value = [...select.options].find((one) => one.textContent === arguments[1]).value;
                 document.querySelector(`[data-fault=\"${arguments[0]}\"]`).click();",
                json!([fault, user]),
            )
            .await;
        self.waits(&format!("{fault} is confirmed"), "return document.querySelector('.snack')?.textContent", json!([]))
            .await;
    }

    /// The texts of the rows of the wire that contain `text`, the newest first.
    pub async fn rows(&self, text: &str) -> Vec<String> {
        let script = "return [...document.querySelectorAll('.wire-list li')].map((row) => row.innerText.replaceAll('\\n', ' ')).filter((row) => row.includes(arguments[0]));";
        let rows = self.browser.says(script, json!([text])).await;
        rows.as_array().unwrap().iter().map(|row| row.as_str().unwrap().to_owned()).collect()
    }

    /// Waits until a row of the wire contains all of `texts`, and gives it.
    pub async fn wire_shows(&self, texts: &[&str]) -> String {
        let script = "const rows = [...document.querySelectorAll('.wire-list li')].map((row) => row.innerText.replaceAll('\\n', ' '));
                      return rows.find((row) => arguments[0].every((text) => row.includes(text)));";
        self.waits(&format!("the wire shows {texts:?}"), script, json!([texts])).await.as_str().unwrap().to_owned()
    }

    /// Opens the row of the wire that contains all of `texts`, and gives its response as the page shows it.
    pub async fn response_of(&self, texts: &[&str]) -> String {
        self.wire_shows(texts).await;
        self.browser
            .says(
                "const row = [...document.querySelectorAll('.wire-list li')].find((row) => arguments[0].every((text) => row.innerText.replaceAll('\\n', ' ').includes(text)));
                 document.getElementById('detail').replaceChildren(); row.querySelector('button').click();",
                json!([texts]),
            )
            .await;
        let response = self
            .waits(
                "the row is open",
                "const halves = document.querySelectorAll('#detail[open] pre'); if (halves.length < 2) return null;
                 const text = halves[1].textContent; document.getElementById('detail').close(); return text;",
                json!([]),
            )
            .await;
        response.as_str().unwrap().to_owned()
    }

    /// Nothing went wrong on the page, and the sandbox stops cleanly.
    pub async fn ends(mut self) {
        assert_eq!(self.browser.complaints().await, Vec::<String>::new());
        drop(self.browser);
        let status = self.sandbox.stops().await;
        assert!(status.success(), "{status}: {}", self.sandbox.said());
    }
}
