//! Several processes on one store: crossing batches, new chats, one update delivered many times.

use super::store::{BATCH_MAX, GATHERING, Store};
use super::words::*;
use futures::future::join_all;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tapgate::flow::chat::Shown;
use tapgate::flow::decision::Place;
use tapgate::storage::{Allowed, End, Gathered, Key, NewJob, Outcome, Settled, Settler, Storage};
use tapgate::telegram::id::{MessageId, UpdateId};

on_every_backend! {
    crossing_batches_of_two_processes_apply_every_update_once
    a_chat_created_by_two_processes_at_once_is_created_once
    one_update_delivered_a_hundred_times_at_once_is_applied_once
    senders_of_two_processes_end_with_what_is_desired_while_commits_go_on
}

/// What a handler does: load, ask the fence, commit; again where it was stale.
async fn handle(gathered: &Gathered, key: Key, update: i64) -> (Outcome, u32) {
    for stale in 0.. {
        let stored = gathered.load(key, soon()).await.unwrap();
        if let Some(answer) = stored.as_ref().and_then(|stored| stored.fence.recall(UpdateId(update))) {
            return (Outcome::Duplicate { answer }, stale);
        }
        let commit = with_jobs(commit_on(stored.as_ref(), key, update), vec![task("{}"), NewJob::Screen(Place::New)]);
        match gathered.commit(commit, soon()).await.unwrap() {
            Outcome::Stale => {}
            outcome => return (outcome, stale),
        }
    }
    unreachable!("a handler ends")
}

async fn crossing_batches_of_two_processes_apply_every_update_once(store: Store) {
    const CHATS: i64 = 24;
    const CALLERS: i64 = 12;
    const UPDATES: i64 = 40;
    let (first, first_tasks) = store.gathered(GATHERING).await;
    let (second, second_tasks) = store.gathered(GATHERING).await;
    let callers = (0..2 * CALLERS).map(|caller| {
        let gathered = if caller % 2 == 0 { first.clone() } else { second.clone() };
        tokio::spawn(async move {
            let mut handled = Vec::new();
            for number in 0..UPDATES {
                let update = caller * UPDATES + number + 1;
                // Every caller walks the chats in an order of its own.
                let chat = (caller * 7 + number * (2 * caller + 1)).rem_euclid(CHATS);
                let (outcome, _) = handle(&gathered, key(chat), update).await;
                assert_eq!(outcome, Outcome::Applied);
                handled.push(chat);
            }
            handled
        })
    });
    let handled = tokio::time::timeout(Duration::from_secs(120), join_all(callers)).await.expect("nothing is stuck");
    let mut expected: BTreeMap<i64, i64> = BTreeMap::new();
    for chat in handled.into_iter().flat_map(Result::unwrap) {
        *expected.entry(chat).or_default() += 1;
    }
    for (chat, updates) in expected {
        let stored = loaded(&store.storage, key(chat)).await.unwrap().chat;
        assert_eq!((stored.vars["n"].as_str(), stored.version.0), (updates.to_string().as_str(), updates));
    }
    let tasks = store.number("SELECT count(*) FROM jobs WHERE payload IS NOT NULL").await;
    let screens = store.number("SELECT count(*) FROM jobs WHERE key = 'screen'").await;
    assert_eq!((tasks, screens), (2 * CALLERS * UPDATES, CHATS));
    first_tasks.stop().await;
    second_tasks.stop().await;
    assert_eq!(store.deadlocks().await, 0);
}

async fn a_chat_created_by_two_processes_at_once_is_created_once(store: Store) {
    let (first, _first_tasks) = store.gathered(GATHERING).await;
    let (second, _second_tasks) = store.gathered(GATHERING).await;
    for round in 0..20 {
        // A few chats in one batch, from both sides, in opposite orders.
        let chats: Vec<i64> = (0..5).map(|chat| round * 10 + chat).collect();
        let ours = join_all(chats.iter().map(|chat| first.commit(commit_on(None, key(*chat), 1), soon())));
        let theirs = join_all(chats.iter().rev().map(|chat| second.commit(commit_on(None, key(*chat), 2), soon())));
        let (ours, mut theirs) = tokio::join!(ours, theirs);
        theirs.reverse();
        for (ours, theirs) in ours.into_iter().zip(theirs) {
            let both = [ours.unwrap(), theirs.unwrap()];
            assert!(
                both == [Outcome::Applied, Outcome::Stale] || both == [Outcome::Stale, Outcome::Applied],
                "one creates the chat, the other reads it and decides again: {both:?}"
            );
        }
    }
}

