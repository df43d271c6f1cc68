//! Payments in Stars: the sheet, the bot's ten seconds, the payment, its refund.

use super::message::{Charge, Content, Markup, Message};
use super::object::{PreCheckoutQueryObject, STARS, UserObject};
use super::refused::Refused;
use super::state::State;
use super::view::{Author, Payment};
use super::{Impossible, World};
use crate::clock::Timestamp;
use crate::telegram::id::{ChatId, MessageId};
use std::time::Duration;

/// For how long a checkout can be answered (Bot API, answerPreCheckoutQuery).
pub const CHECKOUT_WINDOW: Duration = Duration::from_secs(10);
/// What the payer sees when the bot says nothing.
const TIMED_OUT: &str = "BOT_PRECHECKOUT_TIMEOUT";

/// A payer who waits for the bot's word.
#[derive(Debug)]
pub(super) struct Checkout {
    user: ChatId,
    chat: ChatId,
    message: MessageId,
    at: Timestamp,
}

impl Checkout {
    fn is_late(&self, now: Timestamp) -> bool {
        now.since(self.at) > CHECKOUT_WINDOW
    }
}

/// What the bot says to a checkout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::sandbox) enum Verdict {
    Proceed,
    /// With the reason that the payer sees.
    Refuse(String),
}

impl World {
    /// The user confirms the payment sheet of the invoice `message`: the bot is asked, and has 10 s.
    ///
    /// # Errors
    /// If there is no such user or invoice, it is paid or being paid, or the bot is blocked.
    pub fn pays(&self, user: ChatId, message: MessageId) -> Result<(), Impossible> {
        let mut turn = self.turn();
        let now = turn.now;
        let id = turn.number();
        let chat = turn.chats.get_mut(&user).ok_or(Impossible::NoUser(user))?;
        if chat.blocked {
            return Err(Impossible::Blocked);
        }
        let held = chat.messages.get_mut(&message).ok_or(Impossible::NoMessage(message))?;
        let Content::Invoice { payment: payment @ (Payment::Open | Payment::Failed { .. }), .. } = &mut held.content
        else {
            return Err(Impossible::NotPayable(message));
        };
        *payment = Payment::Waiting;
        chat.version += 1;
        turn.checkouts.insert(id, Checkout { user, chat: user, message, at: now });
        turn.tell_checkout(id, user, message);
        drop(turn);
        // Not one millisecond before the window is over, or it would still be open.
        self.look_again_in(CHECKOUT_WINDOW + Duration::from_millis(1));
        Ok(())
    }

    /// Answers the checkout `id`, once and in time.
    pub(in crate::sandbox) fn answer_checkout(&self, id: i64, verdict: Verdict) -> Result<(), Refused> {
        let mut turn = self.turn();
        let now = turn.now;
        let checkout = turn.checkouts.remove(&id).ok_or(Refused::QueryTooOld)?;
        match verdict {
            Verdict::Refuse(reason) => turn.end_checkout(&checkout, Payment::Failed { reason }),
            Verdict::Proceed => turn.charge(&checkout, now),
        }
        Ok(())
    }

    /// Gives back what was paid under the charge `id`.
    pub(in crate::sandbox) fn refund(&self, user: ChatId, id: &str) -> Result<(), Refused> {
        let mut turn = self.turn();
        let now = turn.now;
        let chat = turn.chats.get_mut(&user).ok_or(Refused::UserNotFound)?;
        let charge = chat.messages.values().rev().find_map(|message| match &message.content {
            Content::Paid(charge) | Content::Refunded(charge) if charge.id == id => Some((message, charge.clone())),
            _ => None,
        });
        let (message, charge) = charge.ok_or(Refused::Raw("CHARGE_ID_INVALID"))?;
        if matches!(message.content, Content::Refunded(_)) {
            return Err(Refused::Raw("CHARGE_ALREADY_REFUNDED"));
        }
        if let Some(Message { content: Content::Invoice { payment, .. }, .. }) = chat.messages.get_mut(&charge.invoice)
        {
            *payment = Payment::Refunded;
        }
        turn.say_of_payment(user, Content::Refunded(charge), now);
        Ok(())
    }
}

impl State {
    fn tell_checkout(&self, id: i64, user: ChatId, message: MessageId) {
        let Some(from) = self.users.get(&user) else { return };
        let Some(Content::Invoice { invoice, .. }) = self.message(user, message).map(|message| &message.content) else {
            return;
        };
        let query = PreCheckoutQueryObject {
            id: id.to_string(),
            from: UserObject::of(from),
            currency: STARS,
            total_amount: invoice.amount,
            invoice_payload: &invoice.payload,
        };
        self.tell("pre_checkout_query", user, &query);
    }

    pub(super) fn has_late_checkouts(&self, now: Timestamp) -> bool {
        self.checkouts.values().any(|checkout| checkout.is_late(now))
    }

    /// Ends the checkouts that were not answered in time.
    pub(super) fn settle_checkouts(&mut self, now: Timestamp) {
        let late: Vec<i64> =
            self.checkouts.iter().filter(|(_, checkout)| checkout.is_late(now)).map(|(id, _)| *id).collect();
        for id in late {
            if let Some(checkout) = self.checkouts.remove(&id) {
                self.end_checkout(&checkout, Payment::Failed { reason: TIMED_OUT.to_owned() });
            }
        }
    }

    fn end_checkout(&mut self, checkout: &Checkout, ended: Payment) {
        let Some(chat) = self.chats.get_mut(&checkout.chat) else { return };
        chat.version += 1;
        if let Some(Message { content: Content::Invoice { payment, .. }, .. }) =
            chat.messages.get_mut(&checkout.message)
        {
            *payment = ended;
        }
    }

    fn charge(&mut self, checkout: &Checkout, now: Timestamp) {
        let Some(message) = self.message(checkout.chat, checkout.message) else { return };
        let Content::Invoice { invoice, .. } = message.content.clone() else { return };
        let id = format!("stx{}", self.letters(85));
        let charge = Charge {
            id: id.clone(),
            user: checkout.user,
            invoice: checkout.message,
            title: invoice.title,
            payload: invoice.payload,
            amount: invoice.amount,
        };
        self.end_checkout(checkout, Payment::Paid { charge: id });
        self.say_of_payment(checkout.chat, Content::Paid(charge), now);
    }

    /// A service line about a payment, which is the payer's message.
    fn say_of_payment(&mut self, user: ChatId, content: Content, now: Timestamp) {
        let message = Message {
            id: MessageId(0),
            chat: user,
            author: Author::User(user),
            sent: now,
            edited: None,
            reply_to: None,
            content,
            markup: Markup::None,
        };
        if let Some(message) = self.put(message) {
            self.tell_message("message", &message);
        }
    }
}
