//! Who came first, and what was answered: the two things asked of Redis.

use super::REMEMBERED_SECONDS;
use super::link::Link;
use super::recorder::{Record, Recorder};
use crate::secret::Secret;
use crate::shutdown::Tasks;
use crate::telegram::answer::Answer;
use crate::telegram::id::{BotId, UpdateId};
use crate::telemetry::metrics::{self, Stage};
use redis::{Client, Cmd};
use std::sync::Arc;
use tokio::time::Instant;

/// What comes before the body in a recorded answer, so that no value of it is empty, as a claim is.
const ANSWERED_PREFIX: &str = "200\n";

/// The dedup gate of a process. Cheap to clone.
#[derive(Clone, Debug)]
pub enum Claims {
    /// No Redis is configured (embedded profile): the fence alone judges.
    Off,
    /// Redis, shared by all processes.
    Redis(Gate),
}

/// An open gate.
#[derive(Clone, Debug)]
pub struct Gate {
    link: Arc<Link>,
    recorder: Recorder,
}

/// What a claim found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    /// Nothing: the first attempt.
    First,
    /// Another attempt's claim without an answer: it still runs, crashed or failed. The fence judges.
    Pending,
    /// The answer that was given.
    Answered(Answer),
    /// Redis was not asked, or did not answer in time. The fence judges.
    Unavailable,
}

/// What an answered update did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It was applied: its answer is the one that counts.
    Changed,
    /// Nothing: its answer never displaces that of an overlapping attempt that was applied.
    Nothing,
}

/// `REDIS_URL` is none. The URL may hold a password, so it is not said.
#[derive(Debug, thiserror::Error)]
#[error("REDIS_URL is not of the form redis://HOST:PORT or rediss://HOST:PORT")]
pub struct InvalidUrl;

impl Claims {
    /// Opens the gate at `url`. A Redis that is down only degrades it: it is tried again, in `tasks`, until it is there.
    /// Answers are recorded in `tasks` too.
    ///
    /// # Errors
    /// If `url` is no URL of a Redis.
    pub async fn open(url: &Secret, tasks: &Tasks) -> Result<Self, InvalidUrl> {
        // `rediss://` asks for the process's provider; whoever was first has installed the same one.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::open(url.expose()).map_err(|_| InvalidUrl)?;
        let link = Link::open(client, claim_command("tapgate:probe", 1), tasks).await;
        let recorder = Recorder::start(Arc::clone(&link), tasks);
        Ok(Self::Redis(Gate { link, recorder }))
    }

    /// Whether there is no gate at all.
    pub const fn is_off(&self) -> bool {
        matches!(self, Self::Off)
    }

    /// Whether Redis is gone around now.
    pub fn is_degraded(&self) -> bool {
        match self {
            Self::Off => false,
            Self::Redis(gate) => gate.link.is_degraded(),
        }
    }

    /// Claims `update` and says what was there, in one round trip.
    pub async fn claim(&self, bot: BotId, update: UpdateId) -> Claim {
        let Self::Redis(gate) = self else { return Claim::Unavailable };
        let began = Instant::now();
        let command = claim_command(&key(bot, update), REMEMBERED_SECONDS);
        let found = gate.link.ask(async |mut redis| command.query_async::<Option<Vec<u8>>>(&mut redis).await).await;
        metrics::stage(Stage::Claim, began.elapsed());
        let claim = found.map_or(Claim::Unavailable, |value| claim_of(value.as_deref()));
        metrics::claim(match claim {
            Claim::First => "nothing",
            Claim::Pending => "claim",
            Claim::Answered(_) => "answer",
            Claim::Unavailable => "unavailable",
        });
        claim
    }

    /// Records what `update` was answered: nobody waits for it.
    pub fn record(&self, bot: BotId, update: UpdateId, answer: &Answer, effect: Effect) {
        let Self::Redis(gate) = self else { return };
        let (key, value) = (key(bot, update), format!("{ANSWERED_PREFIX}{}", answer.body()));
        gate.recorder.record(Record { key, value, effect });
    }
}

fn key(bot: BotId, update: UpdateId) -> String {
    format!("tapgate:upd:{bot}:{update}")
}

/// `NX` with `GET` needs Redis 7.
fn claim_command(key: &str, seconds: u64) -> Cmd {
    let mut command = redis::cmd("SET");
    command.arg(key).arg("").arg("NX").arg("GET").arg("EX").arg(seconds);
    command
}

/// A value that is not ours is treated like a claim: the fence judges.
fn claim_of(found: Option<&[u8]>) -> Claim {
    let Some(value) = found else { return Claim::First };
    let body = std::str::from_utf8(value).ok().and_then(|value| value.strip_prefix(ANSWERED_PREFIX));
    body.map_or(Claim::Pending, |body| Claim::Answered(Answer::from_body(body)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_redis_holds_says_how_far_the_first_attempt_came() {
        assert_eq!(claim_of(None), Claim::First);
        assert_eq!(claim_of(Some(b"")), Claim::Pending);
        assert_eq!(claim_of(Some(b"200\n")), Claim::Answered(Answer::EMPTY));
        assert_eq!(claim_of(Some(b"200\n{\"a\":\"\n\"}")), Claim::Answered(Answer::from_body("{\"a\":\"\n\"}")));
        assert_eq!(claim_of(Some(b"503\n")), Claim::Pending);
        assert_eq!(claim_of(Some(b"\xff")), Claim::Pending);
    }

    #[tokio::test]
    async fn a_url_that_is_none_is_refused_without_being_said() {
        let tasks = Tasks::new("test");
        let error = Claims::open(&Secret::new("http://:hunter2@host"), &tasks).await.unwrap_err();
        assert!(!format!("{error} {error:?}").contains("hunter2"));
    }
}
