//! How a call is answered.

use serde_json::{Value, json};
use std::time::Duration;
use tokio::sync::watch;

/// An answer of the Bot API, and when it comes.
#[derive(Clone, Debug)]
pub struct Reply {
    pub(super) status: u16,
    /// None: the call is done, and answered as usual.
    pub(super) body: Option<Value>,
    pub(super) delay: Duration,
    pub(super) held: Option<watch::Receiver<bool>>,
    pub(super) cut: bool,
}

impl Reply {
    /// Success.
    pub fn ok(result: Value) -> Self {
        Self::of(200, json!({"ok": true, "result": result}))
    }

    /// A refusal: `refused(400, "Bad Request: message to edit not found")`.
    pub fn refused(code: u16, description: &str) -> Self {
        let mut body = json!({"ok": false, "error_code": code, "description": description});
        if description.contains("upgraded to a supergroup") {
            body["parameters"] = json!({"migrate_to_chat_id": -1_001_234_567_890_i64});
        }
        Self::of(code, body)
    }

    /// 429: to be tried again after so many seconds.
    pub fn too_many_requests(seconds: u64) -> Self {
        Self::of(
            429,
            json!({
                "ok": false, "error_code": 429, "description": format!("Too Many Requests: retry after {seconds}"),
                "parameters": {"retry_after": seconds},
            }),
        )
    }

    /// Any status and body; nothing is done.
    pub fn of(status: u16, body: Value) -> Self {
        Self { status, body: Some(body), delay: Duration::ZERO, held: None, cut: false }
    }

    /// The call is done and answered as usual.
    pub fn done() -> Self {
        Self { body: None, ..Self::of(200, Value::Null) }
    }

    /// Nothing is done and nothing is answered: the connection is closed once the call was read.
    pub fn cut() -> Self {
        Self { cut: true, ..Self::of(500, Value::Null) }
    }

    /// The call is done, and the connection is closed before the answer: its caller cannot know.
    pub fn done_but_cut() -> Self {
        Self { cut: true, ..Self::done() }
    }

    /// The same, later.
    #[must_use]
    pub fn after(self, delay: Duration) -> Self {
        Self { delay, ..self }
    }

    /// The same, once the hand is taken away.
    pub fn held(self) -> (Self, Hand) {
        let (hand, held) = watch::channel(false);
        (Self { held: Some(held), ..self }, Hand(hand))
    }

    pub(super) async fn wait(&self) {
        tokio::time::sleep(self.delay).await;
        if let Some(mut held) = self.held.clone() {
            // An error means that the hand was dropped, which lets go as well.
            let _ = held.wait_for(|let_go| *let_go).await;
        }
    }
}

/// Holds answers back until it lets go or is dropped.
#[derive(Debug)]
pub struct Hand(watch::Sender<bool>);

impl Hand {
    /// Gives all held answers.
    pub fn let_go(&self) {
        self.0.send_replace(true);
    }
}
