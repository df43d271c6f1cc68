//! What goes wrong on request, and what one can turn: faults, the delay, the traffic, the connections.

use super::super::deliver::{lives, queue_key};
use super::super::faults::{ApiFault, DeliveryFault, Faults, Lasts};
use super::super::updates::NewUpdate;
use super::super::world::{Action, Which};
use super::Page;
use super::refusal::Refusal;
use crate::telegram::id::ChatId;
use crate::telegram::webhook::MAX_CONNECTIONS_MAX;
use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::time::Duration;

/// How long "delay the answer" delays.
const DELAY: Duration = Duration::from_secs(3);
/// How much longer calls take under "slow Bot API".
const SLOW: Duration = Duration::from_secs(3);
/// What a 429 asks for. Telegram itself sleeps off waits of up to 8 s where it can.
const FLOOD_WAIT: Duration = Duration::from_secs(8);
/// How many calls fail under "Bot API answers 500".
const FAILED_CALLS: u32 = 3;
/// How many taps a burst has.
const BURST_TAPS: usize = 20;
/// Longest delay that the slider has.
const DELAY_MAX_MILLIS: u64 = 10_000;

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Fault {
    LoseAnswer,
    Delay,
    Twice,
    Close,
    Poison,
    Burst,
    Block,
    Flood,
    Slow,
    Fail,
}

#[derive(Debug, Deserialize)]
pub(super) struct Strike {
    fault: Fault,
    user: ChatId,
}

/// Whether the fault waits for something to strike, or is done.
#[derive(Serialize)]
pub(super) struct Struck {
    armed: bool,
}

pub(super) async fn strike(
    State(page): State<Page>,
    Json(Strike { fault, user }): Json<Strike>,
) -> Result<Json<Struck>, Refusal> {
    let faults = &page.0.faults;
    let once = Lasts::Times(1);
    let armed = !matches!(fault, Fault::Block | Fault::Poison | Fault::Burst);
    match fault {
        Fault::LoseAnswer => faults.strike_deliveries(DeliveryFault::LoseAnswer, once),
        Fault::Delay => faults.strike_deliveries(DeliveryFault::DelayAnswer(DELAY), once),
        Fault::Twice => faults.strike_deliveries(DeliveryFault::DeliverTwice, once),
        Fault::Close => faults.strike_deliveries(DeliveryFault::CloseEarly, once),
        Fault::Flood => faults.strike_api(ApiFault::Flood { chat: user, retry_after: FLOOD_WAIT }, once),
        Fault::Slow => faults.strike_api(ApiFault::Slow(SLOW), Lasts::Standing),
        Fault::Fail => faults.strike_api(ApiFault::Fail(500), Lasts::Times(FAILED_CALLS)),
        Fault::Block => page.0.world.blocks(user)?,
        Fault::Poison => poison(&page, user),
        Fault::Burst => burst(&page, user)?,
    }
    Ok(Json(Struck { armed }))
}

/// A message whose fields have types that no version of the Bot API gives them.
fn poison(page: &Page, user: ChatId) {
    let object =
        json!({ "message_id": "seven", "from": user, "chat": [], "date": null, "text": {} }).to_string().into_bytes();
    let (kind, lives) = ("message", lives("message"));
    page.0.updates.push(NewUpdate { kind, object, queue: queue_key(kind, user.0), lives });
}

/// One user's presses of the buttons under their last message, as fast as a thumb never was.
fn burst(page: &Page, user: ChatId) -> Result<(), Refusal> {
    let chat = page.0.world.chat(user).ok_or(Refusal::NotThere("such user"))?;
    let under = |message: &super::super::world::MessageView| {
        message.keyboard.iter().flatten().any(|button| matches!(button.action, Action::Callback { .. }))
    };
    let Some(message) = chat.messages.iter().rev().find(|message| under(message)) else {
        return Err(Refusal::Senseless("there is no button to tap yet: press START first"));
    };
    let data = message.keyboard.iter().flatten().filter_map(|button| match &button.action {
        Action::Callback { data } => Some(data),
        _ => None,
    });
    for data in data.cycle().take(BURST_TAPS) {
        page.0.world.presses(user, message.id, Which::Data(data))?;
    }
    Ok(())
}

