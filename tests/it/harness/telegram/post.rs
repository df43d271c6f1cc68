//! Posts a bot's updates over kept connections, as Telegram does.
//! Never waits as long as Telegram between attempts: what is tested is that the next one ends well.

use super::Bot;
use super::connection::{Connection, Destination, Response};
use super::update::Update;
use crate::harness::patience;
use std::collections::VecDeque;
use std::io;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::time::{sleep, timeout};

/// An address of one of Telegram's subnets.
pub const TELEGRAM_ADDRESS: &str = "149.154.167.197";

/// Telegram's side of one bot's webhook.
pub struct Telegram {
    to: Destination,
    bot: Bot,
    host: String,
    forwarded_for: Option<String>,
    idle: Mutex<VecDeque<Connection>>,
    opened: AtomicUsize,
}

impl Telegram {
    /// Posts to a server or to nginx on this machine, whose word on addresses is trusted: the updates come from
    /// [`TELEGRAM_ADDRESS`].
    pub fn of(bot: &Bot, to: Destination) -> Self {
        Self {
            to,
            bot: bot.clone(),
            host: "bot.example.org".to_owned(),
            forwarded_for: Some(TELEGRAM_ADDRESS.to_owned()),
            idle: Mutex::default(),
            opened: AtomicUsize::new(0),
        }
    }

    /// The same with another `X-Forwarded-For`, or none.
    #[must_use]
    pub fn forwarded_for(self, value: Option<&str>) -> Self {
        Self { forwarded_for: value.map(str::to_owned), ..self }
    }

    /// The same with another secret.
    #[must_use]
    pub fn with_secret(mut self, secret: &str) -> Self {
        secret.clone_into(&mut self.bot.secret);
        self
    }

    /// How many connections it has opened so far.
    pub fn opened(&self) -> usize {
        self.opened.load(Ordering::Relaxed)
    }

    /// The request, byte for byte: exactly these headers in this order, then the one that nginx would add.
    pub fn request(&self, update: &Update) -> Vec<u8> {
        let mut head = format!("POST {} HTTP/1.1\r\nHost: {}\r\n", self.bot.webhook_path(), self.host);
        if !self.bot.secret.is_empty() {
            head += &format!("X-Telegram-Bot-Api-Secret-Token: {}\r\n", self.bot.secret);
        }
        head += &format!("Content-Type: application/json\r\nContent-Length: {}\r\n", update.body.len());
        head += "Connection: keep-alive\r\nAccept-Encoding: gzip, deflate\r\n";
        if let Some(value) = &self.forwarded_for {
            head += &format!("X-Forwarded-For: {value}\r\n");
        }
        [head.as_bytes(), b"\r\n", &update.body].concat()
    }

    /// Posts an update once, on the connection that was idle longest, and reads the answer.
    pub async fn tries(&self, update: &Update) -> io::Result<Response> {
        let idle = self.idle.lock().unwrap().pop_front();
        let mut connection = match idle {
            Some(connection) => connection,
            None => self.connects().await?,
        };
        connection.write(&self.request(update)).await?;
        // Telegram waits 60 s; so do we, in case that is what a test is about.
        let response = timeout(Duration::from_secs(60), connection.read()).await??;
        if response.header("connection").is_none_or(|value| !value.eq_ignore_ascii_case("close")) {
            self.idle.lock().unwrap().push_back(connection);
        }
        Ok(response)
    }

    /// Posts an update once; it must be answered, whatever the status.
    pub async fn posts(&self, update: &Update) -> Response {
        self.tries(update).await.unwrap_or_else(|error| panic!("update {} got no answer: {error}", update.id))
    }

    /// Posts an update until it is acknowledged, over broken connections and refusals; the acknowledgement, and how
    /// many attempts it took.
    pub async fn delivers(&self, update: &Update) -> (Response, usize) {
        let mut attempts = 0;
        let response = patience::until(&format!("update {} is acknowledged", update.id), async || {
            attempts += 1;
            self.tries(update).await.ok().filter(|response| response.status / 100 == 2)
        })
        .await;
        (response, attempts)
    }

    /// Posts an update and closes the connection after `wait`, whatever was answered.
    pub async fn posts_and_hangs_up(&self, update: &Update, wait: Duration) -> io::Result<()> {
        let mut connection = self.connects().await?;
        connection.write(&self.request(update)).await?;
        sleep(wait).await;
        Ok(())
    }

    /// A connection of its own, for a test that writes its own bytes.
    pub async fn connects(&self) -> io::Result<Connection> {
        self.opened.fetch_add(1, Ordering::Relaxed);
        Connection::open(&self.to).await
    }
}