async fn one_update_delivered_a_hundred_times_at_once_is_applied_once(store: Store) {
    let (first, _first_tasks) = store.gathered(GATHERING).await;
    let (second, _second_tasks) = store.gathered(GATHERING).await;
    apply(&store.storage, key(1), 1, vec![]).await;
    let deliveries = (0..100).map(|number| {
        let gathered = if number % 2 == 0 { first.clone() } else { second.clone() };
        tokio::spawn(async move { handle(&gathered, key(1), 2).await.0 })
    });
    let outcomes: Vec<Outcome> = join_all(deliveries).await.into_iter().map(Result::unwrap).collect();
    let applied = outcomes.iter().filter(|outcome| **outcome == Outcome::Applied).count();
    let repeated = outcomes.iter().filter(|outcome| **outcome == Outcome::Duplicate { answer: answer(2) }).count();
    assert_eq!((applied, repeated), (1, 99));
    assert_eq!(loaded(&store.storage, key(1)).await.unwrap().chat.vars["n"], "2");
    assert_eq!(store.number("SELECT count(*) FROM jobs").await, 2);
}

/// A sender as the server has one: it shows what is desired when it sends, and settles under the serial it leased.
async fn send_and_settle(storage: &Storage, settler: &Settler) -> usize {
    let jobs = storage.lease_outbound(4, LEASE, &Allowed::default()).await.unwrap();
    join_all(jobs.iter().map(async |job| {
        let chat = loaded(storage, job.key).await.expect("a job has a chat").chat;
        let desired = chat.desired.expect("it was committed");
        assert!(desired.revision.0 >= job.serial.0, "what is loaded after the lease is as new as the lease");
        let shown = Shown { view: desired.view, revision: desired.revision, message_id: MessageId(1) };
        let settlement = settlement(job, End::Done { shown: Some(shown) }, Duration::ZERO);
        let settled = settler.settle(settlement, soon()).await.unwrap();
        assert!(matches!(settled, Settled::Ended | Settled::Renewed), "no lease expires here: {settled:?}");
    }))
    .await;
    jobs.len()
}

async fn senders_of_two_processes_end_with_what_is_desired_while_commits_go_on(store: Store) {
    const CHATS: i64 = 4;
    const UPDATES: i64 = 60;
    let (gathered, tasks) = store.gathered(GATHERING).await;
    let committing = tokio::spawn(async move {
        for update in 1..=UPDATES {
            join_all((0..CHATS).map(async |chat| {
                let stored = gathered.load(key(chat), soon()).await.unwrap();
                let screen = vec![NewJob::Screen(Place::Shown)];
                let commit = with_jobs(commit_on(stored.as_ref(), key(chat), update), screen);
                assert_eq!(gathered.commit(commit, soon()).await.unwrap(), Outcome::Applied);
            }))
            .await;
        }
    });
    let committed = Arc::new(AtomicBool::new(false));
    let senders: Vec<_> = [store.settler(BATCH_MAX).await, store.settler(BATCH_MAX).await]
        .into_iter()
        .map(|(settler, tasks)| {
            let (storage, committed) = (store.storage.clone(), committed.clone());
            tokio::spawn(async move {
                loop {
                    // Asked before the lease: a job that comes after it is seen by the next round.
                    let last_round = committed.load(Ordering::SeqCst);
                    if send_and_settle(&storage, &settler).await == 0 && last_round {
                        return tasks.stop().await;
                    }
                }
            })
        })
        .collect();
    committing.await.unwrap();
    committed.store(true, Ordering::SeqCst);
    for sender in senders {
        sender.await.unwrap();
    }
    // A job that one sender renewed while the other looked away.
    let (settler, settles) = store.settler(BATCH_MAX).await;
    while send_and_settle(&store.storage, &settler).await > 0 {}
    settles.stop().await;
    for chat in 0..CHATS {
        let chat = loaded(&store.storage, key(chat)).await.unwrap().chat;
        assert_eq!((chat.version.0, chat.shown.unwrap().revision), (UPDATES, chat.desired.unwrap().revision));
    }
    assert_eq!(store.number("SELECT count(*) FROM jobs").await, 0);
    tasks.stop().await;
    assert_eq!(store.deadlocks().await, 0);
}
