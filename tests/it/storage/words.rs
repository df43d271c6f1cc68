//! Commits and settlements as the cases speak of them.

use std::time::Duration;
use tapgate::clock::Timestamp;
use tapgate::flow::chat::{Desired, Frame, Shown, View};
use tapgate::flow::decision::Place;
use tapgate::storage::{
    Allowed, Commit, End, Key, Lane, LeasedJob, NewJob, Outcome, Settled, Settlement, Storage, Stored, Work,
};
use tapgate::telegram::answer::Answer;
use tapgate::telegram::id::{BotId, ChatId, MessageId, UpdateId};
use tapgate::telegram::update::DeliveryQueue;
use tokio::time::Instant;

/// Longer than any test.
pub const LEASE: Duration = Duration::from_secs(600);

pub fn key(chat: i64) -> Key {
    Key { bot: BotId(7), chat: ChatId(chat) }
}

pub fn soon() -> Instant {
    Instant::now() + Duration::from_secs(30)
}

pub fn view(screen: &str) -> View {
    View { top: Frame { screen: screen.into(), ..Frame::default() }, stack: vec![] }
}

/// What `update` is answered in these cases.
pub fn answer(update: i64) -> Answer {
    Answer::from_body(&format!(r#"{{"method":"answerCallbackQuery","callback_query_id":"{update}","text":"Zoë"}}"#))
}

/// What `update` makes of a chat: one more in `n`, a balance, the fence.
pub fn commit_on(stored: Option<&Stored>, key: Key, update: i64) -> Commit {
    let none = Stored::default();
    let stored = stored.unwrap_or(&none);
    let mut chat = stored.chat.clone();
    chat.version = chat.version.next();
    let n: i64 = chat.vars.get("n").map_or(0, |n| n.parse().unwrap());
    chat.vars.insert("n".into(), (n + 1).to_string());
    chat.locale = Some("en".into());
    chat.desired = Some(Desired { view: view("menu"), revision: chat.version.into() });
    chat.balance = update;
    Commit {
        key,
        chat,
        fence: stored.fence.with(UpdateId(update), DeliveryQueue::Presses, &answer(update)),
        update: Some(UpdateId(update)),
        jobs: vec![],
        books: Default::default(),
        at: Timestamp::from_unix_millis(1_700_000_000_000 + update),
    }
}

/// The same with jobs.
pub fn with_jobs(mut commit: Commit, jobs: Vec<NewJob>) -> Commit {
    commit.jobs = jobs;
    commit
}

pub fn task(payload: &str) -> NewJob {
    NewJob::Task { lane: Lane::Outbound, payload: payload.into() }
}

pub fn message(id: i64) -> Place {
    Place::Message(MessageId(id))
}

pub async fn loaded(storage: &Storage, key: Key) -> Option<Stored> {
    loaded_all(storage, &[key]).await.remove(0)
}

pub async fn loaded_all(storage: &Storage, keys: &[Key]) -> Vec<Option<Stored>> {
    storage.load(keys).await.unwrap().into_iter().map(Result::unwrap).collect()
}

/// Applies `update` with `jobs` to the chat as it stands.
pub async fn apply(storage: &Storage, key: Key, update: i64, jobs: Vec<NewJob>) -> Commit {
    let stored = loaded(storage, key).await;
    let commit = with_jobs(commit_on(stored.as_ref(), key, update), jobs);
    assert_eq!(storage.commit(&commit).await.unwrap(), Outcome::Applied);
    commit
}

pub async fn lease_all(storage: &Storage) -> Vec<LeasedJob> {
    storage.lease_outbound(100, LEASE, &Allowed::default()).await.unwrap()
}

pub async fn lease_one(storage: &Storage) -> LeasedJob {
    let mut jobs = lease_all(storage).await;
    assert_eq!(jobs.len(), 1, "one job can be leased: {jobs:?}");
    jobs.remove(0)
}

/// What the leased jobs ask for, in order.
pub fn works(jobs: &[LeasedJob]) -> Vec<Work> {
    jobs.iter().map(|job| job.work.clone()).collect()
}

pub fn shown(screen: &str, revision: i64, message_id: i64) -> Shown {
    Shown { view: view(screen), revision: tapgate::flow::chat::Revision(revision), message_id: MessageId(message_id) }
}

pub async fn settle(storage: &Storage, job: &LeasedJob, end: End) -> Settled {
    settle_paced(storage, job, end, Duration::ZERO).await
}

pub async fn settle_paced(storage: &Storage, job: &LeasedJob, end: End, pace: Duration) -> Settled {
    storage.settle(&settlement(job, end, pace)).await.unwrap()
}

pub fn settlement(job: &LeasedJob, end: End, pace: Duration) -> Settlement {
    Settlement { pace, ..Settlement::of(job, end) }
}

pub const DONE: End = End::Done { shown: None };

pub const fn again(after: Duration) -> End {
    End::Again { after, hold: false }
}

/// How often a job of a lane is leased.
pub const ATTEMPTS_MAX: u32 = 3;
/// A bot below all others.
pub const FIRST: BotId = BotId(0);

pub fn of(bot: i64, chat: i64) -> Key {
    Key { bot: BotId(bot), chat: ChatId(chat) }
}

pub fn work(lane: Lane, payload: &str) -> NewJob {
    NewJob::Task { lane, payload: payload.into() }
}

/// A job of the lane `text`.
pub fn text(payload: &str) -> NewJob {
    work(Lane::Text, payload)
}

/// Jobs of these lanes, in turns from the bot behind `after`.
pub async fn lease_from(storage: &Storage, lanes: &[Lane], limit: usize, after: BotId) -> Vec<LeasedJob> {
    storage.lease_work(lanes, limit, LEASE, after, ATTEMPTS_MAX).await.unwrap()
}

/// Jobs of the lane `text`, in turns from the first bot.
pub async fn lease_text(storage: &Storage, limit: usize) -> Vec<LeasedJob> {
    lease_from(storage, &[Lane::Text], limit, FIRST).await
}
