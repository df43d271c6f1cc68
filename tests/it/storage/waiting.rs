//! What chats are told of the jobs that they wait for: progress, and places.

use super::store::Store;
use super::words::*;
use std::time::Duration;
use tapgate::flow::decision::Place;
use tapgate::storage::{
    AHEAD_MAX, Allowed, End, Key, Lane, LeaseToken, NewJob, Reach, Redraw, Settled, Storage, TASKS_MAX, Waiting, Work,
};

on_every_backend! {
    progress_is_written_by_who_holds_the_job
    a_redraw_waits_for_the_pace_of_its_chat_and_changes_no_screen_that_is_pending
    what_changes_while_a_screen_is_sent_is_drawn_after_it
    a_screen_of_a_later_commit_pulls_a_redraw_forward
    a_job_leased_anew_has_made_nothing_yet
    places_are_counted_in_the_order_in_which_bots_take_turns
    a_place_far_behind_is_said_to_be_so_far_behind
    chats_are_told_their_places_when_they_change_and_only_then
    a_chat_whose_place_is_shown_is_not_told_it_again
    places_are_told_as_far_down_as_asked_for_and_so_many_at_once
}

async fn waiting(storage: &Storage, key: Key) -> Waiting {
    storage.waiting(key, "1.0").await.unwrap().expect("its job is there")
}

async fn progress_is_written_by_who_holds_the_job(store: Store) {
    let storage = &store.storage;
    apply(storage, key(1), 1, vec![text("{}")]).await;
    let job = lease_text(storage, 1).await.remove(0);
    assert_eq!(waiting(storage, key(1)).await, Waiting { ahead: 0, leased: true, progress: None });
    assert!(storage.progress(job.id, job.token, "Once", Redraw::NotYet).await.unwrap());
    assert_eq!(waiting(storage, key(1)).await.progress.as_deref(), Some("Once"));
    assert_eq!(lease_all(storage).await, [], "nothing is drawn because of it");
    let stranger = LeaseToken(job.token.0.wrapping_add(1));
    assert!(!storage.progress(job.id, stranger, "Twice", Redraw::Due).await.unwrap());
    assert_eq!(lease_all(storage).await, []);
    assert!(storage.progress(job.id, job.token, "Once upon", Redraw::Due).await.unwrap());
    assert_eq!(waiting(storage, key(1)).await.progress.as_deref(), Some("Once upon"));
    let redraw = lease_one(storage).await;
    assert_eq!((redraw.work, redraw.serial.0, redraw.name.as_str()), (Work::Screen(Place::Shown), 1, "screen"));
    settle(storage, &job, DONE).await;
    assert!(!storage.progress(job.id, job.token, "late", Redraw::Due).await.unwrap());
    assert_eq!(storage.waiting(key(1), "1.0").await.unwrap(), None);
}

async fn a_redraw_waits_for_the_pace_of_its_chat_and_changes_no_screen_that_is_pending(store: Store) {
    let storage = &store.storage;
    apply(storage, key(1), 1, vec![text("{}"), NewJob::Screen(Place::New)]).await;
    let job = lease_text(storage, 1).await.remove(0);
    let draw = async || assert!(storage.progress(job.id, job.token, "text", Redraw::Due).await.unwrap());
    draw().await;
    let screen = lease_one(storage).await;
    assert_eq!(screen.work, Work::Screen(Place::New), "the one that is pending");
    let end = End::Done { shown: Some(shown("menu", 1, 9)) };
    assert_eq!(settle_paced(storage, &screen, end, LEASE).await, Settled::Ended);

    draw().await;
    let allowed = Allowed::default();
    assert_eq!(storage.lease_outbound(10, LEASE, &allowed).await.unwrap(), [], "however far ahead a chat may be");
    assert_eq!(store.number("SELECT count(*) FROM jobs WHERE lane = 'outbound'").await, 1);
    store.time_passes().await;
    assert_eq!(lease_one(storage).await.work, Work::Screen(Place::Shown));
}

