//! Pure: no I/O, no clock. One event in, one decision out.

use super::chat::Chat;
use super::decision::Decision;
use super::definition::Flow;
use super::event::{Event, Happened};
use super::strategy::{command, membership, ordered, other, payment, press, refused, suspended, text};
use crate::clock::Timestamp;

/// What `event` leads to in `chat`.
///
/// Total: it ends well for every chat and every event, whatever another flow or version left in the row.
/// The same arguments always give the same decision, so one that came too late is simply decided again.
pub fn decide(flow: &Flow, chat: &Chat, event: &Event<'_>, now: Timestamp) -> Decision {
    let chat = &*chat.as_of(now);
    match &event.happened {
        Happened::Membership { blocked } => membership::decide(flow, chat, event, *blocked),
        Happened::Refused { revision } => refused::decide(flow, chat, *revision),
        Happened::Undelivered(reservation) => ordered::undelivered(flow, chat, event, reservation),
        Happened::Finished { key, order, output } => ordered::finished(flow, chat, event, (key, order), output),
        Happened::Failed { key, order } => ordered::failed(flow, chat, event, (key, order)),
        Happened::Paid { charge, purchase } => payment::paid(flow, chat, event, (charge, purchase), now),
        Happened::Refunded { charge, purchase, payment } => {
            payment::refunded(flow, chat, event, (charge, purchase), payment.as_ref(), now)
        }
        Happened::Granted { amount, reason } => payment::granted(flow, chat, event, *amount, reason),
        _ if chat.banned => suspended::decide(flow, chat, event),
        Happened::Command { name, argument } => command::decide(flow, chat, event, name, argument),
        Happened::Text(text) => text::decide(flow, chat, event, text),
        Happened::Other => other::decide(flow, chat, event),
        Happened::Press { query, message, data } => {
            press::decide(flow, chat, event, press::Press { query, message: *message, data: data.as_deref() })
        }
        Happened::Checkout { query, purchase } => payment::checkout(flow, chat, event, query, purchase),
    }
}
