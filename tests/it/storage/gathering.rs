//! The gatherers: order, bounds, deadlines, members that fail alone, and the stop.

use super::store::{GATHERING, Store};
use super::words::*;
use futures::future::join_all;
use std::time::Duration;
use tapgate::storage::{Error, Gathering, Outcome, TASKS_MAX};
use tokio::time::Instant;

on_every_backend! {
    loads_and_commits_of_many_chats_at_once_all_get_their_own_answer
    commits_of_one_chat_keep_their_order
    a_member_whose_data_is_refused_fails_alone
    a_row_that_does_not_decode_fails_alone
    a_deadline_that_is_over_sends_nothing
    stopping_serves_what_waits_and_refuses_what_comes_after
}

async fn loads_and_commits_of_many_chats_at_once_all_get_their_own_answer(store: Store) {
    let (gathered, tasks) = store.gathered(GATHERING).await;
    let commits = join_all((1..=200).map(|chat| gathered.commit(commit_on(None, key(chat), chat), soon()))).await;
    assert!(commits.into_iter().all(|outcome| outcome.unwrap() == Outcome::Applied));
    let loads = join_all((1..=201).map(|chat| gathered.load(key(chat), soon()))).await;
    for (chat, stored) in (1..).zip(loads) {
        assert_eq!(stored.unwrap().map(|stored| stored.chat.balance), (chat <= 200).then_some(chat));
    }
    tasks.stop().await;
}

async fn commits_of_one_chat_keep_their_order(store: Store) {
    let (gathered, tasks) = store.gathered(GATHERING).await;
    let mut commits = Vec::new();
    let mut stored = None;
    for update in 1..=20 {
        let commit = commit_on(stored.as_ref(), key(1), update);
        stored = Some(tapgate::storage::Stored {
            chat: commit.chat.clone(),
            fence: commit.fence.clone(),
            ..Default::default()
        });
        commits.push(commit);
    }
    // All wait at once; each is decided on what the one before it writes.
    let outcomes = join_all(commits.into_iter().map(|commit| gathered.commit(commit, soon()))).await;
    assert!(outcomes.into_iter().all(|outcome| outcome.unwrap() == Outcome::Applied));
    tasks.stop().await;
}

async fn a_member_whose_data_is_refused_fails_alone(store: Store) {
    let one_line = Gathering { loaders: 1, committers: 1, ..GATHERING };
    let (gathered, tasks) = store.gathered(one_line).await;
    let outcomes = join_all((1..=20).map(|chat| {
        let tasks = if chat == 10 { TASKS_MAX + 1 } else { 1 };
        gathered.commit(with_jobs(commit_on(None, key(chat), chat), vec![task("{}"); tasks]), soon())
    }));
    for (chat, outcome) in (1..).zip(outcomes.await) {
        match outcome {
            Err(Error::Data(_)) => assert_eq!(chat, 10),
            outcome => assert_eq!((outcome.unwrap(), chat != 10), (Outcome::Applied, true)),
        }
    }
    assert_eq!(store.number("SELECT count(*) FROM chats").await, 19);
    tasks.stop().await;
}

async fn a_row_that_does_not_decode_fails_alone(store: Store) {
    let (gathered, tasks) = store.gathered(GATHERING).await;
    for chat in 1..=5 {
        apply(&store.storage, key(chat), chat, vec![]).await;
    }
    store.execute("UPDATE chats SET vars = 'x' WHERE chat_id = 3").await;
    let loads = join_all((1..=5).map(|chat| gathered.load(key(chat), soon()))).await;
    for (chat, stored) in (1..).zip(loads) {
        match stored {
            Err(Error::Corrupt { table: "chats", column: "vars", .. }) => assert_eq!(chat, 3),
            stored => assert_eq!(stored.unwrap().map(|stored| stored.chat.balance), Some(chat)),
        }
    }
    tasks.stop().await;
}

async fn a_deadline_that_is_over_sends_nothing(store: Store) {
    let (gathered, tasks) = store.gathered(GATHERING).await;
    let past = Instant::now() - Duration::from_millis(1);
    assert!(matches!(gathered.commit(commit_on(None, key(1), 1), past).await, Err(Error::Late)));
    assert!(matches!(gathered.load(key(1), past).await, Err(Error::Late)));
    tasks.stop().await;
    assert_eq!(store.number("SELECT count(*) FROM chats").await, 0);
}

async fn stopping_serves_what_waits_and_refuses_what_comes_after(store: Store) {
    let (gathered, tasks) = store.gathered(Gathering { batch_max: 2, ..GATHERING }).await;
    let commits: Vec<_> = (1..=40)
        .map(|chat| {
            let gathered = gathered.clone();
            tokio::spawn(async move { gathered.commit(commit_on(None, key(chat), chat), soon()).await })
        })
        .collect();
    let outcomes = join_all(commits);
    let (outcomes, ()) = tokio::join!(outcomes, async {
        tokio::task::yield_now().await;
        tasks.stop().await;
    });
    let mut applied = 0;
    for outcome in outcomes {
        match outcome.unwrap() {
            Ok(outcome) => {
                assert_eq!(outcome, Outcome::Applied);
                applied += 1;
            }
            Err(error) => assert!(matches!(error, Error::Unavailable(_)), "{error:?}"),
        }
    }
    assert_eq!(store.number("SELECT count(*) FROM chats").await, applied, "an answer is what happened");
    assert!(matches!(gathered.load(key(1), soon()).await, Err(Error::Unavailable(_))));
}
