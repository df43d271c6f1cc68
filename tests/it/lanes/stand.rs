//! One installation with a bot that has work to give: servers, users who ask, and workers who speak HTTP.

use crate::harness::deployment::Deployment;
use crate::harness::patience;
use crate::harness::server::Server;
use crate::harness::telegram::{Bot, User};
use futures::StreamExt;
use reqwest::{Client, Method, RequestBuilder};
use serde_json::{Value, json};
use std::time::Duration;

/// What the servers know the worker by.
pub const TOKEN: &str = "0123456789abcdef-of-a-test";

const DEFINITION: &str = r#"
start = "home"
locales = ["en"]
free_balance = 100
memory = 20
priority = "paid"

[variables.mood]
values = ["good", "bad"]

[interrupts]
insufficient_messages = "home"
generation_busy = "home"

[commands.start]
go = "home"
[commands.cancel]
cancel = true
go = "home"
[commands.draw]
generate = { lane = "image", cost = 2, arguments = { style = "oil" } }
go = "waiting"

[screens.home]
text = { generate = { lane = "text", cost = 1, then = "after" }, go = "waiting" }
keyboard = [[{ name = "orders", call = { name = "orders", arguments = { page = "1" } } }]]

[screens.waiting]

[screens.after]
text = { generate = { lane = "text", cost = 1 }, go = "waiting" }
keyboard = [[{ name = "home", go = "home" }]]

[screens.orders]
keyboard = [[{ name = "back", back = true }]]
"#;

const TEXTS: &str = "
home = Home, { $balance } left
    .orders = Orders
waiting = Place { $place }: { $progress }…
after = After, { $balance } left, mood { $mood }
    .home = Home
orders = Orders { $call }
    .back = Back
command-start = x
command-cancel = x
command-draw = x
notice-suspended = x
notice-unknown-command = x
notice-old-button = x
notice-failed = It failed
error = x
";

/// An installation whose bot has the flow above.
pub struct Stand {
    pub deployment: Deployment,
    pub bot: Bot,
    pub server: Server,
}

impl Stand {
    /// One server, which a worker may take all lanes of.
    pub async fn on(deployment: Deployment) -> Self {
        Self::with(deployment, &format!("[workers.default]\ntoken = \"{TOKEN}\"\n")).await
    }

    /// The same with these settings.
    pub async fn with(mut deployment: Deployment, settings: &str) -> Self {
        let flow = deployment.folder().join("flows/asking");
        std::fs::create_dir_all(&flow).unwrap();
        std::fs::write(flow.join("flow.toml"), DEFINITION).unwrap();
        std::fs::write(flow.join("en.ftl"), TEXTS).unwrap();
        let flows = deployment.folder().join("flows").to_str().unwrap().to_owned();
        deployment.set("TAPGATE_FLOWS_DIR", &flows);
        deployment.configure(settings);
        let bot = Self::adds_bot(&deployment, "asking").await;
        let server = deployment.serves().await;
        Self { deployment, bot, server }
    }

    /// Adds a bot with the flow above.
    pub async fn adds_bot(deployment: &Deployment, name: &str) -> Bot {
        let bot = Bot::new(name);
        let add = ["bot", "add", "--name", name, "--token", &bot.token, "--secret", &bot.secret, "--offline"];
        deployment.botctl(&[&add[..], &["--flow", "asking"]].concat()).await;
        bot
    }

    /// A worker of its first server.
    pub fn worker(&self) -> Worker {
        Worker::of(&self.server)
    }

    /// A user of its bot who has begun.
    pub async fn user(&self, name: &str) -> User {
        let user = User::named(name);
        self.posts(&user, "/start").await;
        user
    }

    /// A user who has begun and asked for something.
    pub async fn asks(&self, text: &str) -> User {
        let user = self.user("Ann").await;
        self.posts(&user, text).await;
        user
    }

    /// So many users who have begun and asked for something, each with these words, one after the other.
    pub async fn crowd_asks(&self, bot: &Bot, count: usize, says: &[&str]) -> Vec<User> {
        let telegram = &self.server.telegram(bot);
        let asks = (0..count).map(|_| async move {
            let user = User::named("One of many");
            for text in says {
                let response = telegram.posts(&user.says(text)).await;
                assert_eq!((response.status, response.text()), (200, ""), "{text}");
            }
            user
        });
        futures::stream::iter(asks).buffered(32).collect().await
    }

    /// A user who has begun, has paid once, and asks for something.
    pub async fn asks_as_one_who_paid(&self, text: &str) -> User {
        let user = self.user("Rich").await;
        self.deployment.executes(&format!("UPDATE chats SET paid = true WHERE chat_id = {}", user.id)).await;
        self.posts(&user, text).await;
        user
    }

