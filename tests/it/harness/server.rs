//! The real program, as an operator runs it: `botctl` with an environment, watched from outside.

use super::patience;
use super::process::Process;
use super::telegram::{Bot, Destination, Telegram};
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::process::{Command, ExitStatus};
use std::time::Duration;

/// What a process is told: nothing else of the test's own environment reaches it.
pub type Environment = BTreeMap<String, String>;

/// `botctl` with this environment and these arguments, not yet started.
pub fn botctl(environment: &Environment, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_botctl"));
    command.args(arguments).env_clear().envs(environment);
    command
}

/// A running `botctl serve`, or `botctl sender`. Killed with this value.
#[derive(Debug)]
pub struct Server {
    process: Process,
    public: SocketAddr,
    ops: SocketAddr,
}

impl Server {
    /// Starts one and waits until it says that it is ready. The environment names both listeners.
    pub async fn start(environment: &Environment, arguments: &[&str]) -> Self {
        let mut server = Self::start_unready(environment, arguments);
        server.wait_until_ready().await;
        server
    }

    /// Starts a `botctl sender`, which takes no updates in, and waits until it says that it is ready.
    pub async fn start_sender(environment: &Environment) -> Self {
        let mut sender = Self::start_process("botctl sender", environment, &["sender"]);
        sender.wait_until_ready().await;
        sender
    }

    /// Starts one and does not wait.
    pub fn start_unready(environment: &Environment, arguments: &[&str]) -> Self {
        Self::start_process("botctl serve", environment, &[&["serve"], arguments].concat())
    }

    fn start_process(name: &'static str, environment: &Environment, arguments: &[&str]) -> Self {
        let address = |name: &str| environment.get(name).and_then(|value| value.parse().ok());
        let unspecified = SocketAddr::from(([127, 0, 0, 1], 0));
        Self {
            process: Process::start(name, botctl(environment, arguments)),
            public: address("TAPGATE_LISTEN").unwrap_or(unspecified),
            ops: address("TAPGATE_OPS_LISTEN").expect("the ops listener has an address"),
        }
    }

    /// Waits until `/health/ready` is 200.
    pub async fn wait_until_ready(&mut self) {
        let client = client();
        let url = format!("http://{}/health/ready", self.ops);
        patience::until("the server is ready", async || {
            if let Some(status) = self.process.ended() {
                panic!("it ended with {status}:\n{}", self.process.said());
            }
            client.get(&url).send().await.ok().filter(|response| response.status().is_success())
        })
        .await;
    }

    /// Where updates are posted.
    pub fn public(&self) -> SocketAddr {
        self.public
    }

    /// Where metrics and health are.
    pub fn ops(&self) -> SocketAddr {
        self.ops
    }

    /// Telegram, posting straight to this server.
    pub fn telegram(&self, bot: &Bot) -> Telegram {
        Telegram::of(bot, Destination::Tcp(self.public))
    }

    /// Status and body of a page of the ops listener.
    pub async fn page(&self, path: &str) -> (u16, String) {
        let response =
            client().get(format!("http://{}{path}", self.ops)).send().await.expect("the ops listener answers");
        (response.status().as_u16(), response.text().await.unwrap())
    }

    /// The sum of all samples of a metric whose labels contain `labels` (`outcome="applied"`); 0 without any.
    pub async fn metric(&self, name: &str, labels: &str) -> f64 {
        let (_, page) = self.page("/metrics").await;
        page.lines()
            .filter_map(|line| line.rsplit_once(' '))
            .filter(|(sample, _)| sample.split('{').next() == Some(name) && sample.contains(labels))
            .filter_map(|(_, value)| value.parse::<f64>().ok())
            .sum()
    }

    /// Its log lines so far.
    pub fn log(&self) -> String {
        self.process.said()
    }

    /// SIGTERM, and waits until it has ended by itself.
    pub async fn stops(&mut self) -> ExitStatus {
        self.process.terminate();
        // The longest grace that is promised to it: `stop_grace_period` of docker-compose.yml.
        self.process.wait_for_end(Duration::from_secs(45)).await
    }

    /// SIGTERM alone.
    pub fn is_told_to_stop(&self) {
        self.process.terminate();
    }

    /// Waits until it has ended by itself, a fail point's abort included.
    pub async fn ends(&mut self) -> ExitStatus {
        self.process.wait_for_end(patience::LIMIT).await
    }

    /// `kill -9`.
    pub fn kill(&mut self) {
        self.process.kill();
    }

    /// SIGHUP.
    pub fn hangs_up(&self) {
        self.process.hang_up();
    }

    /// SIGSTOP.
    pub fn freeze(&self) {
        self.process.freeze();
    }

    /// SIGCONT.
    pub fn thaw(&self) {
        self.process.thaw();
    }
}

fn client() -> reqwest::Client {
    // A second installation is refused and harmless.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder().no_proxy().timeout(Duration::from_secs(10)).build().expect("a client can be made")
}
