//! Settles, gathered: each ends as it would alone, and none waits for another chat's row.

use super::store::{BATCH_MAX, Store};
use super::words::*;
use crate::harness::patience;
use futures::future::join_all;
use sqlx::{Connection, Executor};
use std::time::Duration;
use tapgate::flow::decision::Place;
use tapgate::storage::{End, Error, LeaseToken, LeasedJob, NewJob, Reach, Settled, Settlement, Settler, Work};
use tokio::time::Instant;

on_every_backend! {
    in one thread:
    ends_of_all_kinds_in_one_batch_are_what_each_is_alone
    settles_of_one_chat_go_one_after_the_other
    a_deadline_that_is_over_settles_nothing
    stopping_settles_what_waits_and_refuses_what_comes_after
}

const HOUR: Duration = Duration::from_secs(3600);

/// Ends all of them at once. In one thread all wait before the settler looks, so that they are one batch.
async fn settle_all(settler: &Settler, settlements: Vec<Settlement>) -> Vec<Result<Settled, Error>> {
    join_all(settlements.into_iter().map(|settlement| settler.settle(settlement, soon()))).await
}

fn sent(job: &LeasedJob) -> Settlement {
    let shown = shown("menu", job.serial.0, 9);
    settlement(job, End::Done { shown: Some(shown) }, HOUR)
}

/// A screen for each chat, leased.
async fn leased(store: &Store, chats: impl Iterator<Item = i64>) -> Vec<LeasedJob> {
    for chat in chats {
        apply(&store.storage, key(chat), 1, vec![NewJob::Screen(Place::New)]).await;
    }
    let mut jobs = lease_all(&store.storage).await;
    jobs.sort_by_key(|job| job.key.chat.0);
    jobs
}

async fn ends_of_all_kinds_in_one_batch_are_what_each_is_alone(store: Store) {
    const APART: i64 = 100;
    let ends = |jobs: &[LeasedJob]| {
        let ends = [
            DONE,
            again(HOUR),
            End::Again { after: HOUR, hold: true },
            End::Refused { reach: Reach::Reachable },
            End::Refused { reach: Reach::Unreachable },
            again(HOUR),
        ];
        let mut settlements: Vec<_> = jobs.iter().map(sent).collect();
        for (settlement, end) in settlements.iter_mut().zip(ends) {
            (settlement.end, settlement.pace) = (end, Duration::ZERO);
        }
        settlements[8].token = LeaseToken(settlements[8].token.0 ^ 1);
        settlements
    };
    let chats = || (0..10_i64).flat_map(|chat| [chat, chat + APART]);
    let jobs = leased(&store, chats()).await;
    // Overwritten while they are in work, whatever becomes of them.
    for chat in [5, 7] {
        for chat in [chat, chat + APART] {
            apply(&store.storage, key(chat), 2, vec![NewJob::Screen(Place::New)]).await;
        }
    }
    // One whose lease is gone has nothing pending, and one whose chat is gone has nothing at all.
    store.execute("DELETE FROM jobs WHERE chat_id IN (8, 108)").await;
    store.execute("DELETE FROM chats WHERE chat_id IN (9, 109)").await;
    let (alone, gathered) = jobs.split_at(10);

    let mut expected = [Settled::Ended; 10];
    (expected[5], expected[7], expected[8]) = (Settled::Renewed, Settled::Renewed, Settled::Lost);
    for (settlement, expected) in ends(alone).iter().zip(expected) {
        assert_eq!(store.storage.settle(settlement).await.unwrap(), expected, "{settlement:?}");
    }
    let (settler, tasks) = store.settler(BATCH_MAX).await;
    let settled = settle_all(&settler, ends(gathered)).await;
    assert_eq!(settled.into_iter().map(Result::unwrap).collect::<Vec<_>>(), expected);
    tasks.stop().await;

    let same_chats = "SELECT count(*) FROM chats AS a JOIN chats AS b ON b.chat_id = a.chat_id + 100
        WHERE coalesce(a.shown, '') = coalesce(b.shown, '')
          AND coalesce(a.unreachable_revision, 0) = coalesce(b.unreachable_revision, 0)
          AND (a.hold_until IS NULL) = (b.hold_until IS NULL) AND (a.paced_until IS NULL) = (b.paced_until IS NULL)";
    assert_eq!(store.number(same_chats).await, 9);
    let same_jobs = "SELECT count(*) FROM jobs AS a JOIN jobs AS b ON b.chat_id = a.chat_id + 100
        WHERE a.key = b.key AND a.place = b.place AND a.serial = b.serial AND a.position = b.position
          AND a.attempts = b.attempts AND coalesce(a.lease_token, b.lease_token) IS NULL";
    assert_eq!(store.number("SELECT count(*) FROM jobs WHERE chat_id < 100").await, 5);
    assert_eq!(store.number(same_jobs).await, 5);
    assert_eq!(store.number("SELECT count(*) FROM jobs").await, 10);
    let mut due = lease_all(&store.storage).await;
    due.sort_by_key(|job| job.key.chat.0);
    assert_eq!(due.iter().map(|job| job.key.chat.0).collect::<Vec<_>>(), [5, 7, 8, 105, 107, 108]);
    assert_eq!(works(&due)[2], Work::Screen(message(9)), "what a lost lease had sent");
}

