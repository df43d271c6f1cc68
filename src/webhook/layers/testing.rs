//! Requests and deliveries for the tests of the layers.

use crate::bot::Bot;
use crate::roster::Known;
use crate::secret::Secret;
use crate::telegram::id::{BotId, UpdateId};
use crate::telegram::update::Kind;
use crate::webhook::delivery::{Addressed, Delivery};
use bytes::Bytes;
use http::Request;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

pub(super) fn known() -> Arc<Known> {
    let bot = Bot {
        id: BotId(1),
        name: "bot".into(),
        username: None,
        token: Secret::new("1:token"),
        secret: Secret::new("secret"),
        previous_secret: None,
        max_connections: 40,
        base_url: None,
        flow: "companion".into(),
        paused: false,
    };
    Arc::new(Known::new(bot, "bot".into()))
}

pub(super) fn addressed<B>(body: B) -> Addressed<B> {
    Addressed { bot: known(), permits: Vec::new(), request: Request::new(body) }
}

pub(super) fn delivery(kind: Kind) -> Delivery {
    Delivery {
        bot: known(),
        update: Some(UpdateId(7)),
        kind,
        body: Bytes::from_static(b"{}"),
        deadline: Instant::now() + Duration::from_secs(5),
        permits: Vec::new(),
    }
}
