//! The sender's loop: at each moment it settles what was answered or ran out of time, loads, opens connections and sends
//! (`loop` in tdlib/telegram-bot-api `WebhookActor.cpp`). Never a socket, and never a moment that the clock has not reached.

use super::connection::{Event, Then};
use super::flight::{Flight, Held};
use super::growth::{Growth, Room};
use super::inline;
use super::loaded::{AfterFailure, Loaded, Outgoing};
use super::pool::{Number, Pool, Told};
use super::request::{self, Request};
use super::response::Response;
use super::rows;
use super::status::Status;
use super::target::Target;
use super::{InlineCall, OnInlineCall, Surroundings, Webhook};
use crate::clock::Timestamp;
use crate::sandbox::faults::DeliveryFault;
use crate::sandbox::seed::Random;
use crate::sandbox::wire::{Edition, Verdict};
use crate::shutdown::Tasks;
use bytes::Bytes;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// A webhook that answers 410 for longer than this, and nothing else, is removed (`WEBHOOK_DROP_TIMEOUT`).
const GONE_LIMIT: Duration = Duration::from_secs(23 * 60 * 60);

/// What is said of an attempt whose connection ended without an answer; getWebhookInfo does not tell it.
const CLOSED: &str = "connection closed without an answer";

/// Somebody who waits for the sender.
pub(super) struct Waiter {
    /// For what.
    pub(super) until: Until,
    /// Told once it is so.
    pub(super) tell: oneshot::Sender<()>,
}

/// What can be waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Until {
    /// All that was due is done.
    Settled,
    /// And nothing is in flight.
    Quiet,
}

pub(super) struct Sender {
    webhook: Webhook,
    target: Arc<Target>,
    around: Surroundings,
    on_inline_call: OnInlineCall,
    status: Status,
    loaded: Loaded,
    growth: Growth,
    pool: Pool,
    random: Random,
    /// Since when the webhook has answered nothing but 410.
    gone_since: Option<Timestamp>,
    waiters: Vec<Waiter>,
}

impl Sender {
    pub(super) fn new(
        webhook: Webhook,
        target: Target,
        around: Surroundings,
        on_inline_call: OnInlineCall,
        status: Status,
        tasks: &Tasks,
    ) -> (Self, mpsc::UnboundedReceiver<Told>) {
        let target = Arc::new(target);
        let (pool, told) = Pool::new(Arc::clone(&target), tasks.clone());
        let sender = Self {
            loaded: Loaded::new(around.updates.clone(), webhook.max_connections),
            growth: Growth::new(webhook.max_connections),
            random: around.seed.random("deliver"),
            pool,
            target,
            webhook,
            around,
            on_inline_call,
            status,
            gone_since: None,
            waiters: Vec::new(),
        };
        (sender, told)
    }

