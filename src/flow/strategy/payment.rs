//! Pure: no I/O, no clock. Stars for products: what may be paid, what is given for it, and what is taken back. The payload
//! of an invoice is only a word that somebody says: what counts is what the flow sells now, and for how much.

use super::draft::Draft;
use super::notice::told;
use crate::clock::Timestamp;
use crate::flow::books::{EntryKind, Payment};
use crate::flow::chat::{Chat, Version, View};
use crate::flow::content::{Content, Message};
use crate::flow::decision::{Change, Decision, Note, Place};
use crate::flow::definition::{Flow, Product};
use crate::flow::event::{Event, Happened, Purchase, checked_out};
use crate::flow::render::Notice;
use crate::telegram::answer::Answer;
use crate::telegram::method::STARS;
use std::time::Duration;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// What `purchase` is for, if the flow sells it for that.
fn sold<'f>(flow: &'f Flow, purchase: &Purchase<'_>) -> Option<(&'f str, &'f Product)> {
    let (name, product) = flow.products().find(|(name, _)| *name == purchase.payload)?;
    (purchase.currency == STARS && purchase.total_amount == product.stars).then_some((name, product))
}

/// Lets a checkout go on if the product is still sold for that.
pub(in crate::flow) fn checkout(
    flow: &Flow,
    chat: &Chat,
    event: &Event<'_>,
    query: &str,
    purchase: &Purchase<'_>,
) -> Decision {
    let answer = match sold(flow, purchase) {
        Some(_) => checked_out(query, None),
        None => told(event, flow.notice(&Draft::of(flow, chat, event).chat, Notice::NotSold)),
    };
    Decision { change: None, answer, note: None }
}

/// Gives what was paid for. A payment is recorded whatever it was for.
pub(in crate::flow) fn paid(
    flow: &Flow,
    chat: &Chat,
    event: &Event<'_>,
    (charge, purchase): (&str, &Purchase<'_>),
    now: Timestamp,
) -> Decision {
    let mut draft = Draft::of(flow, chat, event);
    let sold = sold(flow, purchase);
    let mut payment = Payment::unassigned(charge, purchase);
    draft.chat.paid = true;
    if let Some((name, product)) = sold {
        payment = Payment {
            product: Some(name.to_owned()),
            messages: product.messages,
            premium_days: product.premium_days,
            ..payment
        };
        draft.book(EntryKind::Paid, product.messages, charge);
        if product.premium_days > 0 {
            let from = chat.premium_until.map_or(now, |until| until.max(now));
            draft.chat.premium_until = Some(from.plus(days(product.premium_days)));
        }
    }
    draft.books.payment = Some(payment);
    let note = sold.is_none().then_some(Note::Unassigned);
    if chat.banned {
        return Decision { change: Some(draft.keep()), answer: Answer::EMPTY, note };
    }
    let view = match (sold, &chat.desired) {
        (Some((_, Product { thanks: Some(screen), .. })), _) => View::alone(flow, screen),
        (_, Some(desired)) => desired.view.clone(),
        (_, None) => View::start(flow),
    };
    if sold.is_none() {
        let text = flow.notice(&draft.chat, Notice::Unassigned);
        draft.send(Content { message: Message::Text { text, keyboard: None }, reservation: None });
    }
    Decision { change: Some(draft.show(view, Place::New)), answer: Answer::EMPTY, note }
}

/// Takes back what was given for a payment, as far as it is still there.
pub(in crate::flow) fn refunded(
    flow: &Flow,
    chat: &Chat,
    event: &Event<'_>,
    (charge, purchase): (&str, &Purchase<'_>),
    payment: Option<&Payment>,
    now: Timestamp,
) -> Decision {
    let mut draft = Draft::of(flow, chat, event);
    let Some(payment) = payment else {
        draft.books.payment = Some(Payment { refunded: true, ..Payment::unassigned(charge, purchase) });
        return Decision { change: Some(draft.keep()), answer: Answer::EMPTY, note: Some(Note::UnknownRefund) };
    };
    if payment.refunded {
        return Decision::default();
    }
    let left = payment.messages.min(draft.chat.balance).max(0);
    draft.book(EntryKind::Refunded, -payment.messages, charge);
    draft.book(EntryKind::WrittenOff, payment.messages - left, charge);
    if let Some(until) = chat.premium_until.filter(|_| payment.premium_days > 0) {
        draft.chat.premium_until = Some(until.minus(days(payment.premium_days))).filter(|until| *until > now);
    }
    draft.books.refunded = Some(charge.to_owned());
    let change = match chat.desired.as_ref().filter(|_| !chat.banned) {
        Some(desired) => draft.show(desired.view.clone(), Place::Shown),
        None => draft.keep(),
    };
    Decision { change: Some(change), answer: Answer::EMPTY, note: None }
}

/// Gives or takes what an operator says; nobody is left with less than nothing.
pub(in crate::flow) fn granted(flow: &Flow, chat: &Chat, event: &Event<'_>, amount: i64, reason: &str) -> Decision {
    let mut draft = Draft::of(flow, chat, event);
    let amount = amount.max(draft.chat.balance.max(0).saturating_neg());
    if amount == 0 && chat.version != Version::default() {
        return Decision::default();
    }
    draft.book(EntryKind::Granted, amount, reason);
    let change = match chat.desired.as_ref().filter(|_| !chat.banned) {
        Some(desired) => draft.show(desired.view.clone(), Place::Shown),
        None => draft.keep(),
    };
    Decision { change: Some(change), answer: Answer::EMPTY, note: None }
}

impl Decision {
    /// The same with the payment recorded that `event` tells of, if it does: where a dialogue has not recorded it, nothing is
    /// given for it, and an operator has to look.
    pub fn recorded(mut self, chat: &Chat, event: &Event<'_>) -> Self {
        if let Happened::Paid { charge, purchase } = &event.happened {
            let change =
                self.change.get_or_insert_with(|| Change::of(Chat { version: chat.version.next(), ..chat.clone() }));
            if change.books.payment.is_none() {
                change.books.payment = Some(Payment::unassigned(charge, purchase));
                self.note = Some(Note::Unassigned);
            }
        }
        self
    }
}

fn days(days: i64) -> Duration {
    DAY.saturating_mul(u32::try_from(days).unwrap_or(u32::MAX))
}
