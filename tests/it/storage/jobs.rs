//! Jobs: queued with their commit, leased in order, one of a chat at a time.

use super::store::Store;
use super::words::*;
use std::time::Duration;
use tapgate::flow::decision::Place;
use tapgate::storage::{Allowed, End, JobId, Lane, LeaseToken, NewJob, Reach, Retried, Settled, Standing, Work};
use tapgate::telegram::id::BotId;

on_every_backend! {
    only_the_first_job_of_a_chat_is_leased_and_in_commit_order
    a_screen_stands_after_what_was_queued_with_it
    an_expired_lease_is_leased_again_and_its_token_no_longer_fits
    a_renewed_lease_is_held_and_a_lost_one_is_not
    no_more_are_leased_than_asked_for_and_none_twice
    lanes_are_counted_with_their_oldest_job
    a_job_that_cannot_be_read_stops_no_other
    jobs_are_listed_with_where_they_stand
    a_job_that_waits_is_made_due_and_one_in_work_is_left_alone
    one_job_is_shown_with_what_it_carries
}

async fn only_the_first_job_of_a_chat_is_leased_and_in_commit_order(store: Store) {
    let storage = &store.storage;
    apply(storage, key(1), 1, vec![task("1"), task("2")]).await;
    apply(storage, key(1), 2, vec![task("3")]).await;
    apply(storage, key(2), 3, vec![task("other")]).await;
    let jobs = lease_all(storage).await;
    assert_eq!(works(&jobs), [Work::Task("1".into()), Work::Task("other".into())]);
    assert_eq!((jobs[0].key, jobs[0].attempts, jobs[0].serial.0), (key(1), 1, 1));
    assert_eq!(lease_all(storage).await, [], "the first is in hand");
    for expected in ["2", "3"] {
        let job = if expected == "2" { jobs[0].clone() } else { lease_one_left(&store).await };
        assert_eq!(settle(storage, &job, DONE).await, Settled::Ended);
        store.time_passes().await;
        let next = lease_all(storage).await;
        assert!(works(&next).contains(&Work::Task(expected.into())), "{next:?}");
        store.time_passes().await;
    }
}

/// The first job of chat 1 that is left, in hand.
async fn lease_one_left(store: &Store) -> tapgate::storage::LeasedJob {
    lease_all(&store.storage).await.into_iter().find(|job| job.key == key(1)).unwrap()
}

async fn a_screen_stands_after_what_was_queued_with_it(store: Store) {
    apply(&store.storage, key(1), 1, vec![NewJob::Screen(Place::New), task("content")]).await;
    let content = lease_one(&store.storage).await;
    assert_eq!(content.work, Work::Task("content".into()));
    settle(&store.storage, &content, DONE).await;
    assert_eq!(lease_one(&store.storage).await.work, Work::Screen(Place::New));
}

async fn an_expired_lease_is_leased_again_and_its_token_no_longer_fits(store: Store) {
    let storage = &store.storage;
    apply(storage, key(1), 1, vec![NewJob::Screen(Place::New)]).await;
    let first = lease_one(storage).await;
    store.time_passes().await;
    let second = lease_one(storage).await;
    assert_eq!((second.id, second.attempts), (first.id, 2));
    assert_ne!(second.token, first.token);
    let before = (store.dump("chats").await, store.dump("jobs").await);
    for end in [DONE, End::Again { after: LEASE, hold: true }, End::Refused { reach: Reach::Reachable }] {
        assert_eq!(settle(storage, &first, end).await, Settled::Lost);
    }
    assert_eq!((store.dump("chats").await, store.dump("jobs").await), before, "nothing was written");
    store.time_passes().await;
    assert_eq!(settle(storage, &second, DONE).await, Settled::Ended, "late, but nobody else has it");
    assert_eq!(settle(storage, &second, DONE).await, Settled::Lost);
}

async fn a_renewed_lease_is_held_and_a_lost_one_is_not(store: Store) {
    let storage = &store.storage;
    apply(storage, key(1), 1, vec![task("1")]).await;
    apply(storage, key(2), 2, vec![task("2")]).await;
    let jobs = lease_all(storage).await;
    store.time_passes().await;
    let stranger = LeaseToken(jobs[1].token.0.wrapping_add(1));
    let leases = [(jobs[1].id, stranger), (jobs[0].id, jobs[0].token), (JobId(4711), jobs[0].token)];
    assert_eq!(storage.renew(&leases, LEASE).await.unwrap(), [false, true, false]);
    assert_eq!(lease_one(storage).await.id, jobs[1].id, "only the one not renewed can be had");
    assert_eq!(storage.renew(&[], LEASE).await.unwrap(), [false; 0]);
}