async fn what_changes_while_a_screen_is_sent_is_drawn_after_it(store: Store) {
    let storage = &store.storage;
    apply(storage, key(1), 1, vec![text("{}"), NewJob::Screen(Place::New)]).await;
    let job = lease_text(storage, 1).await.remove(0);
    let draw = async || assert!(storage.progress(job.id, job.token, "text", Redraw::Due).await.unwrap());
    let end = End::Done { shown: Some(shown("menu", 1, 9)) };
    let screen = lease_one(storage).await;
    draw().await;
    draw().await;
    assert_eq!(settle_paced(storage, &screen, end.clone(), LEASE).await, Settled::Renewed);
    assert_eq!(lease_all(storage).await, [], "it waits for the pace of its chat");
    store.time_passes().await;
    let redraw = lease_one(storage).await;
    assert_eq!((redraw.work.clone(), redraw.serial.0, redraw.attempts), (Work::Screen(Place::Shown), 1, 1));
    assert_eq!(settle(storage, &redraw, end.clone()).await, Settled::Ended, "it has shown what there is");

    let drawing = async || {
        draw().await;
        store.time_passes().await;
        let redraw = lease_one(storage).await;
        draw().await;
        redraw
    };
    // Tried again, it draws what there is then, and keeps its delay.
    let failed = drawing().await;
    assert_eq!(settle(storage, &failed, again(LEASE)).await, Settled::Ended);
    assert_eq!(lease_all(storage).await, []);
    store.time_passes().await;
    let retried = lease_one(storage).await;
    assert_eq!(retried.attempts, 2);
    // Where nothing arrives, nothing is drawn after it.
    draw().await;
    assert_eq!(settle(storage, &retried, End::Refused { reach: Reach::Unreachable }).await, Settled::Ended);
    // Its lease is over, and nobody else has taken it.
    let late = drawing().await;
    store.time_passes().await;
    draw().await;
    assert_eq!(settle(storage, &late, end.clone()).await, Settled::Renewed);
    store.time_passes().await;
    let last = lease_one(storage).await;
    assert_eq!(settle(storage, &last, end.clone()).await, Settled::Ended);
    // The screen of a commit that comes meanwhile is the one that counts.
    let replaced = drawing().await;
    apply(storage, key(1), 2, vec![NewJob::Screen(message(9))]).await;
    assert_eq!(settle(storage, &replaced, end.clone()).await, Settled::Renewed);
    let screen = lease_one(storage).await;
    assert_eq!((screen.work.clone(), screen.serial.0), (Work::Screen(message(9)), 2));
    assert_eq!(settle(storage, &screen, end).await, Settled::Ended);
    assert_eq!(store.number("SELECT count(*) FROM jobs WHERE lane = 'outbound'").await, 0);
}

async fn a_screen_of_a_later_commit_pulls_a_redraw_forward(store: Store) {
    let storage = &store.storage;
    apply(storage, key(1), 1, vec![text("{}"), NewJob::Screen(Place::New)]).await;
    let job = lease_text(storage, 1).await.remove(0);
    let screen = lease_one(storage).await;
    settle_paced(storage, &screen, End::Done { shown: Some(shown("menu", 1, 9)) }, LEASE).await;
    storage.progress(job.id, job.token, "text", Redraw::Due).await.unwrap();
    assert_eq!(lease_all(storage).await, []);
    apply(storage, key(1), 2, vec![NewJob::Screen(message(9))]).await;
    let pulled = lease_one(storage).await;
    assert_eq!((pulled.work, pulled.serial.0), (Work::Screen(message(9)), 2));
}

async fn a_job_leased_anew_has_made_nothing_yet(store: Store) {
    let storage = &store.storage;
    apply(storage, key(1), 1, vec![text("{}")]).await;
    let job = lease_text(storage, 1).await.remove(0);
    storage.progress(job.id, job.token, "of a worker that is gone", Redraw::NotYet).await.unwrap();
    store.time_passes().await;
    assert!(waiting(storage, key(1)).await.progress.is_some());
    lease_text(storage, 1).await;
    assert_eq!(waiting(storage, key(1)).await.progress, None);
}

async fn places_are_counted_in_the_order_in_which_bots_take_turns(store: Store) {
    let storage = &store.storage;
    for (bot, chats) in [(1, 3), (2, 1), (3, 2)] {
        for chat in 1..=chats {
            apply(storage, of(bot, chat), chat, vec![text("{}"), work(Lane::Image, "{}")]).await;
        }
    }
    let places = async || {
        let mut places = Vec::new();
        for (bot, chat) in [(1, 1), (2, 1), (3, 1), (1, 2), (3, 2), (1, 3)] {
            places.push(waiting(storage, of(bot, chat)).await.place());
        }
        places
    };
    assert_eq!(places().await, [1, 2, 3, 4, 5, 6]);
    let leased = lease_text(storage, 6).await;
    let order: Vec<_> = leased.iter().map(|job| (job.key.bot.0, job.key.chat.0)).collect();
    assert_eq!(order, [(1, 1), (2, 1), (3, 1), (1, 2), (3, 2), (1, 3)], "and that is how they are leased");
    assert_eq!(places().await, [0; 6]);
    for job in &leased[2..] {
        settle(storage, job, again(Duration::ZERO)).await;
    }
    assert_eq!(places().await, [0, 0, 2, 1, 4, 3], "what is in work stands before nobody");
    assert_eq!(storage.waiting(of(1, 1), "2.0").await.unwrap(), None);
}

