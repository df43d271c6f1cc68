//! Many users who tap as fast as the webhook takes it, and what came of it: how fast, and whether each tap counted once.
//! Never asserts a figure: machines are shared.

use super::Sandbox;
use super::rest::Restless;
use super::seed::Random;
use super::wire::{Edition, Entry, Verdict};
use super::world::{Action, Which};
use crate::storage::{self, Key};
use crate::telegram::id::{ChatId, MessageId};
use serde::Serialize;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::broadcast::error::TryRecvError;
use tokio::time::{Instant, timeout};

/// How long what is under way may take in the end: every chat gets its last screen, one message a second each.
const END_WAIT_MAX: Duration = Duration::from_secs(300);

/// How long the driver waits for a change before it looks at the clock again.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// How many rows are read at once in the end.
const ROWS_AT_ONCE: usize = 500;

/// What users do.
#[derive(Clone, Copy, Debug)]
pub struct Load {
    /// How many there are.
    pub users: usize,
    /// For how long they tap.
    pub length: Duration,
    /// How many updates may be on their way at once.
    pub max_connections: usize,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// Users.
    pub users: usize,
    /// Connections that Telegram may open.
    pub max_connections: usize,
    /// For how long they tapped.
    pub seconds: f64,
    /// Updates that were taken in that time.
    pub taken: usize,
    /// The same, a second.
    pub per_second: f64,
    /// Time from the request to its answer.
    pub response: Percentiles,
    /// `max_connections` divided by the median response time.
    pub capacity_per_second: f64,
    /// Deliveries that failed and came again.
    pub failed: usize,
    /// Users whose row counts other than what they did.
    pub miscounted: Vec<Miscounted>,
    /// Users who do not see what their row says.
    pub unseen: Vec<ChatId>,
}

/// A user whose row counts other than what they did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Miscounted {
    /// Who.
    pub user: ChatId,
    /// What they did.
    pub did: i64,
    /// What the row counts.
    pub counted: i64,
}

/// How response times are spread, in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Percentiles {
    /// Of how many.
    pub samples: usize,
    /// The median.
    pub p50_ms: f64,
    /// Nine in ten are faster.
    pub p90_ms: f64,
    /// 99 in 100 are faster.
    pub p99_ms: f64,
    /// The slowest.
    pub max_ms: f64,
}

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The world did not come to rest.
    #[error(transparent)]
    Restless(#[from] Restless),
    /// The rows cannot be read.
    #[error("the rows cannot be read")]
    Store(#[from] storage::Error),
}

impl Report {
    /// Whether every tap counted once and everybody sees what their row says.
    pub fn is_right(&self) -> bool {
        self.miscounted.is_empty() && self.unseen.is_empty()
    }
}

/// Lets users tap.
///
/// # Errors
/// If what they did cannot be compared with the rows.
pub async fn run(sandbox: &Sandbox, load: Load) -> Result<Report, Error> {
    let mut crowd = Crowd::new(sandbox, load);
    crowd.start().await?;
    let mut times = Times::watch(sandbox);
    let started = Instant::now();
    let taps_before = crowd.taps();
    let pending_before = sandbox.updates.pending();
    let mut changed = sandbox.updates.changed();
    while started.elapsed() < load.length {
        // More would only wait: Telegram itself holds twice as many queues in memory.
        while sandbox.updates.pending() < 2 * load.max_connections {
            crowd.tap();
        }
        // A change that does not come is the end of the run, which the loop looks for.
        let _ = timeout(LOOK_EVERY, changed.changed()).await;
        times.collect();
    }
    let seconds = started.elapsed().as_secs_f64();
    let taken = (crowd.taps() - taps_before + pending_before).saturating_sub(sandbox.updates.pending());
    sandbox.rest(END_WAIT_MAX).await?;
    let (miscounted, unseen) = crowd.compare().await?;
    let response = times.percentiles();
    Ok(Report {
        users: load.users,
        max_connections: load.max_connections,
        seconds,
        taken,
        per_second: taken as f64 / seconds,
        capacity_per_second: load.max_connections as f64 / (response.p50_ms / 1e3),
        response,
        failed: times.failed,
        miscounted,
        unseen,
    })
}

/// The users, and how much each of them did.
struct Crowd<'a> {
    sandbox: &'a Sandbox,
    users: Vec<(ChatId, i64)>,
    next: usize,
    random: Random,
}

impl<'a> Crowd<'a> {
    fn new(sandbox: &'a Sandbox, load: Load) -> Self {
        let languages = ["en", "ru"];
        let add = |number: usize| {
            let language = languages.get(number % languages.len()).copied();
            (sandbox.world.add_user(&format!("User {number}"), language), 0)
        };
        let users = (1..=load.users).map(add).collect();
        Self { sandbox, users, next: 0, random: sandbox.seed.random("load") }
    }

    /// Everybody starts the bot and sees its first screen.
    async fn start(&mut self) -> Result<(), Restless> {
        for (user, did) in &mut self.users {
            if self.sandbox.world.says(*user, "/start").is_ok() {
                *did += 1;
            }
        }
        self.sandbox.rest(END_WAIT_MAX).await
    }

