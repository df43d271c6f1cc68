//! The screen job: at most one a chat, the newest wins, a lease is never taken from its sender.

use super::store::Store;
use super::words::*;
use tapgate::flow::decision::Place;
use tapgate::storage::{Allowed, End, NewJob, Settled, Work};

on_every_backend! {
    one_that_waits_is_queued_anew_at_the_end_with_its_attempts_reset
    one_that_is_leased_is_overwritten_and_keeps_its_lease
    one_whose_lease_expired_counts_as_waiting
    one_that_is_due_keeps_its_turn_among_the_chats
    a_place_replaces_any_but_shown_replaces_none
    the_last_of_one_commit_counts
    a_renewed_one_goes_behind_what_was_queued_with_it
}

fn screen(place: Place) -> Vec<NewJob> {
    vec![NewJob::Screen(place)]
}

async fn one_that_waits_is_queued_anew_at_the_end_with_its_attempts_reset(store: Store) {
    let storage = &store.storage;
    apply(storage, key(1), 1, screen(Place::New)).await;
    let job = lease_one(storage).await;
    settle(storage, &job, again(LEASE)).await;
    apply(storage, key(1), 2, vec![task("content")]).await;
    assert_eq!(lease_all(storage).await, [], "the screen is first, and waits");
    apply(storage, key(1), 3, screen(message(5))).await;
    let content = lease_one(storage).await;
    assert_eq!(content.work, Work::Task("content".into()));
    settle(storage, &content, DONE).await;
    let job = lease_one(storage).await;
    assert_eq!((job.work, job.attempts, job.serial.0), (Work::Screen(message(5)), 1, 3));
    assert_eq!(store.number("SELECT count(*) FROM jobs").await, 1);
}

async fn one_that_is_leased_is_overwritten_and_keeps_its_lease(store: Store) {
    let storage = &store.storage;
    apply(storage, key(1), 1, screen(Place::New)).await;
    let job = lease_one(storage).await;
    apply(storage, key(1), 2, screen(message(5))).await;
    assert_eq!(lease_all(storage).await, [], "it is still in hand");
    assert_eq!(storage.renew(&[(job.id, job.token)], LEASE).await.unwrap(), [true]);
    let end = End::Done { shown: Some(shown("menu", 1, 9)) };
    assert_eq!(settle(storage, &job, end).await, Settled::Renewed);
    assert_eq!(loaded(storage, key(1)).await.unwrap().chat.shown, Some(shown("menu", 1, 9)));
    let renewed = lease_one(storage).await;
    assert_eq!((renewed.work.clone(), renewed.attempts, renewed.serial.0), (Work::Screen(message(5)), 1, 2));
    assert_eq!(settle(storage, &renewed, DONE).await, Settled::Ended);
    assert_eq!(store.number("SELECT count(*) FROM jobs").await, 0);
}

async fn one_whose_lease_expired_counts_as_waiting(store: Store) {
    let storage = &store.storage;
    apply(storage, key(1), 1, screen(Place::New)).await;
    let job = lease_one(storage).await;
    store.time_passes().await;
    apply(storage, key(1), 2, screen(Place::New)).await;
    assert_eq!(settle(storage, &job, DONE).await, Settled::Lost);
    assert_eq!(storage.renew(&[(job.id, job.token)], LEASE).await.unwrap(), [false]);
    let anew = lease_one(storage).await;
    assert_eq!((anew.attempts, anew.serial.0), (1, 2));
}

async fn one_that_is_due_keeps_its_turn_among_the_chats(store: Store) {
    let storage = &store.storage;
    for chat in [1, 2] {
        apply(storage, key(chat), 1, screen(Place::New)).await;
    }
    apply(storage, key(1), 2, screen(message(5))).await;
    let first = storage.lease_outbound(1, LEASE, &Allowed::default()).await.unwrap().remove(0);
    assert_eq!((first.key, first.serial.0), (key(1), 2));
}

async fn a_place_replaces_any_but_shown_replaces_none(store: Store) {
    let storage = &store.storage;
    let cases = [
        (Place::New, Place::Shown, Place::New),
        (message(5), Place::Shown, message(5)),
        (Place::Shown, Place::Shown, Place::Shown),
        (Place::Shown, Place::New, Place::New),
        (Place::New, message(5), message(5)),
        (message(5), Place::New, Place::New),
        (message(5), message(6), message(6)),
    ];
    for (chat, (first, second, expected)) in (1..).zip(cases) {
        apply(storage, key(chat), 1, screen(first)).await;
        apply(storage, key(chat), 2, screen(second)).await;
        let waiting = lease_one(storage).await;
        assert_eq!(waiting.work, Work::Screen(expected), "{second} over {first} that waits");
        // The same while it is leased.
        let chat = chat + 100;
        apply(storage, key(chat), 1, screen(first)).await;
        let job = lease_one(storage).await;
        apply(storage, key(chat), 2, screen(second)).await;
        assert_eq!(settle(storage, &job, DONE).await, Settled::Renewed);
        let renewed = lease_one(storage).await;
        assert_eq!(renewed.work, Work::Screen(expected), "{second} over {first} that is leased");
        assert_eq!(renewed.serial.0, 2, "even where the place stays, what is desired is newer");
    }
}

async fn the_last_of_one_commit_counts(store: Store) {
    let jobs = [Place::Shown, message(5), Place::New, Place::Shown].map(NewJob::Screen).to_vec();
    apply(&store.storage, key(1), 1, jobs).await;
    assert_eq!(lease_one(&store.storage).await.work, Work::Screen(Place::New));
}

async fn a_renewed_one_goes_behind_what_was_queued_with_it(store: Store) {
    let storage = &store.storage;
    apply(storage, key(1), 1, screen(Place::New)).await;
    let job = lease_one(storage).await;
    apply(storage, key(1), 2, vec![task("content"), NewJob::Screen(Place::New)]).await;
    apply(storage, key(1), 3, vec![task("later")]).await;
    assert_eq!(settle(storage, &job, DONE).await, Settled::Renewed);
    let mut order = Vec::new();
    for _ in 0..3 {
        let job = lease_one(storage).await;
        order.push(job.work.clone());
        settle(storage, &job, DONE).await;
    }
    assert_eq!(order, [Work::Task("content".into()), Work::Screen(Place::New), Work::Task("later".into())]);
}