async fn a_place_far_behind_is_said_to_be_so_far_behind(store: Store) {
    let storage = &store.storage;
    for bot in [1, 3] {
        for update in 1..=3 {
            apply(storage, of(bot, 1), update, vec![text("{}"); TASKS_MAX]).await;
        }
    }
    apply(storage, of(2, 1), 1, vec![text("{}")]).await;
    assert_eq!(waiting(storage, of(2, 1)).await.ahead, 1, "it does not wait for the others' queues");
    for update in 4..=5 {
        apply(storage, of(1, 1), update, vec![text("{}"); TASKS_MAX]).await;
    }
    let last = storage.waiting(of(1, 1), "5.254").await.unwrap().unwrap();
    assert_eq!(last.ahead, AHEAD_MAX);
    let last = storage.waiting(of(3, 1), "3.254").await.unwrap().unwrap();
    assert_eq!(last.ahead, AHEAD_MAX, "765 of each bot and one are more");
}

/// Settles the screen of each chat, as the sender does, asking for the places of all of them.
async fn draw(storage: &Storage, chats: &[Key]) -> usize {
    let screens = lease_all(storage).await;
    for key in chats {
        storage.waiting(*key, "1.0").await.unwrap();
    }
    for screen in &screens {
        settle(storage, screen, DONE).await;
    }
    screens.len()
}

async fn chats_are_told_their_places_when_they_change_and_only_then(store: Store) {
    let storage = &store.storage;
    let chats = [of(1, 1), of(1, 2), of(2, 1), of(2, 2)];
    let tell = async || storage.tell_places(&[Lane::Image, Lane::Text], 20, 50).await.unwrap();
    for key in chats {
        apply(storage, key, 1, vec![text("{}")]).await;
    }
    assert_eq!(tell().await, 4);
    assert_eq!(draw(storage, &chats).await, 4);
    assert_eq!((tell().await, draw(storage, &chats).await), (0, 0));

    let first = lease_text(storage, 1).await.remove(0);
    assert_eq!(tell().await, 3, "a worker took one, which is told too, and two of the others moved up");
    let screens = lease_all(storage).await;
    assert!(screens.iter().all(|screen| screen.work == Work::Screen(Place::Shown)), "{screens:?}");
    for screen in &screens {
        settle(storage, screen, DONE).await;
    }
    assert_eq!(tell().await, 0);
    settle(storage, &first, DONE).await;
    assert_eq!(tell().await, 0, "nobody stands nearer because it ended");

    store.execute("UPDATE chats SET hold_until = NULL").await;
    apply(storage, of(1, 2), 2, vec![NewJob::Screen(Place::New)]).await;
    lease_text(storage, 1).await;
    assert_eq!(tell().await, 3);
    let screens = lease_all(storage).await;
    let of_the_chat = screens.iter().find(|screen| screen.key == of(1, 2)).unwrap();
    assert_eq!(of_the_chat.work, Work::Screen(Place::New), "what is pending stays as it is");
}

async fn a_chat_whose_place_is_shown_is_not_told_it_again(store: Store) {
    let storage = &store.storage;
    let chats = [of(1, 1), of(1, 2), of(1, 3)];
    for key in chats {
        apply(storage, key, 1, vec![text("{}"), NewJob::Screen(Place::New)]).await;
    }
    lease_text(storage, 1).await;
    assert_eq!(draw(storage, &chats).await, 3, "the screens with the first places");
    assert_eq!(storage.tell_places(&[Lane::Text], 20, 50).await.unwrap(), 0);
    lease_text(storage, 1).await;
    apply(storage, of(1, 4), 1, vec![text("{}"), NewJob::Screen(Place::New)]).await;
    lease_text(storage, 1).await;
    assert_eq!(storage.tell_places(&[Lane::Text], 20, 50).await.unwrap(), 3, "not told yet, or told another one");
}

async fn places_are_told_as_far_down_as_asked_for_and_so_many_at_once(store: Store) {
    let storage = &store.storage;
    for chat in 1..=10 {
        apply(storage, of(1 + chat % 2, chat), 1, vec![text("{}")]).await;
    }
    assert_eq!(storage.tell_places(&[Lane::Text], 4, 50).await.unwrap(), 4);
    assert_eq!(storage.tell_places(&[Lane::Text], 4, 50).await.unwrap(), 0);
    let mut told: Vec<Key> = lease_all(storage).await.into_iter().map(|job| job.key).collect();
    told.sort();
    assert_eq!(told, [of(1, 2), of(1, 4), of(2, 1), of(2, 3)]);
    assert_eq!(storage.tell_places(&[Lane::Text], 10, 4).await.unwrap(), 4);
    assert_eq!(storage.tell_places(&[Lane::Text], 10, 4).await.unwrap(), 2);
    store.execute("DELETE FROM chats").await;
    lease_text(storage, 1).await;
    assert_eq!(storage.tell_places(&[Lane::Text], 10, 50).await.unwrap(), 0, "nobody is there to be told");
}
