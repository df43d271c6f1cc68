//! A sender, a webhook and a clock that stands still.

use super::webhook::Webhook;
use crate::harness::patience;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tapgate::clock::Timestamp;
use tapgate::sandbox::clock::{Clock, Speed};
use tapgate::sandbox::deliver::{self, Delivering, InlineCall, Surroundings, lives, queue_key};
use tapgate::sandbox::faults::Faults;
use tapgate::sandbox::seed::Seed;
use tapgate::sandbox::updates::{NewUpdate, Updates};
use tapgate::sandbox::wire::{Delivery, Edition, Entry, Row, Verdict, Wire};
use tapgate::secret::Secret;
use tapgate::shutdown::Tasks;
use tapgate::telegram::id::UpdateId;

pub const START: Timestamp = Timestamp::from_unix_seconds(1_780_000_000);

pub struct Stage {
    pub webhook: Webhook,
    pub around: Surroundings,
    pub delivering: Delivering,
    pub calls: Arc<Mutex<Vec<InlineCall>>>,
    pub max_connections: usize,
    tasks: Tasks,
}

/// The surroundings of a sender at [`START`].
pub fn surroundings(seed: u64) -> Surroundings {
    let clock = Clock::new(START, Speed::STILL);
    let seed = Seed::new(seed);
    let updates = Updates::new(clock.clone(), seed, "bot");
    Surroundings { updates, clock, wire: Wire::default(), faults: Faults::default(), seed }
}

pub const fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

pub const fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// Anything of a kind, from or in `id`, as long as such an update lives.
pub fn update(kind: &'static str, id: i64) -> NewUpdate {
    NewUpdate { kind, object: b"{}".to_vec(), queue: queue_key(kind, id), lives: lives(kind) }
}

impl Stage {
    pub async fn new(max_connections: usize) -> Self {
        Self::with(max_connections, surroundings(1)).await
    }

    pub async fn with(max_connections: usize, around: Surroundings) -> Self {
        let webhook = Webhook::opens().await;
        let url = format!("http://{}/", webhook.address);
        Self::at(&url, None, max_connections, around, webhook)
    }

    pub fn at(
        url: &str,
        secret_token: Option<&str>,
        max_connections: usize,
        around: Surroundings,
        webhook: Webhook,
    ) -> Self {
        let tasks = Tasks::new("stage");
        let calls = Arc::default();
        let delivering = start(url, secret_token, max_connections, &around, &calls, &tasks);
        Self { webhook, around, delivering, calls, max_connections, tasks }
    }

    /// A stage whose webhook has just taken an update, so that it counts as active.
    pub async fn active(max_connections: usize) -> Self {
        let mut stage = Self::new(max_connections).await;
        stage.push("message", 999);
        stage.webhook.request().await.accepts();
        stage.delivering.quiet().await;
        stage
    }

    /// Stops the sender and starts another, as setWebhook does.
    pub async fn restarts(self) -> Self {
        let Self { webhook, around, delivering, calls, max_connections, tasks } = self;
        delivering.stop().await;
        let url = format!("http://{}/", webhook.address);
        let delivering = start(&url, None, max_connections, &around, &calls, &tasks);
        Self { webhook, around, delivering, calls, max_connections, tasks }
    }

    pub fn push(&self, kind: &'static str, id: i64) -> UpdateId {
        self.around.updates.push(update(kind, id)).expect("there is room")
    }

    pub fn push_living(&self, kind: &'static str, id: i64, lives: Duration) -> UpdateId {
        self.around.updates.push(NewUpdate { lives, ..update(kind, id) }).expect("there is room")
    }

    /// Lets `duration` pass at once.
    pub async fn passes(&self, duration: Duration) {
        self.around.clock.advance(duration);
        self.delivering.settled().await;
    }

    pub async fn passes_until(&self, moment: Timestamp) {
        self.around.clock.advance_to(moment);
        self.delivering.settled().await;
    }

    /// How long after the start it is.
    pub fn elapsed(&self) -> Duration {
        self.around.clock.now().since(START)
    }

    pub async fn connections(&self) -> usize {
        self.delivering.settled().await;
        self.delivering.info().connections
    }

    pub async fn in_flight(&self) -> usize {
        self.delivering.settled().await;
        self.delivering.info().in_flight
    }

    pub fn last_error(&self) -> Option<String> {
        self.delivering.info().last_error.map(|error| error.message)
    }

    /// Waits until `done` holds of the sender, which nothing on the test's side can tell.
    pub async fn until(&self, what: &str, done: impl Fn(&Self) -> bool) {
        patience::until(what, async || {
            self.delivering.settled().await;
            done(self).then_some(())
        })
        .await;
    }

    /// Every attempt so far, oldest first, with the time after the start at which it began. Twins are left out.
    pub fn attempts(&self) -> Vec<(Duration, Delivery)> {
        let all = self.deliveries();
        all.into_iter().filter(|(_, delivery)| delivery.edition == Edition::Original).collect()
    }

    pub fn deliveries(&self) -> Vec<(Duration, Delivery)> {
        let rows = self.around.wire.rows().into_iter();
        rows.filter_map(|row| match &row.entry {
            Entry::Delivery(delivery) => Some((row.at.since(START), delivery.clone())),
            Entry::Call(_) => None,
        })
        .collect()
    }

    pub fn last_row(&self) -> Arc<Row> {
        self.around.wire.rows().pop().expect("something went over the wire")
    }

    pub fn last(&self) -> Delivery {
        self.attempts().pop().expect("something was sent").1
    }

    /// When the last attempt is repeated.
    pub fn due(&self) -> Timestamp {
        match self.last().verdict {
            Verdict::Retry { due, .. } => due,
            other => panic!("not to be repeated: {other:?}"),
        }
    }
}

fn start(
    url: &str,
    secret_token: Option<&str>,
    max_connections: usize,
    around: &Surroundings,
    calls: &Arc<Mutex<Vec<InlineCall>>>,
    tasks: &Tasks,
) -> Delivering {
    let webhook =
        deliver::Webhook { url: url.to_owned(), secret_token: secret_token.map(Secret::new), max_connections };
    let calls = Arc::clone(calls);
    let remember = Arc::new(move |call| calls.lock().unwrap().push(call));
    deliver::start(webhook, around.clone(), remember, tasks).expect("the URL is one")
}
