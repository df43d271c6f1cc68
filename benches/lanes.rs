//! What a long lane costs those who do not wait in it: the webhook's response time with 100,000 jobs in `text`, against
//! that with as many chats that wait for nothing, side by side in one run; and what a lease of one of them costs.
//! Never asserts a figure. `TAPGATE_TEST_POSTGRES_URL` and `TAPGATE_TEST_REDIS_URL`: PostgreSQL is measured, too.

mod support;

use std::time::Duration;
use support::callers::{self, GATHERED};
use support::stores::Store;
use support::webhook::{request, service};
use support::{Failure, bot, say};
use tapgate::clock;
use tapgate::flow::chat::{Chat, Version};
use tapgate::shutdown::Tasks;
use tapgate::storage::{Commit, Fence, Gathered, Key, Lane, NewJob, Storage};
use tapgate::telegram::id::{BotId, ChatId};
use tokio::time::Instant;
use tower::ServiceExt;

/// How many jobs wait.
const WAITING: i64 = 100_000;
const CALLERS: usize = 40;
/// Rounds, each of them once with the jobs and once without.
const ROUNDS: usize = 11;
const CALLS: u64 = 4_000;
const LEASES: u32 = 200;

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let mut words = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).peekable();
    if words.peek().is_some() && !words.any(|word| "lanes".contains(&*word)) {
        return Ok(());
    }
    say(&format!("{CALLERS} callers, {ROUNDS} rounds of {CALLS} updates; response times in microseconds"));
    say("| | nothing waits | 100,000 wait | ratio | a lease, nothing waits | a lease, 100,000 wait |");
    say("|---|---|---|---|---|---|");
    for (idle, long) in Store::all().await.into_iter().zip(Store::all().await) {
        fill(&idle.storage, 0).await?;
        fill(&long.storage, 1).await?;
        let (tasks, recorders) = (Tasks::new("the servers"), Tasks::new("recorders of answers"));
        let services =
            [service(&idle, GATHERED, &tasks, &recorders).await, service(&long, GATHERED, &tasks, &recorders).await];
        let mut took = [Vec::new(), Vec::new()];
        for round in 0..=ROUNDS {
            let mut turns: Vec<_> = services.iter().zip(&mut took).collect();
            // Neither is always the first.
            if round % 2 == 1 {
                turns.reverse();
            }
            for (service, took) in turns {
                let total = callers::time(vec![service.clone(); CALLERS], CALLS, |service, calls| async move {
                    for _ in 0..calls {
                        let answer = service.clone().oneshot(request()).await;
                        assert!(answer.is_ok_and(|answer| answer.status().is_success()));
                    }
                })
                .await;
                // The first round warms up.
                if round > 0 {
                    took.push(total.mul_f64(CALLERS as f64 / CALLS as f64));
                }
            }
        }
        let [without, with] = took.map(median);
        let (ratio, name) = (with / without, idle.name);
        let leases = [lease(&idle.storage).await?, lease(&long.storage).await?];
        say(&format!("| {name} | {without:.0} | {with:.0} | {ratio:.2} | {:.0} | {:.0} |", leases[0], leases[1]));
        tasks.stop().await;
        recorders.stop().await;
    }
    Ok(())
}

/// The middle one, in microseconds.
fn median(mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    times[times.len() / 2].as_secs_f64() * 1e6
}

/// Microseconds of a lease of one job.
async fn lease(storage: &Storage) -> Result<f64, Failure> {
    let began = Instant::now();
    for _ in 0..LEASES {
        storage.lease_work(&[Lane::TextPriority, Lane::Text], 1, Duration::from_secs(60), BotId(0), 3).await?;
    }
    Ok(began.elapsed().as_secs_f64() * 1e6 / f64::from(LEASES))
}

/// So many jobs of each of so many chats, which are not those that write.
async fn fill(storage: &Storage, jobs: usize) -> Result<(), Failure> {
    let gatherers = Tasks::new("gatherers");
    let gathered = Gathered::start(storage, GATHERED, &gatherers).await?;
    for portion in (1..=WAITING).collect::<Vec<_>>().chunks(4_000) {
        let deadline = Instant::now() + Duration::from_secs(60);
        let commits = portion.iter().map(|user| {
            let key = Key { bot: bot::id(), chat: ChatId(i64::MAX - user) };
            let chat = Chat { version: Version(1), ..Chat::default() };
            let payload = r#"{"kind":"generation","then":"talk","text":"Hello"}"#.to_owned();
            let jobs = vec![NewJob::Task { lane: Lane::Text, payload }; jobs];
            let commit = Commit {
                key,
                chat,
                fence: Fence::default(),
                update: None,
                jobs,
                books: Default::default(),
                at: clock::now(),
            };
            gathered.commit(commit, deadline)
        });
        for outcome in futures::future::join_all(commits).await {
            outcome?;
        }
    }
    gatherers.stop().await;
    Ok(())
}