async fn settles_of_one_chat_go_one_after_the_other(store: Store) {
    let late = leased(&store, 1..2).await.remove(0);
    store.time_passes().await;
    let other = lease_one(&store.storage).await;
    let (settler, tasks) = store.settler(BATCH_MAX).await;
    let settled = settle_all(&settler, vec![sent(&other), sent(&late)]).await;
    assert_eq!(settled.into_iter().map(Result::unwrap).collect::<Vec<_>>(), [Settled::Ended, Settled::Lost]);
    assert_eq!(
        lease_one(&store.storage).await.work,
        Work::Screen(message(9)),
        "the late one saw that the other was done"
    );
    tasks.stop().await;
}

async fn a_deadline_that_is_over_settles_nothing(store: Store) {
    let job = leased(&store, 1..2).await.remove(0);
    let (settler, tasks) = store.settler(BATCH_MAX).await;
    let past = Instant::now() - Duration::from_millis(1);
    assert!(matches!(settler.settle(sent(&job), past).await, Err(Error::Late)));
    tasks.stop().await;
    assert_eq!(store.storage.settle(&sent(&job)).await.unwrap(), Settled::Ended, "it is still held");
}

async fn stopping_settles_what_waits_and_refuses_what_comes_after(store: Store) {
    let jobs = leased(&store, 1..41).await;
    let (settler, tasks) = store.settler(2).await;
    let (settled, ()) = tokio::join!(settle_all(&settler, jobs.iter().map(sent).collect()), tasks.stop());
    assert!(settled.into_iter().all(|settled| settled.unwrap() == Settled::Ended));
    assert_eq!(store.number("SELECT count(*) FROM jobs").await, 0);
    let after = settler.settle(sent(&jobs[0]), soon()).await;
    assert!(matches!(after, Err(Error::Unavailable(_))), "{after:?}");
}

/// On SQLite a lock is of the whole file.
#[tokio::test]
async fn while_a_chat_or_a_job_is_locked_the_other_chats_are_settled() {
    for (locked, statement) in
        [(3, "SELECT FROM chats WHERE chat_id = 3 FOR UPDATE"), (4, "SELECT FROM jobs WHERE chat_id = 4 FOR UPDATE")]
    {
        let Some(store) = Store::postgres().await else { return };
        let jobs = leased(&store, 1..6).await;
        let (settler, tasks) = store.settler(BATCH_MAX).await;
        let mut holder = store.database().connect().await;
        let mut lock = holder.begin().await.unwrap();
        lock.execute(statement).await.unwrap();
        let (others, theirs): (Vec<_>, Vec<_>) = jobs.iter().map(sent).partition(|sent| sent.key != key(locked));
        let waiting = tokio::spawn({
            let (settler, theirs) = (settler.clone(), theirs.clone());
            async move { settle_all(&settler, theirs).await }
        });
        let settled = settle_all(&settler, others).await;
        assert!(settled.into_iter().all(|settled| settled.unwrap() == Settled::Ended), "while the lock is held");
        assert_eq!(store.number("SELECT count(*) FROM jobs").await, 1);
        assert!(!waiting.is_finished());
        if locked == 3 {
            assert_eq!(store.storage.settle(&theirs[0]).await.unwrap(), Settled::Busy);
        }
        lock.rollback().await.unwrap();
        assert_eq!(waiting.await.unwrap().remove(0).unwrap(), Settled::Ended, "once it can be had");
        tasks.stop().await;
    }
}

