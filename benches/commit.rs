//! The commit of a text, for each backend, gathered and one at a time, by one caller and by forty.

mod support;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use std::sync::Arc;
use std::time::Duration;
use support::callers::{self, BOTH};
use support::stores::Store;
use support::{bot, updates};
use tapgate::clock;
use tapgate::flow::chat::Chat;
use tapgate::flow::event::{Reading, read};
use tapgate::flow::{Flow, decide};
use tapgate::shutdown::Tasks;
use tapgate::storage::{Commit, Fence, Gathered, Key, Outcome, Storage};
use tapgate::telegram::id::{ChatId, UpdateId};
use tapgate::telegram::update::parse;
use tokio::runtime::Runtime;
use tokio::sync::Mutex;
use tokio::time::Instant;

/// How many chats a caller has for itself.
const CHATS_EACH: i64 = updates::CHATS / 40;

fn commit(criterion: &mut Criterion) {
    let runtime = Runtime::new().expect("a runtime can be made");
    let mut group = criterion.benchmark_group("commit");
    group.sample_size(20).measurement_time(Duration::from_secs(4)).throughput(Throughput::Elements(1));
    for store in runtime.block_on(Store::all()) {
        for (name, gathering) in BOTH {
            for count in [1, 40] {
                let tasks = Tasks::new("gatherers");
                let gathered = runtime
                    .block_on(Gathered::start(&store.storage, gathering, &tasks))
                    .expect("the store gives connections");
                let callers = runtime.block_on(callers(&store.storage, &gathered, count));
                let id = BenchmarkId::new(format!("{}/{name}", store.name), count);
                group.bench_function(id, |bencher| {
                    bencher.to_async(&runtime).iter_custom(|calls| {
                        callers::time(callers.clone(), calls, |caller, calls| async move {
                            caller.lock().await.commits(calls).await;
                        })
                    });
                });
                runtime.block_on(tasks.stop());
            }
        }
    }
}

/// Callers with chats of their own, as they stand in the store.
async fn callers(storage: &Storage, gathered: &Gathered, count: i64) -> Vec<Arc<Mutex<Caller>>> {
    let mut callers = Vec::new();
    for number in 0..count {
        let keys: Vec<_> =
            (0..CHATS_EACH).map(|chat| Key { bot: bot::id(), chat: ChatId(1 + number * CHATS_EACH + chat) }).collect();
        let stored = storage.load(&keys).await.expect("the store answers");
        let chats =
            stored.into_iter().map(|stored| stored.expect("a row decodes").map(|stored| (stored.chat, stored.fence)));
        let chats = keys.into_iter().zip(chats.map(Option::unwrap_or_default)).collect();
        callers.push(Arc::new(Mutex::new(Caller { gathered: gathered.clone(), flow: bot::flow(), chats, next: 0 })));
    }
    callers
}

/// Commits to its chats in turn.
struct Caller {
    gathered: Gathered,
    flow: Arc<Flow>,
    chats: Vec<(Key, (Chat, Fence))>,
    next: usize,
}

impl Caller {
    async fn commits(&mut self, count: u64) {
        for _ in 0..count {
            let (key, (chat, fence)) = &mut self.chats[self.next];
            self.next = (self.next + 1) % CHATS_EACH as usize;
            let commit = decided(&self.flow, *key, chat, fence);
            (*chat, *fence) = (commit.chat.clone(), commit.fence.clone());
            let outcome = self.gathered.commit(commit, Instant::now() + Duration::from_secs(5)).await;
            assert!(matches!(outcome, Ok(Outcome::Applied)), "{outcome:?}");
        }
    }
}

fn decided(flow: &Flow, key: Key, chat: &Chat, fence: &Fence) -> Commit {
    let (update, at) = (UpdateId(updates::next_id()), clock::now());
    let body = updates::message(update.0, key.chat.0);
    let Ok(Reading::Event(queue, event)) = parse(body.as_bytes()).map(|update| read(update, None)) else {
        panic!("our own update is an event")
    };
    let decision = decide(flow, chat, &event, at);
    let change = decision.change.expect("a text changes the chat");
    Commit::of(key, chat.balance, change, fence.with(update, queue, &decision.answer), Some(update), at)
}

criterion_group!(benches, commit);
criterion_main!(benches);
