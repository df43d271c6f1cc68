//! The end of a lease: what is written, and what waits for how long.

use super::store::Store;
use super::words::*;
use std::time::Duration;
use tapgate::flow::decision::Place;
use tapgate::storage::{End, NewJob, Settled, Work};

on_every_backend! {
    a_confirmed_screen_is_written_and_its_job_goes
    a_job_to_be_tried_again_waits_and_counts_on
    a_job_to_be_tried_again_at_once_is
    a_held_chat_waits_with_all_its_jobs_and_others_do_not
    a_hold_survives_the_screen_that_replaces_its_job
    a_parked_job_waits_until_the_next_screen_replaces_it
    a_screen_sent_under_a_lost_lease_is_drawn_again_in_the_message_it_touched
    a_job_overwritten_while_it_was_leased_is_there_anew_however_its_lease_ends
    settling_never_touches_the_handlers_columns
}

const HOUR: Duration = Duration::from_secs(3600);

async fn a_confirmed_screen_is_written_and_its_job_goes(store: Store) {
    let storage = &store.storage;
    apply(storage, key(1), 1, vec![NewJob::Screen(Place::New)]).await;
    let job = lease_one(storage).await;
    assert_eq!(settle(storage, &job, End::Done { shown: Some(shown("menu", 1, 9)) }).await, Settled::Ended);
    assert_eq!(loaded(storage, key(1)).await.unwrap().chat.shown, Some(shown("menu", 1, 9)));
    assert_eq!(store.number("SELECT count(*) FROM jobs").await, 0);
    apply(storage, key(1), 2, vec![task("content")]).await;
    let job = lease_one(storage).await;
    assert_eq!(settle(storage, &job, DONE).await, Settled::Ended);
    let shown_before = loaded(storage, key(1)).await.unwrap().chat.shown;
    assert_eq!(shown_before, Some(shown("menu", 1, 9)), "content does not change what is shown");
}

async fn a_job_to_be_tried_again_waits_and_counts_on(store: Store) {
    let storage = &store.storage;
    apply(storage, key(1), 1, vec![task("1"), task("2")]).await;
    let job = lease_one(storage).await;
    assert_eq!(settle(storage, &job, again(HOUR)).await, Settled::Ended);
    assert_eq!(lease_all(storage).await, [], "and what is behind it waits as well");
    store.time_passes().await;
    let job = lease_one(storage).await;
    assert_eq!((job.work, job.attempts), (Work::Task("1".into()), 2));
}

async fn a_job_to_be_tried_again_at_once_is(store: Store) {
    apply(&store.storage, key(1), 1, vec![task("1")]).await;
    let job = lease_one(&store.storage).await;
    assert_eq!(settle(&store.storage, &job, again(Duration::ZERO)).await, Settled::Ended);
    assert_eq!(lease_one(&store.storage).await.attempts, 2);
}

async fn a_held_chat_waits_with_all_its_jobs_and_others_do_not(store: Store) {
    let storage = &store.storage;
    apply(storage, key(1), 1, vec![task("held")]).await;
    let job = lease_one(storage).await;
    assert_eq!(settle(storage, &job, End::Again { after: HOUR, hold: true }).await, Settled::Ended);
    apply(storage, key(2), 2, vec![task("other")]).await;
    assert_eq!(lease_one(storage).await.key, key(2));
    store.time_passes().await;
    assert!(works(&lease_all(storage).await).contains(&Work::Task("held".into())));
}

async fn a_hold_survives_the_screen_that_replaces_its_job(store: Store) {
    let storage = &store.storage;
    apply(storage, key(1), 1, vec![NewJob::Screen(Place::New)]).await;
    let job = lease_one(storage).await;
    settle(storage, &job, End::Again { after: HOUR, hold: true }).await;
    apply(storage, key(1), 2, vec![NewJob::Screen(Place::New)]).await;
    assert_eq!(lease_all(storage).await, [], "Telegram asked the chat to wait, whatever is to be shown");
    store.time_passes().await;
    assert_eq!(lease_one(storage).await.serial.0, 2);
}

async fn a_screen_sent_under_a_lost_lease_is_drawn_again_in_the_message_it_touched(store: Store) {
    let storage = &store.storage;
    let late_end = End::Done { shown: Some(shown("menu", 1, 9)) };
    apply(storage, key(1), 1, vec![NewJob::Screen(Place::New)]).await;
    let late = lease_one(storage).await;
    store.time_passes().await;
    let other = lease_one(storage).await;
    assert_eq!(settle(storage, &late, late_end.clone()).await, Settled::Lost, "and what is pending shows it anyhow");
    assert_eq!(store.number("SELECT count(*) FROM jobs").await, 1);
    settle(storage, &other, End::Done { shown: Some(shown("menu", 1, 10)) }).await;

    assert_eq!(settle(storage, &late, again(Duration::ZERO)).await, Settled::Lost);
    assert_eq!(lease_all(storage).await, [], "nothing was sent, nothing is to be mended");
    assert_eq!(settle(storage, &late, late_end).await, Settled::Lost);
    let redraw = lease_one(storage).await;
    assert_eq!((redraw.work, redraw.serial.0), (Work::Screen(message(9)), 1));
    assert_eq!(loaded(storage, key(1)).await.unwrap().chat.shown, Some(shown("menu", 1, 10)), "Lost writes no shown");
}

async fn a_parked_job_waits_until_the_next_screen_replaces_it(store: Store) {
    let storage = &store.storage;
    apply(storage, key(1), 1, vec![NewJob::Screen(Place::New)]).await;
    let job = lease_one(storage).await;
    assert_eq!(settle(storage, &job, End::Parked).await, Settled::Ended);
    store.time_passes().await;
    assert_eq!(lease_all(storage).await, []);
    apply(storage, key(1), 2, vec![NewJob::Screen(Place::Shown)]).await;
    let job = lease_one(storage).await;
    assert_eq!((job.attempts, job.serial.0), (1, 2));
}

async fn a_job_overwritten_while_it_was_leased_is_there_anew_however_its_lease_ends(store: Store) {
    let storage = &store.storage;
    let ends = [DONE, again(HOUR), End::Parked, End::Again { after: HOUR, hold: true }];
    for (chat, end) in (1..).zip(ends) {
        apply(storage, key(chat), 1, vec![NewJob::Screen(Place::New)]).await;
        let job = lease_one(storage).await;
        apply(storage, key(chat), 2, vec![NewJob::Screen(Place::New)]).await;
        assert_eq!(settle(storage, &job, end.clone()).await, Settled::Renewed);
        if end == (End::Again { after: HOUR, hold: true }) {
            assert_eq!(lease_all(storage).await, [], "the hold stands");
            store.execute("UPDATE chats SET hold_until = NULL").await;
        }
        let anew = lease_one(storage).await;
        assert_eq!((anew.serial.0, anew.attempts), (2, 1), "{end:?}");
    }
}

async fn settling_never_touches_the_handlers_columns(store: Store) {
    let storage = &store.storage;
    apply(storage, key(1), 1, vec![NewJob::Screen(Place::New)]).await;
    let before = loaded(storage, key(1)).await.unwrap();
    let job = lease_one(storage).await;
    settle(storage, &job, End::Done { shown: Some(shown("menu", 1, 9)) }).await;
    let mut after = loaded(storage, key(1)).await.unwrap();
    after.chat.shown = None;
    assert_eq!(after, before);
    assert_eq!(
        storage.commit(&commit_on(Some(&before), key(1), 2)).await.unwrap(),
        tapgate::storage::Outcome::Applied,
        "a handler that read before the settle is not stale"
    );
}
