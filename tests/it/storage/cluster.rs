//! What is PostgreSQL's own: locked rows, cut connections, refused text, HOT updates, what is read, settings.
//! On SQLite a lock is of the whole file, and text of any content is stored: its own cases are beside its code.

use super::proxy::Proxy;
use super::store::{GATHERING, Store};
use super::words::*;
use crate::harness::patience;
use futures::future::join_all;
use sqlx::{Connection, Executor};
use std::time::Duration;
use tapgate::flow::decision::Place;
use tapgate::secret::Secret;
use tapgate::shutdown::Tasks;
use tapgate::storage::{AHEAD_MAX, Allowed, Error, Gathered, Gathering, Lane, NewJob, Outcome, Storage, StorageUrl};
use tapgate::telegram::id::UpdateId;
use tokio::time::Instant;
use url::Url;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn while_another_connection_holds_a_row_the_other_chats_go_through() {
    let Some(store) = Store::postgres().await else { return };
    let (gathered, tasks) = store.gathered(Gathering { committers: 1, ..GATHERING }).await;
    for chat in 1..=20 {
        apply(&store.storage, key(chat), chat, vec![]).await;
    }
    let seen = join_all((1..=20).map(|chat| loaded(&store.storage, key(chat)))).await;
    let commit = |chat: i64, update| commit_on(seen[chat as usize - 1].as_ref(), key(chat), update);

    let mut holder = store.database().connect().await;
    let mut lock = holder.begin().await.unwrap();
    lock.execute("SELECT FROM chats WHERE chat_id = 10 FOR UPDATE").await.unwrap();

    let patient = tokio::spawn({
        let (gathered, commit) = (gathered.clone(), commit(10, 110));
        async move { gathered.commit(commit, soon()).await }
    });
    let others =
        join_all((1..=20).filter(|chat| *chat != 10).map(|chat| gathered.commit(commit(chat, 100 + chat), soon())));
    for outcome in others.await {
        assert_eq!(outcome.unwrap(), Outcome::Applied, "while the lock is held");
    }
    let hasty = gathered.commit(commit(10, 210), Instant::now() + Duration::from_millis(50)).await;
    assert!(matches!(hasty, Ok(Outcome::Busy) | Err(Error::Late)), "behind the patient one, never sent: {hasty:?}");
    assert_eq!(loaded(&store.storage, key(10)).await.unwrap().chat.version.0, 1);
    assert_eq!(store.storage.commit(&commit(10, 210)).await.unwrap(), Outcome::Busy);

    lock.rollback().await.unwrap();
    assert_eq!(patient.await.unwrap().unwrap(), Outcome::Applied, "once it can be had");
    tasks.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_busy_commit_says_so_at_its_deadline_and_is_not_applied_later() {
    let Some(store) = Store::postgres().await else { return };
    let (gathered, tasks) = store.gathered(GATHERING).await;
    apply(&store.storage, key(1), 1, vec![]).await;
    let seen = loaded(&store.storage, key(1)).await;
    let mut holder = store.database().connect().await;
    let mut lock = holder.begin().await.unwrap();
    lock.execute("SELECT FROM chats FOR UPDATE").await.unwrap();
    let deadline = Instant::now() + Duration::from_millis(300);
    let outcome = gathered.commit(commit_on(seen.as_ref(), key(1), 2), deadline).await;
    assert_eq!(outcome.unwrap(), Outcome::Busy);
    lock.rollback().await.unwrap();
    tasks.stop().await;
    assert_eq!(loaded(&store.storage, key(1)).await, seen);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_held_job_makes_only_its_own_chat_busy() {
    let Some(store) = Store::postgres().await else { return };
    let (gathered, tasks) = store.gathered(Gathering { committers: 1, ..GATHERING }).await;
    let screen = || vec![NewJob::Screen(tapgate::flow::decision::Place::New)];
    for chat in 1..=5 {
        apply(&store.storage, key(chat), chat, screen()).await;
    }
    let seen = join_all((1..=5).map(|chat| loaded(&store.storage, key(chat)))).await;
    let mut holder = store.database().connect().await;
    let mut lock = holder.begin().await.unwrap();
    lock.execute("SELECT FROM jobs WHERE chat_id = 3 FOR UPDATE").await.unwrap();
    let commits = (1..=5).map(|chat: i64| {
        let commit = with_jobs(commit_on(seen[chat as usize - 1].as_ref(), key(chat), 10 + chat), screen());
        gathered.commit(commit, Instant::now() + Duration::from_secs(2))
    });
    for (chat, outcome) in (1..).zip(join_all(commits).await) {
        match outcome {
            Ok(Outcome::Applied) => assert_ne!(chat, 3),
            // On the wire at its deadline, or between two tries.
            Ok(Outcome::Busy) | Err(Error::Unavailable(_)) => assert_eq!(chat, 3),
            other => panic!("chat {chat}: {other:?}"),
        }
    }
    lock.rollback().await.unwrap();
    tasks.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_text_that_postgresql_refuses_fails_alone() {
    let Some(store) = Store::postgres().await else { return };
    let (gathered, tasks) = store.gathered(Gathering { committers: 1, ..GATHERING }).await;
    let outcomes = join_all((1..=20).map(|chat| {
        let mut commit = commit_on(None, key(chat), chat);
        if chat == 10 {
            commit.chat.locale = Some("a user's \0 secret".into());
        }
        gathered.commit(commit, soon())
    }));
    for (chat, outcome) in (1..).zip(outcomes.await) {
        match outcome {
            Err(error @ Error::Data(_)) => {
                assert_eq!(chat, 10);
                assert!(!format!("{error:?}").contains("secret"), "{error:?}");
            }
            outcome => assert_eq!((outcome.unwrap(), chat != 10), (Outcome::Applied, true)),
        }
    }
    tasks.stop().await;
}

/// The store through a wire that can be cut.
async fn through_a_proxy(store: &Store) -> (Proxy, Gathered, Tasks) {
    let mut url = Url::parse(store.database().url()).unwrap();
    let proxy = Proxy::before(format!("{}:{}", url.host_str().unwrap(), url.port().unwrap_or(5432))).await;
    url.set_host(Some("127.0.0.1")).unwrap();
    url.set_port(Some(proxy.address.port())).unwrap();
    url.query_pairs_mut().append_pair("sslmode", "disable");
    let storage = Storage::open(&StorageUrl::Postgres(Secret::new(url.as_str()))).await.unwrap();
    let tasks = Tasks::new("gatherers");
    let gathering = Gathering { loaders: 1, committers: 1, ..GATHERING };
    let gathered = Gathered::start(&storage, gathering, &tasks).await.unwrap();
    (proxy, gathered, tasks)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_a_commit_whose_reply_was_lost_the_fence_tells() {
    let Some(store) = Store::postgres().await else { return };
    let (proxy, gathered, tasks) = through_a_proxy(&store).await;
    // The statement is prepared with the first commit; from then on its reply is the reply to its commit.
    assert_eq!(gathered.commit(commit_on(None, key(1), 1), soon()).await.unwrap(), Outcome::Applied);
    gathered.load(key(1), soon()).await.unwrap();
    proxy.swallow_the_next_reply();
    let unknown = gathered.commit(commit_on(None, key(2), 2), soon()).await;
    assert!(matches!(unknown, Err(Error::Unavailable(_))), "{unknown:?}");
    assert!(proxy.has_swallowed());
    let stored = gathered.load(key(2), soon()).await.unwrap().expect("it was applied");
    assert_eq!(stored.fence.recall(UpdateId(2)), Some(answer(2)));
    let repeated = gathered.commit(commit_on(None, key(2), 2), soon()).await.unwrap();
    assert_eq!(repeated, Outcome::Duplicate { answer: answer(2) }, "over a connection opened anew");
    tasks.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cut_connections_lose_and_double_nothing() {
    let Some(store) = Store::postgres().await else { return };
    let (gathered, tasks) = store.gathered(GATHERING).await;
    let callers = (0..8).map(|caller| {
        let gathered = gathered.clone();
        tokio::spawn(async move {
            for number in 0..30 {
                let update = caller * 30 + number + 1;
                let chat = key(update % 5);
                loop {
                    let Ok(stored) = gathered.load(chat, soon()).await else {
                        tokio::task::yield_now().await;
                        continue;
                    };
                    if stored.as_ref().is_some_and(|stored| stored.fence.recall(UpdateId(update)).is_some()) {
                        break;
                    }
                    // An error is "not known", and the reload tells.
                    if let Ok(Outcome::Applied) =
                        gathered.commit(commit_on(stored.as_ref(), chat, update), soon()).await
                    {
                        break;
                    }
                }
            }
        })
    });
    let working = tokio::spawn(join_all(callers));
    while !working.is_finished() {
        store.database().cut_connections().await;
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    for caller in working.await.unwrap() {
        caller.unwrap();
    }
    tasks.stop().await;
    let fresh = store.of_another_process().await;
    let counts = join_all((0..5).map(|chat| loaded(&fresh, key(chat)))).await;
    let updates: i64 = counts.into_iter().map(|stored| stored.unwrap().chat.vars["n"].parse::<i64>().unwrap()).sum();
    assert_eq!(updates, 240);
}

/// Whether the database lets anybody in. Set from the database `postgres`: it may be closed itself.
async fn set_connections_allowed(store: &Store, allowed: &str) {
    let mut url = Url::parse(store.database().url()).unwrap();
    let name = url.path().trim_start_matches('/').to_owned();
    url.set_path("/postgres");
    let mut connection = sqlx::PgConnection::connect(url.as_str()).await.unwrap();
    let statement = format!("ALTER DATABASE {name} ALLOW_CONNECTIONS {allowed}");
    connection.execute(sqlx::AssertSqlSafe(statement)).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn while_the_server_is_gone_calls_fail_and_do_not_wait() {
    let Some(store) = Store::postgres().await else { return };
    let (gathered, tasks) = store.gathered(GATHERING).await;
    set_connections_allowed(&store, "false").await;
    store.database().cut_connections().await;
    let deadline = Instant::now() + Duration::from_secs(60);
    for _ in 0..10 {
        let commit = gathered.commit(commit_on(None, key(1), 1), deadline).await;
        assert!(matches!(commit, Err(Error::Unavailable(_))), "{commit:?}");
    }
    set_connections_allowed(&store, "true").await;
    patience::until("the gatherer is connected again", async || {
        gathered.commit(commit_on(None, key(1), 1), deadline).await.ok()
    })
    .await;
    tasks.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_update_of_a_chat_and_of_a_screen_that_waits_is_hot() {
    let Some(store) = Store::postgres().await else { return };
    let (gathered, tasks) = store.gathered(Gathering { loaders: 1, committers: 1, ..GATHERING }).await;
    let screen = |commit| with_jobs(commit, vec![NewJob::Screen(Place::New)]);
    join_all((0..400).map(|chat| gathered.commit(screen(commit_on(None, key(chat), 1)), soon()))).await;
    // Few on each page: what is vacuumed away meanwhile depends on the other databases of the server.
    let updated = (0..400).step_by(8).map(async |chat| {
        let stored = gathered.load(key(chat), soon()).await.unwrap();
        gathered.commit(screen(commit_on(stored.as_ref(), key(chat), 2)), soon()).await.unwrap()
    });
    assert!(join_all(updated).await.into_iter().all(|outcome| outcome == Outcome::Applied));
    // A connection reports what it did when it ends, at the latest.
    tasks.stop().await;
    let updates = 50;
    for table in ["chats", "jobs"] {
        let count = async |column: &str| {
            store.number(&format!("SELECT {column} FROM pg_stat_user_tables WHERE relname = '{table}'")).await
        };
        let hot = patience::until("the statistics have arrived", async || {
            let (all, hot) = (count("n_tup_upd").await, count("n_tup_hot_upd").await);
            (all == updates).then_some(hot)
        })
        .await;
        assert_eq!(hot, updates, "{table}");
    }
}

/// How many rows and index entries of `jobs` have been read, once every connection has said what it did.
async fn reads_of_jobs(store: &Store, connections: i64) -> i64 {
    patience::until("its connections have ended", async || {
        let others = "SELECT count(*) FROM pg_stat_activity \
                      WHERE datname = current_database() AND pid <> pg_backend_pid()";
        (store.number(others).await <= connections).then_some(())
    })
    .await;
    store
        .number(
            "SELECT (seq_tup_read + (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes WHERE relname = 'jobs'))::bigint \
             FROM pg_stat_user_tables WHERE relname = 'jobs'",
        )
        .await
}

/// So many jobs, each of a chat of its own, while PostgreSQL's statistics are of when there was none in their lane.
async fn flood(store: &Store, lane: Lane, jobs: i64) {
    store.execute("ANALYZE").await;
    store
        .execute(&format!(
            "INSERT INTO chats (bot_id, chat_id, version, balance, created_at, updated_at, banned, blocked, vars, fence) \
             SELECT 7, n, 1, 0, now(), now(), false, false, '{{}}', '{{}}' FROM generate_series(1, {jobs}) AS n \
             ON CONFLICT DO NOTHING; \
             INSERT INTO jobs (bot_id, chat_id, position, serial, run_at, created_at, attempts, lane, key, payload) \
             SELECT 7, n, 256, 1, now(), now(), 0, '{lane}', '{lane}', '{{}}' FROM generate_series(1, {jobs}) AS n"
        ))
        .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lanes_of_any_length_are_not_read_to_lease_to_count_or_to_commit() {
    const LONG: i64 = 20_000;
    let Some(store) = Store::postgres().await else { return };
    flood(&store, Lane::Text, LONG).await;
    flood(&store, Lane::Outbound, LONG).await;
    let connections =
        store.number("SELECT count(*) - 1 FROM pg_stat_activity WHERE datname = current_database()").await;
    let before = reads_of_jobs(&store, connections).await;

    let storage = store.of_another_process().await;
    for update in 1..=10 {
        apply(&storage, of(8, 1), update, vec![text("{}")]).await;
        apply(&storage, key(LONG), update, vec![text("{}")]).await;
        assert_eq!(lease_text(&storage, 3).await.len(), 3);
        assert_eq!(storage.due(&[Lane::Text], ATTEMPTS_MAX).await.unwrap(), [Lane::Text]);
        assert_eq!(storage.exhausted(10, LEASE, ATTEMPTS_MAX).await.unwrap(), []);
        assert_eq!(storage.lease_outbound(10, LEASE, &Allowed::default()).await.unwrap().len(), 10);
    }
    let places = storage.tell_places(&[Lane::Text], 20, 50).await.unwrap();
    assert!(places >= 20, "{places}");
    assert_eq!(storage.waiting(key(LONG), "text").await.unwrap().unwrap().ahead, AHEAD_MAX);
    drop(storage);

    let read = reads_of_jobs(&store, connections).await - before;
    assert!(read < LONG / 2, "{read} were read, of {LONG} that wait in each lane");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn synchronous_commit_off_is_refused_with_what_to_do() {
    let Some(store) = Store::postgres().await else { return };
    store.storage.check().await.unwrap();
    store
        .execute(
            "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET synchronous_commit = off', current_database()); END $$",
        )
        .await;
    let error = store.of_another_process().await.check().await.unwrap_err();
    assert!(matches!(&error, Error::Setting(text) if text.contains("synchronous_commit = on")), "{error:?}");
}