    /// Posts a text of a user.
    pub async fn posts(&self, user: &User, text: &str) {
        let response = self.server.telegram(&self.bot).posts(&user.says(text)).await;
        assert_eq!((response.status, response.text()), (200, ""), "{text}");
    }

    /// What `chat show` says of a user.
    pub async fn chat(&self, user: &User) -> Value {
        self.deployment.chat(&self.bot, user.id).await
    }

    /// Waits until the user has a message that contains `text`.
    pub async fn sees(&self, user: &User, text: &str) {
        self.deployment.bot_api.wait_for_text(user.id, text).await;
    }

    /// Waits until nothing is in the lanes of workers any more.
    pub async fn is_done(&self) {
        patience::until_within(Duration::from_secs(300), "the lanes are empty", async || {
            let jobs = "SELECT count(*) FROM jobs WHERE lane <> 'outbound'";
            (crate::path::count(&self.deployment, jobs).await == 0).then_some(())
        })
        .await;
    }
}

/// Somebody who works over HTTP.
#[derive(Clone, Debug)]
pub struct Worker {
    client: Client,
    base: String,
}

impl Worker {
    /// One of a server.
    pub fn of(server: &Server) -> Self {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder().no_proxy().timeout(Duration::from_secs(70)).build().unwrap();
        Self { client, base: format!("http://{}", server.ops()) }
    }

    /// Posts JSON; gives the status and what came back.
    pub async fn posts(&self, path: &str, body: &Value) -> (u16, Value) {
        let request = self.client.post(format!("{}/v1/{path}", self.base)).bearer_auth(TOKEN).json(body);
        answered(request.send().await.unwrap()).await
    }

    /// Makes a call that has nothing but what `with` gives it, not even a token.
    pub async fn calls(
        &self,
        method: Method,
        path: &str,
        with: impl FnOnce(RequestBuilder) -> RequestBuilder,
    ) -> (u16, Value) {
        answered(with(self.client.request(method, format!("{}{path}", self.base))).send().await.unwrap()).await
    }

    /// Takes up to `max` jobs of a lane, and waits for the first.
    pub async fn leases(&self, lane: &str, max: usize, wait_seconds: u64) -> Vec<Value> {
        let lease = json!({"worker": "test", "max": max, "wait_seconds": wait_seconds});
        let (status, leased) = self.posts(&format!("lanes/{lane}/lease"), &lease).await;
        assert_eq!((status, &leased["version"]), (200, &json!(1)), "{leased}");
        leased["jobs"].as_array().unwrap().clone()
    }

    /// Takes the one job that is there.
    pub async fn takes(&self, lane: &str) -> Value {
        let mut jobs = self.leases(lane, 1, 10).await;
        assert_eq!(jobs.len(), 1, "there is a job in {lane}");
        jobs.remove(0)
    }

    /// Says something about a job, under its lease.
    pub async fn says(&self, job: &Value, what: &str, mut body: Value) -> (u16, Value) {
        body["lease"] = job["lease"].clone();
        self.posts(&format!("jobs/{}/{what}", job["id"].as_str().unwrap()), &body).await
    }

    /// The same, which must be taken.
    pub async fn tells(&self, job: &Value, what: &str, body: Value) {
        assert_eq!(self.says(job, what, body).await, (204, Value::Null), "{what}");
    }

    /// Uploads bytes for a job.
    pub async fn uploads(&self, job: &Value, content_type: &str, content: Vec<u8>) -> (u16, Value) {
        let url = format!("{}/v1/jobs/{}/files", self.base, job["id"].as_str().unwrap());
        let request = self.client.post(url).bearer_auth(TOKEN).header("content-type", content_type);
        let request = request.header("tapgate-lease", job["lease"].as_str().unwrap()).body(content);
        answered(request.send().await.unwrap()).await
    }
}

/// Status and body of an answer; whatever is no success is problem details.
async fn answered(response: reqwest::Response) -> (u16, Value) {
    let status = response.status().as_u16();
    let kind = response.headers().get("content-type").map(|kind| kind.to_str().unwrap().to_owned());
    let body = response.text().await.unwrap();
    let body: Value = if body.is_empty() { Value::Null } else { serde_json::from_str(&body).unwrap() };
    if status >= 400 {
        assert_eq!(kind.as_deref(), Some("application/problem+json"), "{body}");
        assert_eq!(body["status"], status, "{body}");
        assert!(!body["detail"].as_str().unwrap().is_empty(), "{body}");
    }
    (status, body)
}