    /// The next user presses a button of the lowest keyboard they see.
    fn tap(&mut self) {
        let count = self.users.len().max(1);
        let Some((user, did)) = self.users.get_mut(self.next) else { return };
        self.next = (self.next + 1) % count;
        let Some((message, data)) = callback(self.sandbox, *user, &mut self.random) else { return };
        if self.sandbox.world.presses(*user, message, Which::Data(&data)).is_ok() {
            *did += 1;
        }
    }

    fn taps(&self) -> usize {
        self.users.iter().map(|(_, did)| usize::try_from(*did).unwrap_or_default()).sum()
    }

    /// What each did against what their row counts, and who does not see what their row says. Every tap of the
    /// companion changes its chat, and every change adds one to its version.
    async fn compare(&self) -> Result<(Vec<Miscounted>, Vec<ChatId>), storage::Error> {
        let (mut miscounted, mut unseen) = (Vec::new(), Vec::new());
        for users in self.users.chunks(ROWS_AT_ONCE) {
            let keys: Vec<Key> = users.iter().map(|(user, _)| Key { bot: self.sandbox.bot, chat: *user }).collect();
            let rows = self.sandbox.running.storage.load(&keys).await?;
            for ((user, did), row) in users.iter().zip(rows) {
                let chat = row?.map(|row| row.chat).unwrap_or_default();
                if chat.version.0 != *did {
                    miscounted.push(Miscounted { user: *user, did: *did, counted: chat.version.0 });
                }
                let desired = chat.desired.map(|desired| desired.revision);
                if desired.is_none() || desired != chat.shown.map(|shown| shown.revision) {
                    unseen.push(*user);
                }
            }
        }
        Ok((miscounted, unseen))
    }
}

/// The payload of some button of the lowest keyboard that `user` sees.
fn callback(sandbox: &Sandbox, user: ChatId, random: &mut Random) -> Option<(MessageId, String)> {
    let chat = sandbox.world.chat(user)?;
    let message = chat.messages.iter().rev().find(|message| !message.keyboard.is_empty())?;
    let mut payloads = Vec::new();
    for button in message.keyboard.iter().flatten() {
        if let Action::Callback { data } = &button.action {
            payloads.push(data.clone());
        }
    }
    let last = u64::try_from(payloads.len()).ok()?.checked_sub(1)?;
    let place = usize::try_from(random.within(0..=last)).ok()?;
    Some((message.id, payloads.swap_remove(place)))
}

/// Response times as Telegram sees them.
struct Times {
    rows: tokio::sync::broadcast::Receiver<Arc<super::wire::Row>>,
    taken: Vec<Duration>,
    failed: usize,
}

impl Times {
    fn watch(sandbox: &Sandbox) -> Self {
        Self { rows: sandbox.wire.watch(), taken: Vec::new(), failed: 0 }
    }

    /// Takes in what went over the wire since. Rows that came faster than they were read are no sample.
    fn collect(&mut self) {
        loop {
            let row = match self.rows.try_recv() {
                Ok(row) => row,
                Err(TryRecvError::Lagged(_)) => continue,
                Err(TryRecvError::Empty | TryRecvError::Closed) => return,
            };
            let (Entry::Delivery(delivery), Some(took)) = (&row.entry, row.took) else { continue };
            match delivery.verdict {
                Verdict::Delivered if delivery.edition == Edition::Original => self.taken.push(took.real),
                Verdict::Retry { .. } | Verdict::Expired { .. } => self.failed += 1,
                Verdict::Delivered | Verdict::InFlight | Verdict::Cut | Verdict::Ignored => {}
            }
        }
    }

    fn percentiles(&mut self) -> Percentiles {
        self.taken.sort_unstable();
        let samples = self.taken.len();
        let at = |part: f64| {
            let place = ((samples as f64 * part).ceil() as usize).saturating_sub(1);
            self.taken.get(place).map_or(0.0, |time| time.as_secs_f64() * 1e3)
        };
        Percentiles { samples, p50_ms: at(0.5), p90_ms: at(0.9), p99_ms: at(0.99), max_ms: at(1.0) }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Percentiles { samples, p50_ms, p90_ms, p99_ms, max_ms } = self.response;
        let right = |wrong: usize| format!("{} of {} users", self.users.saturating_sub(wrong), self.users);
        writeln!(f, "{} users, max_connections {}, {:.1} s", self.users, self.max_connections, self.seconds)?;
        writeln!(f, "taken      {} updates, {:.0} a second", self.taken, self.per_second)?;
        write!(f, "response   p50 {p50_ms:.1} ms, p90 {p90_ms:.1} ms, p99 {p99_ms:.1} ms, max {max_ms:.1} ms")?;
        writeln!(f, " (of {samples} deliveries)")?;
        writeln!(f, "capacity   max_connections ÷ p50 = {:.0} a second", self.capacity_per_second)?;
        writeln!(f, "repeats    {} deliveries failed and came again", self.failed)?;
        writeln!(f, "rows       {}: the version is what they did", right(self.miscounted.len()))?;
        write!(f, "screens    {}: what they see is what the row says", right(self.unseen.len()))?;
        for Miscounted { user, did, counted } in self.miscounted.iter().take(10) {
            write!(f, "\nwrong      user {user} did {did}, the row counts {counted}")?;
        }
        Ok(())
    }
}