pub(super) async fn clear(State(page): State<Page>) -> Json<Value> {
    page.0.faults.clear();
    Json(json!({}))
}

#[derive(Deserialize)]
pub(super) struct Delay {
    milliseconds: u64,
}

pub(super) async fn delay(State(page): State<Page>, Json(delay): Json<Delay>) -> Json<Value> {
    let delay = Duration::from_millis(delay.milliseconds.min(DELAY_MAX_MILLIS));
    page.0.faults.delay_answers(Some(delay).filter(|delay| !delay.is_zero()));
    Json(json!({}))
}

#[derive(Deserialize)]
pub(super) struct Users {
    users: usize,
}

pub(super) async fn traffic(State(page): State<Page>, Json(wanted): Json<Users>) -> Json<Value> {
    page.0.traffic.has(wanted.users);
    Json(json!({}))
}

#[derive(Deserialize)]
pub(super) struct Connections {
    max_connections: u16,
}

pub(super) async fn connections(
    State(page): State<Page>,
    Json(wanted): Json<Connections>,
) -> Result<Json<Value>, Refusal> {
    if !(1..=MAX_CONNECTIONS_MAX).contains(&wanted.max_connections) {
        return Err(Refusal::Senseless("max_connections is 1 to 100"));
    }
    page.0.hook.set(wanted.max_connections).await.map_err(Refusal::Failed)?;
    Ok(Json(json!({})))
}

/// A fault that waits, in words.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct Armed {
    name: String,
    times: Option<u32>,
}

/// What waits to strike; the slider's delay shows itself.
pub(super) fn armed(faults: &Faults) -> Vec<Armed> {
    let times = |lasts| match lasts {
        Lasts::Times(times) => Some(times),
        Lasts::Standing => None,
    };
    let (deliveries, api) = faults.standing();
    let slider =
        |fault: &DeliveryFault, lasts| matches!(fault, DeliveryFault::DelayAnswer(_)) && lasts == Lasts::Standing;
    deliveries
        .into_iter()
        .filter(|(fault, lasts)| !slider(fault, *lasts))
        .map(|(fault, lasts)| Armed { name: delivery_name(fault), times: times(lasts) })
        .chain(api.into_iter().map(|(fault, lasts)| Armed { name: api_name(fault), times: times(lasts) }))
        .collect()
}

/// The slider's delay.
pub(super) fn standing_delay(faults: &Faults) -> Duration {
    let (deliveries, _) = faults.standing();
    let delay = deliveries.into_iter().find_map(|(fault, lasts)| match fault {
        DeliveryFault::DelayAnswer(delay) if lasts == Lasts::Standing => Some(delay),
        _ => None,
    });
    delay.unwrap_or_default()
}

/// What the page calls a fault.
pub(super) fn delivery_name(fault: DeliveryFault) -> String {
    match fault {
        DeliveryFault::LoseAnswer => "answer lost".to_owned(),
        DeliveryFault::DelayAnswer(delay) => format!("answer {} ms late", delay.as_millis()),
        DeliveryFault::DeliverTwice => "delivered twice".to_owned(),
        DeliveryFault::CloseEarly => "connection closed".to_owned(),
    }
}

fn api_name(fault: ApiFault) -> String {
    match fault {
        ApiFault::Flood { chat, .. } => format!("429 for chat {chat}"),
        ApiFault::Slow(by) => format!("Bot API {} s slower", by.as_secs()),
        ApiFault::Fail(status) => format!("Bot API answers {status}"),
        ApiFault::LoseAnswer => "answer of the Bot API lost".to_owned(),
    }
}