#[tokio::test]
async fn a_chat_that_stays_locked_is_left_at_the_deadline_and_its_lease_stands() {
    let Some(store) = Store::postgres().await else { return };
    let job = leased(&store, 1..2).await.remove(0);
    let (settler, tasks) = store.settler(BATCH_MAX).await;
    let mut holder = store.database().connect().await;
    let mut lock = holder.begin().await.unwrap();
    lock.execute("SELECT FROM chats FOR UPDATE").await.unwrap();
    let settled = settler.settle(sent(&job), Instant::now() + Duration::from_millis(300)).await;
    assert_eq!(settled.unwrap(), Settled::Busy);
    lock.rollback().await.unwrap();
    tasks.stop().await;
    assert_eq!(store.storage.settle(&sent(&job)).await.unwrap(), Settled::Ended, "nothing was settled later");
}

/// As long as a queue is empty, every index of it looks the same. What a sender that found nothing keeps of that must not
/// cost it a look at the whole queue for each job once there are many.
#[tokio::test]
async fn a_backlog_that_fills_an_empty_queue_is_read_by_key() {
    const JOBS: i64 = 20_000;
    let Some(store) = Store::postgres().await else { return };
    let (settler, tasks) = store.settler(BATCH_MAX).await;
    let job = leased(&store, 1..2).await.remove(0);
    for settled in [Settled::Ended, Settled::Lost] {
        assert_eq!(settler.settle(settlement(&job, DONE, Duration::ZERO), soon()).await.unwrap(), settled);
    }
    store.execute("VACUUM ANALYZE jobs").await;
    for _ in 0..10 {
        assert_eq!(lease_all(&store.storage).await, []);
        assert_eq!(settler.settle(settlement(&job, DONE, Duration::ZERO), soon()).await.unwrap(), Settled::Lost);
    }
    let fill = format!(
        "INSERT INTO jobs (bot_id, chat_id, position, serial, run_at, created_at, attempts, lane, key, place)
         SELECT 7, n, 511, 1, now(), now(), 0, 'outbound', 'screen', 'new' FROM generate_series(2, {JOBS}) AS n"
    );
    store.execute(&fill).await;
    let jobs = store.storage.lease_outbound(10, LEASE, &Default::default()).await.unwrap();
    assert_eq!(jobs.len(), 10);
    let settled = settle_all(&settler, jobs.iter().map(|job| settlement(job, DONE, Duration::ZERO)).collect()).await;
    assert!(settled.into_iter().all(|settled| settled.unwrap() == Settled::Ended));
    // A connection reports what it did when it ends, at the latest.
    tasks.stop().await;
    let of_jobs = async |what: &str| {
        store.number(&format!("SELECT {what} FROM pg_stat_user_tables AS t WHERE relname = 'jobs'")).await
    };
    let read = patience::until("the statistics have arrived", async || {
        let (leased, settled) = (of_jobs("n_tup_upd").await, of_jobs("n_tup_del").await);
        let read = "(SELECT sum(idx_tup_read)::bigint FROM pg_stat_user_indexes AS i WHERE i.relid = t.relid)";
        if (leased, settled) == (11, 11) { Some(of_jobs(read).await) } else { None }
    })
    .await;
    assert!(read < JOBS, "{read} entries of indexes were read for ten jobs");
}
