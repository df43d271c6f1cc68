//! The end of a lease: what is written, and what waits for how long.

use super::store::Store;
use super::words::*;
use std::time::Duration;
use tapgate::flow::chat::{Chat, Version};
use tapgate::flow::decision::Place;
use tapgate::storage::{Allowed, Commit, End, Ends, Key, LeaseToken, NewJob, Outcome, Reach, Settled, Work};
use tapgate::telegram::answer::Answer;
use tapgate::telegram::id::{BotId, ChatId};

on_every_backend! {
    a_confirmed_screen_is_written_and_its_job_goes
    a_job_to_be_tried_again_waits_and_counts_on
    a_job_to_be_tried_again_at_once_is
    a_held_chat_waits_with_all_its_jobs_and_others_do_not
    a_hold_survives_the_screen_that_replaces_its_job
    a_refused_job_goes_and_its_chat_is_unreachable_up_to_it
    a_commit_ends_the_job_that_it_is_about_or_does_not_apply
    a_commit_does_not_end_a_job_that_was_replaced_meanwhile
    a_commit_that_ends_a_screen_may_queue_another
    a_chat_that_is_too_far_ahead_of_its_pace_waits_and_no_other
    jobs_of_bots_that_wait_are_left_alone
    one_job_is_leased_by_its_id_unless_it_is_in_other_hands
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
    assert_eq!(settle(storage, &late, late_end.clone()).await, Settled::Lost);
    assert_eq!(store.number("SELECT count(*) FROM jobs").await, 1);
    // What was sent late may have landed after what the other sends, too.
    let shown_by_the_other = End::Done { shown: Some(shown("menu", 1, 10)) };
    assert_eq!(settle(storage, &other, shown_by_the_other.clone()).await, Settled::Renewed);
    let redraw = lease_one(storage).await;
    assert_eq!(redraw.work, Work::Screen(Place::Shown));
    assert_eq!(settle(storage, &redraw, shown_by_the_other).await, Settled::Ended);

    assert_eq!(settle(storage, &late, again(Duration::ZERO)).await, Settled::Lost);
    assert_eq!(lease_all(storage).await, [], "nothing was sent, nothing is to be mended");
    assert_eq!(settle(storage, &late, late_end).await, Settled::Lost);
    let redraw = lease_one(storage).await;
    assert_eq!((redraw.work, redraw.serial.0), (Work::Screen(message(9)), 1));
    assert_eq!(loaded(storage, key(1)).await.unwrap().chat.shown, Some(shown("menu", 1, 10)), "Lost writes no shown");
}

async fn a_refused_job_goes_and_its_chat_is_unreachable_up_to_it(store: Store) {
    let storage = &store.storage;
    let unreachable = "SELECT coalesce(unreachable_revision, 0) FROM chats";
    for (update, reach, expected) in [(1, Reach::Reachable, 0), (2, Reach::Unreachable, 2), (3, Reach::Reachable, 2)] {
        apply(storage, key(1), update, vec![NewJob::Screen(Place::New)]).await;
        let job = lease_one(storage).await;
        assert_eq!(settle(storage, &job, End::Refused { reach }).await, Settled::Ended);
        assert_eq!(store.number("SELECT count(*) FROM jobs").await, 0);
        assert_eq!(store.number(unreachable).await, expected);
    }
}

async fn a_commit_ends_the_job_that_it_is_about_or_does_not_apply(store: Store) {
    let storage = &store.storage;
    apply(storage, key(1), 1, vec![NewJob::Screen(Place::New)]).await;
    let job = lease_one(storage).await;
    let read = loaded(storage, key(1)).await;
    let revert = || Commit { update: None, ..commit_on(read.as_ref(), key(1), 1) };
    let before = (store.dump("chats").await, store.dump("jobs").await);

    let foreign = Ends { token: LeaseToken(job.token.0 ^ 1), ..job.ends(Reach::Unreachable) };
    let nothing = Outcome::Duplicate { answer: Answer::EMPTY };
    assert_eq!(storage.commit_and_end(&revert(), foreign).await.unwrap(), nothing);
    let stale = commit_on(None, key(1), 1);
    let stale = Commit { update: None, chat: Chat { version: Version(7), ..stale.chat.clone() }, ..stale };
    assert_eq!(storage.commit_and_end(&stale, job.ends(Reach::Unreachable)).await.unwrap(), Outcome::Stale);
    assert_eq!((store.dump("chats").await, store.dump("jobs").await), before, "nothing is written by halves");

    let applied = storage.commit_and_end(&revert(), job.ends(Reach::Unreachable)).await.unwrap();
    assert_eq!(applied, Outcome::Applied);
    assert_eq!(store.number("SELECT count(*) FROM jobs").await, 0);
    assert_eq!(store.number("SELECT unreachable_revision FROM chats").await, 1);
    assert_eq!(loaded(storage, key(1)).await.unwrap().chat.version.0, 2);
    assert_eq!(storage.commit_and_end(&revert(), job.ends(Reach::Reachable)).await.unwrap(), nothing, "once");
}

