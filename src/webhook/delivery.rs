//! The words of the stack: what travels inwards from layer to layer, and what comes back out.

use super::layers::admission::Permit;
use crate::bot::WEBHOOK_PREFIX;
use crate::roster::Known;
use crate::telegram::answer::Answer;
use crate::telegram::id::{BotId, UpdateId};
use crate::telegram::update::Kind;
use crate::telemetry::metrics::Outcome;
use bytes::Bytes;
use http::{Method, Request};
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// Who is at the other end of the connection. A request extension, set by the listener.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Peer {
    /// A TCP peer.
    Tcp(SocketAddr),
    /// Whoever may open the unix socket.
    Unix,
}

/// Which bot a path names: `POST /telegram/webhook/{bot id}`. A request extension, set by the route layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Route {
    /// The path is ours and names this bot; none where the id is not a number, which is refused like an unknown bot.
    Webhook(Option<BotId>),
    /// Any other path or method: 404.
    Other,
}

impl Route {
    /// Where a request wants to go.
    pub fn of(method: &Method, path: &str) -> Self {
        match path.strip_prefix(WEBHOOK_PREFIX) {
            Some(id) if method == Method::POST && !id.is_empty() && !id.contains('/') => Self::Webhook(bot_id(id)),
            _ => Self::Other,
        }
    }
}

/// Digits only: `FromStr` of a number would take `+1` and `-1` too.
fn bot_id(text: &str) -> Option<BotId> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

/// The address a request came from, through however many proxies. A request extension, set by the subnet layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Client(pub IpAddr);

/// A request that proved to be Telegram's, for this bot. Its body is not read yet.
#[derive(Debug)]
pub struct Addressed<B> {
    /// Whose update it brings.
    pub bot: Arc<Known>,
    /// The places it holds in the gates.
    pub permits: Vec<Permit>,
    /// The request as it came.
    pub request: Request<B>,
}

/// One update on its way inwards, from the body on.
#[derive(Debug)]
pub struct Delivery {
    /// Whose update it is.
    pub bot: Arc<Known>,
    /// Its id; none where the body has none that can be read.
    pub update: Option<UpdateId>,
    /// What kind it is, as far as its envelope tells.
    pub kind: Kind,
    /// The body as it came.
    pub body: Bytes,
    /// When all of it has to be over.
    pub deadline: Instant,
    /// The places it holds in the gates. The task that does the work keeps them, not the connection.
    pub permits: Vec<Permit>,
}

/// How an update is answered, on its way outwards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// 200.
    Answered {
        /// The body.
        answer: Answer,
        /// How it ended: applied, replayed, unchanged or dead.
        outcome: Outcome,
    },
    /// 503 with `Retry-After`: Telegram sends it again.
    Later {
        /// Shed, failed or paused.
        outcome: Outcome,
        /// When.
        retry_after: Duration,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_post_to_one_segment_below_the_prefix_is_ours() {
        let post = |path: &str| Route::of(&Method::POST, path);

        assert_eq!(post("/telegram/webhook/123456"), Route::Webhook(Some(BotId(123_456))));
        for unknown in ["abc", "12a", "+1", "-1", "1.5", "%31", "99999999999999999999", "123:TOKEN"] {
            assert_eq!(post(&format!("/telegram/webhook/{unknown}")), Route::Webhook(None), "{unknown}");
        }
        for other in ["/", "", "*", "/telegram/webhook", "/telegram/webhook/", "/telegram/webhook/1/", "/metrics"] {
            assert_eq!(post(other), Route::Other, "{other}");
        }
        for method in [Method::GET, Method::PUT, Method::HEAD, Method::OPTIONS] {
            assert_eq!(Route::of(&method, "/telegram/webhook/1"), Route::Other, "{method}");
        }
    }
}
