//! The words of the stack: what travels inwards from layer to layer, and what comes back out.

use super::layers::admission::Permit;
use crate::roster::Known;
use crate::telegram::answer::Answer;
use crate::telegram::id::{BotId, UpdateId};
use crate::telegram::update::Kind;
use crate::telemetry::metrics::Outcome;
use bytes::Bytes;
use std::net::SocketAddr;
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

/// Which bot a path names: `POST /telegram/webhook/{bot id}`. A request extension, set by the outermost layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Route {
    /// The path is ours and names this bot; none where the id is not a number, which is refused like an unknown bot.
    Webhook(Option<BotId>),
    /// Any other path or method: 404.
    Other,
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