async fn a_commit_does_not_end_a_job_that_was_replaced_meanwhile(store: Store) {
    let storage = &store.storage;
    apply(storage, key(1), 1, vec![NewJob::Screen(Place::New)]).await;
    let job = lease_one(storage).await;
    apply(storage, key(1), 2, vec![NewJob::Screen(Place::New)]).await;
    let read = loaded(storage, key(1)).await;
    let revert = Commit { update: None, ..commit_on(read.as_ref(), key(1), 3) };
    let outcome = storage.commit_and_end(&revert, job.ends(Reach::Reachable)).await.unwrap();
    assert_eq!(outcome, Outcome::Duplicate { answer: Answer::EMPTY });
    assert_eq!(settle(storage, &job, End::Refused { reach: Reach::Reachable }).await, Settled::Renewed);
    assert_eq!(lease_one(storage).await.serial.0, 2);
}

async fn a_commit_that_ends_a_screen_may_queue_another(store: Store) {
    let storage = &store.storage;
    apply(storage, key(1), 1, vec![NewJob::Screen(Place::New)]).await;
    let job = lease_one(storage).await;
    let read = loaded(storage, key(1)).await;
    let next = with_jobs(commit_on(read.as_ref(), key(1), 2), vec![NewJob::Screen(Place::Shown)]);
    let outcome = storage.commit_and_end(&next, job.ends(Reach::Reachable)).await.unwrap();
    assert_eq!(outcome, Outcome::Applied);
    let job = lease_one(storage).await;
    assert_eq!((job.work, job.serial.0, job.attempts), (Work::Screen(Place::Shown), 2, 1));
}

async fn a_chat_that_is_too_far_ahead_of_its_pace_waits_and_no_other(store: Store) {
    let storage = &store.storage;
    let allowed = Allowed { ahead: 2 * HOUR, except: vec![] };
    let sent = async |update| {
        apply(storage, key(1), update, vec![NewJob::Screen(Place::Shown)]).await;
        let job = storage.lease_outbound(100, LEASE, &allowed).await.unwrap().pop()?;
        settle_paced(storage, &job, DONE, HOUR).await;
        Some(())
    };
    for update in 1..=3 {
        assert!(sent(update).await.is_some(), "three at once");
    }
    // The fourth is three hours after the first.
    assert!(sent(4).await.is_none());
    apply(storage, key(2), 5, vec![NewJob::Screen(Place::New)]).await;
    let others = storage.lease_outbound(100, LEASE, &allowed).await.unwrap();
    assert_eq!(others.iter().map(|job| job.key).collect::<Vec<_>>(), [key(2)]);
    assert_eq!(
        storage.lease_outbound(100, LEASE, &Allowed::default()).await.unwrap().len(),
        1,
        "without a pace it goes"
    );
}

async fn jobs_of_bots_that_wait_are_left_alone(store: Store) {
    let storage = &store.storage;
    apply(storage, key(1), 1, vec![NewJob::Screen(Place::New)]).await;
    let other = Key { bot: BotId(8), chat: ChatId(1) };
    apply(storage, other, 1, vec![NewJob::Screen(Place::New)]).await;
    let allowed = Allowed { except: vec![BotId(7), BotId(9)], ..Allowed::default() };
    let leased = storage.lease_outbound(100, LEASE, &allowed).await.unwrap();
    assert_eq!(leased.iter().map(|job| job.key).collect::<Vec<_>>(), [other]);
}

async fn one_job_is_leased_by_its_id_unless_it_is_in_other_hands(store: Store) {
    let storage = &store.storage;
    apply(storage, key(1), 1, vec![NewJob::Screen(Place::New)]).await;
    let job = lease_one(storage).await;
    settle(storage, &job, again(HOUR)).await;
    assert_eq!(storage.lease_one(BotId(8), job.id, LEASE).await.unwrap(), None, "another bot's");
    let taken = storage.lease_one(key(1).bot, job.id, LEASE).await.unwrap().unwrap();
    assert_eq!((taken.id, taken.serial, taken.attempts), (job.id, job.serial, 2), "due or not");
    assert_eq!(storage.lease_one(key(1).bot, job.id, LEASE).await.unwrap(), None);
}

async fn a_job_overwritten_while_it_was_leased_is_there_anew_however_its_lease_ends(store: Store) {
    let storage = &store.storage;
    let ends = [DONE, again(HOUR), End::Refused { reach: Reach::Reachable }, End::Again { after: HOUR, hold: true }];
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