    /// Works until `stopping`, or until the webhook is removed.
    pub(super) async fn run(
        mut self,
        mut told: mpsc::UnboundedReceiver<Told>,
        mut waiters: mpsc::UnboundedReceiver<Waiter>,
        stopping: CancellationToken,
    ) {
        let mut changed = self.around.updates.changed();
        // setWebhook opens a connection before there is anything to send.
        self.first_connection();
        while !self.status.is_removed() {
            while let Ok(told) = told.try_recv() {
                self.take(told);
            }
            let wake = self.step(self.around.clock.now());
            self.tell_waiters();
            let clock = &self.around.clock;
            let woken = async {
                match wake {
                    Some(moment) => clock.sleep_until(moment).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = stopping.cancelled() => break,
                Some(event) = told.recv() => self.take(event),
                Some(waiter) = waiters.recv() => self.waiters.push(waiter),
                _ = changed.changed() => {}
                () = woken => {}
            }
        }
        let now = self.around.clock.now();
        for flight in self.pool.close_all() {
            rows::settle(&self.around.wire, &flight, now, Verdict::Cut);
        }
        self.status.counts(0, 0, 0);
    }

    fn tell_waiters(&mut self) {
        let quiet = self.pool.in_flight() == 0;
        for waiter in self.waiters.extract_if(.., |waiter| quiet || waiter.until == Until::Settled) {
            // Who no longer waits need not be told.
            let _ = waiter.tell.send(());
        }
    }

    fn first_connection(&mut self) {
        let now = self.around.clock.now();
        if self.growth.take(now, 0, 1) == Room::Now {
            self.pool.open(now);
        }
    }

    /// Does what is due, and tells when something will be next.
    fn step(&mut self, now: Timestamp) -> Option<Timestamp> {
        self.pool.close_idle(now);
        for number in self.pool.due(now) {
            self.run_out(number, now);
        }
        self.loaded.load(now);
        let growth = self.grow(now);
        self.send(now);
        self.status.counts(self.pool.len(), self.pool.in_flight(), self.loaded.queues());
        // A due update without a connection waits for one, not for its time.
        let update = if self.pool.has_idle() { self.loaded.next_due() } else { None };
        [growth, update, self.pool.next_due()].into_iter().flatten().min()
    }

    fn grow(&mut self, now: Timestamp) -> Option<Timestamp> {
        loop {
            match self.growth.take(now, self.pool.len(), self.loaded.queues()) {
                Room::Now => self.pool.open(now),
                Room::At(later) => return Some(later),
                Room::Enough => return None,
            }
        }
    }

    fn send(&mut self, now: Timestamp) {
        while let Some(number) = self.pool.next_idle() {
            let Some(outgoing) = self.loaded.send(now) else { return };
            // With too long a head it stays where it is, for ever, as Telegram's does.
            let Some(request) = request::request(&self.target, self.webhook.secret_token.as_ref(), &outgoing.update)
            else {
                continue;
            };
            self.send_one(number, &outgoing, &request, now);
        }
    }

    fn send_one(&mut self, number: Number, outgoing: &Outgoing, request: &Request, now: Timestamp) {
        let faults = self.around.faults.take_delivery();
        let wire = self.around.wire.clone();
        let flight = |number: Number, edition: Edition| Flight {
            outgoing: outgoing.clone(),
            edition,
            row: rows::begin(&wire, outgoing, edition, number, &faults, request, now),
            since: now,
            since_real: Instant::now(),
            faults: faults.clone(),
            held: None,
        };
        let then = if faults.contains(&DeliveryFault::CloseEarly) { Then::Close } else { Then::Read };
        self.pool.send(number, request, flight(number, Edition::Original), then);
        if faults.contains(&DeliveryFault::DeliverTwice) {
            self.pool.send_apart(request, |number| flight(number, Edition::Twin));
        }
    }

    fn take(&mut self, Told { from, event }: Told) {
        let now = self.around.clock.now();
        match event {
            Event::Answered { response, bytes } => self.answered(from, response, bytes, now),
            Event::Closed { error, bytes } => self.closed(from, error, &bytes, now),
        }
    }

    fn answered(&mut self, number: Number, response: Response, bytes: Bytes, now: Timestamp) {
        let Some(flight) = self.pool.flight(number) else { return };
        match flight.delay() {
            Some(delay) => flight.held = Some(Held { until: now.plus(delay), response, bytes }),
            None => self.read(number, &response, &bytes, now),
        }
    }

    /// Something is due on `number`: its answer was held back long enough, or its time is up.
    fn run_out(&mut self, number: Number, now: Timestamp) {
        let Some(flight) = self.pool.flight(number) else { return };
        let in_time = flight.held.take_if(|held| held.until <= now);
        match in_time.filter(|held| held.until < flight.deadline()) {
            Some(held) => self.read(number, &held.response, &held.bytes, now),
            None => {
                let what = if self.pool.is_flushed(number) { "Read timeout expired" } else { "Write timeout expired" };
                self.closed(number, Some(what.to_owned()), &Bytes::new(), now);
            }
        }
    }

    fn read(&mut self, number: Number, response: &Response, bytes: &Bytes, now: Timestamp) {
        let lost = self.pool.flight(number).is_some_and(|flight| flight.loses_its_answer());
        let twin = self.pool.flight(number).is_some_and(|flight| flight.edition == Edition::Twin);
        let kept = response.keep_alive && !lost && !twin;
        let Some(flight) = (if kept { self.pool.land(number, now) } else { self.pool.close(number) }) else { return };
        let called = inline::method(&response.parameters);
        rows::answered(&self.around.wire, &flight, response, bytes, called.as_deref());
        if twin {
            rows::settle(&self.around.wire, &flight, now, Verdict::Ignored);
        } else if lost {
            self.fail(&flight, CLOSED, None, now);
        } else if (200..=299).contains(&response.status) {
            self.gone_since = None;
            if let Some(method) = called {
                let call =
                    InlineCall { update: flight.outgoing.update.id, method, parameters: response.parameters.clone() };
                (self.on_inline_call)(call);
            }
            self.growth.success(now);
            self.loaded.delivered(flight.outgoing.queue);
            rows::settle(&self.around.wire, &flight, now, Verdict::Delivered);
        } else {
            let message = format!("Wrong response from the webhook: {} {}", response.status, response.reason);
            self.note_gone(response.status, now);
            self.status.error(now, &message);
            self.fail(&flight, &message, response.retry_after, now);
        }
    }

    fn closed(&mut self, number: Number, error: Option<String>, bytes: &Bytes, now: Timestamp) {
        let flight = self.pool.close(number);
        let counts = flight.as_ref().is_none_or(|flight| flight.edition == Edition::Original);
        if let Some(message) = error.as_ref().filter(|_| counts) {
            self.status.error(now, message);
        }
        let Some(flight) = flight else { return };
        rows::broken(&self.around.wire, &flight, bytes);
        match flight.edition {
            Edition::Twin => rows::settle(&self.around.wire, &flight, now, Verdict::Ignored),
            Edition::Original => self.fail(&flight, error.as_deref().unwrap_or(CLOSED), None, now),
        }
    }

    fn fail(&mut self, flight: &Flight, reason: &str, retry_after: Option<Duration>, now: Timestamp) {
        let reason = reason.to_owned();
        let verdict = match self.loaded.failed(flight.outgoing.queue, retry_after, now, &mut self.random) {
            AfterFailure::Again(due) => Verdict::Retry { due, reason },
            AfterFailure::Expired => Verdict::Expired { reason },
        };
        rows::settle(&self.around.wire, flight, now, verdict);
    }

    fn note_gone(&mut self, status: u16, now: Timestamp) {
        match (status, self.gone_since) {
            (410, None) => self.gone_since = Some(now),
            (410, Some(since)) if now.since(since) > GONE_LIMIT => self.status.remove(),
            (410, Some(_)) => {}
            _ => self.gone_since = None,
        }
    }
}