async fn no_more_are_leased_than_asked_for_and_none_twice(store: Store) {
    for chat in 1..=20 {
        apply(&store.storage, key(chat), chat, vec![task("{}")]).await;
    }
    let other = store.of_another_process().await;
    let all = Allowed::default();
    let mut ids = Vec::new();
    while ids.len() < 20 {
        let (ours, theirs) =
            tokio::join!(store.storage.lease_outbound(3, LEASE, &all), other.lease_outbound(3, LEASE, &all));
        let (ours, theirs) = (ours.unwrap(), theirs.unwrap());
        assert!(ours.len() <= 3 && theirs.len() <= 3 && ours.len() + theirs.len() > 0);
        ids.extend(ours.iter().chain(&theirs).map(|job| job.id));
    }
    let leased = ids.len();
    ids.sort();
    ids.dedup();
    assert_eq!((leased, ids.len()), (20, 20));
}

async fn lanes_are_counted_with_their_oldest_job(store: Store) {
    assert_eq!(store.storage.depths().await.unwrap(), []);
    let image = NewJob::Task { lane: Lane::Image, payload: "{}".into() };
    apply(&store.storage, key(1), 1, vec![image, task("1"), task("2")]).await;
    lease_all(&store.storage).await;
    let mut depths = store.storage.depths().await.unwrap();
    depths.sort_by_key(|depth| depth.lane);
    let counted: Vec<_> = depths.iter().map(|depth| (depth.lane, depth.depth)).collect();
    assert_eq!(counted, [(Lane::Outbound, 2), (Lane::Image, 1)]);
    // The commits of these cases were decided in November 2023.
    assert!(depths.iter().all(|depth| depth.oldest > Duration::from_secs(24 * 3600)), "{depths:?}");
}

async fn a_job_that_cannot_be_read_stops_no_other(store: Store) {
    apply(&store.storage, key(1), 1, vec![NewJob::Screen(Place::New)]).await;
    store.execute("UPDATE jobs SET place = 'of a newer program'").await;
    apply(&store.storage, key(2), 2, vec![task("fine")]).await;
    assert_eq!(lease_one(&store.storage).await.work, Work::Task("fine".into()));
}

async fn jobs_are_listed_with_where_they_stand(store: Store) {
    let storage = &store.storage;
    let bot = key(1).bot;
    apply(storage, key(2), 2, vec![task("again")]).await;
    let failed = lease_one(storage).await;
    settle(storage, &failed, again(Duration::from_secs(3600))).await;
    apply(storage, key(1), 1, vec![NewJob::Screen(Place::New)]).await;
    lease_one(storage).await;
    apply(storage, key(3), 3, vec![task("leased"), task("behind it")]).await;
    lease_one(storage).await;
    let listed = storage.jobs(bot, 10).await.unwrap();
    let standings: Vec<_> = listed.iter().map(|job| (job.chat.0, job.place.as_deref(), job.standing)).collect();
    assert!(
        matches!(
            standings[..],
            [
                (1, Some("new"), Standing::Leased(_)),
                (2, None, Standing::Waits(_)),
                (3, None, Standing::Leased(_)),
                (3, None, Standing::Due)
            ]
        ),
        "{standings:?}"
    );
    assert_eq!(storage.jobs(bot, 2).await.unwrap().len(), 2);
    assert_eq!(storage.jobs(tapgate::telegram::id::BotId(8), 10).await.unwrap(), []);
}

async fn a_job_that_waits_is_made_due_and_one_in_work_is_left_alone(store: Store) {
    let storage = &store.storage;
    let bot = key(1).bot;
    apply(storage, key(1), 1, vec![task("again")]).await;
    let job = lease_one(storage).await;
    settle(storage, &job, again(Duration::from_secs(3600))).await;
    assert_eq!(lease_all(storage).await, []);
    assert_eq!(storage.retry_job(BotId(8), job.id).await.unwrap(), Retried::Gone, "it is another bot's");
    assert_eq!(storage.retry_job(bot, job.id).await.unwrap(), Retried::Due);
    let leased = lease_one(storage).await;
    assert_eq!((leased.id, leased.attempts), (job.id, 2));
    assert_eq!(storage.retry_job(bot, job.id).await.unwrap(), Retried::Leased);
    assert_eq!(settle(storage, &leased, DONE).await, Settled::Ended, "the lease was left alone");
    assert_eq!(storage.retry_job(bot, job.id).await.unwrap(), Retried::Gone);
}

async fn one_job_is_shown_with_what_it_carries(store: Store) {
    let storage = &store.storage;
    apply(storage, key(1), 1, vec![task(r#"{"text":"hello"}"#), NewJob::Screen(Place::New)]).await;
    let listed = storage.jobs(key(1).bot, 10).await.unwrap();
    for (job, payload) in listed.iter().zip([Some(r#"{"text":"hello"}"#.to_owned()), None]) {
        let shown = storage.job(key(1).bot, job.id).await.unwrap().unwrap();
        assert_eq!((shown.listed.id, shown.listed.lane, shown.payload), (job.id, job.lane, payload));
        assert_eq!(storage.job(BotId(8), job.id).await.unwrap(), None);
    }
}
