//! Workers' lanes: bots in turn, chats in order, leases that run out, and what is told of it meanwhile.

use super::store::Store;
use super::words::*;
use std::time::Duration;
use tapgate::flow::decision::Place;
use tapgate::storage::{
    AHEAD_MAX, Allowed, Commit, End, JobId, Key, Lane, LeaseToken, LeasedJob, NewJob, Outcome, Redraw, Settled,
    Storage, TASKS_MAX, Waiting, Work,
};
use tapgate::telegram::answer::Answer;
use tapgate::telegram::id::{BotId, ChatId};

on_every_backend! {
    bots_take_turns_and_a_long_lane_of_one_starves_no_other
    a_bot_without_a_job_to_be_leased_is_passed_over
    lanes_are_leased_in_the_order_in_which_they_are_named
    of_a_chat_only_the_first_job_in_a_lane_is_leased
    a_job_to_be_tried_again_holds_up_its_chat_and_no_other
    no_job_of_a_lane_is_leased_twice_at_once
    a_leased_job_says_what_names_it_and_its_lane
    a_job_whose_leases_ran_out_so_often_is_left_to_be_ended
    what_is_in_work_or_may_be_tried_again_is_not_exhausted
    a_job_is_held_until_somebody_else_leases_it
    a_lane_is_due_if_something_in_it_can_be_leased
    progress_is_written_by_who_holds_the_job
    a_redraw_waits_for_the_pace_of_its_chat_and_changes_no_screen_that_is_pending
    a_screen_of_a_later_commit_pulls_a_redraw_forward
    a_job_leased_anew_has_made_nothing_yet
    places_are_counted_in_the_order_in_which_bots_take_turns
    a_place_far_behind_is_said_to_be_so_far_behind
    chats_are_told_their_places_when_they_change_and_only_then
    a_chat_whose_place_is_shown_is_not_told_it_again
    places_are_told_as_far_down_as_asked_for_and_so_many_at_once
    a_cancelled_job_is_gone_for_the_worker_that_has_it
    a_job_that_waits_is_cancelled_before_anybody_has_it
}

const ATTEMPTS_MAX: u32 = 3;
const LIVE: BotId = BotId(0);

fn of(bot: i64, chat: i64) -> Key {
    Key { bot: BotId(bot), chat: ChatId(chat) }
}

fn work(lane: Lane, payload: &str) -> NewJob {
    NewJob::Task { lane, payload: payload.into() }
}

fn text(payload: &str) -> NewJob {
    work(Lane::Text, payload)
}

async fn lease_from(storage: &Storage, lanes: &[Lane], limit: usize, after: BotId) -> Vec<LeasedJob> {
    storage.lease_work(lanes, limit, LEASE, after, ATTEMPTS_MAX).await.unwrap()
}

async fn lease_text(storage: &Storage, limit: usize) -> Vec<LeasedJob> {
    lease_from(storage, &[Lane::Text], limit, LIVE).await
}

fn bots(jobs: &[LeasedJob]) -> Vec<i64> {
    jobs.iter().map(|job| job.key.bot.0).collect()
}

fn payloads(jobs: &[LeasedJob]) -> Vec<&str> {
    let tasks = jobs.iter().map(|job| match &job.work {
        Work::Task(payload) => payload.as_str(),
        Work::Screen(_) => panic!("no screen waits in a lane of workers"),
    });
    tasks.collect()
}

async fn bots_take_turns_and_a_long_lane_of_one_starves_no_other(store: Store) {
    let storage = &store.storage;
    for (bot, jobs) in [(1, 30), (2, 2), (3, 1)] {
        for chat in 1..=jobs {
            apply(storage, of(bot, chat), chat, vec![text(&chat.to_string())]).await;
        }
    }
    let first = lease_text(storage, 1).await;
    assert_eq!((bots(&first), payloads(&first)), (vec![1], vec!["1"]));
    assert_eq!(bots(&lease_from(storage, &[Lane::Text], 1, BotId(1)).await), [2]);
    let many = lease_from(storage, &[Lane::Text], 5, BotId(2)).await;
    assert_eq!(bots(&many), [3, 1, 2, 1, 1], "in turns as long as there are others, from the one behind the last");
    assert_eq!(payloads(&many), ["1", "2", "2", "3", "4"], "of each bot the oldest first");
    assert_eq!(lease_from(storage, &[Lane::Text], 100, BotId(3)).await.len(), 26);
    assert_eq!(lease_text(storage, 100).await, []);
}

async fn a_bot_without_a_job_to_be_leased_is_passed_over(store: Store) {
    let storage = &store.storage;
    for bot in 1..=4 {
        apply(storage, of(bot, 1), 1, vec![text("only")]).await;
    }
    assert_eq!(bots(&lease_from(storage, &[Lane::Text], 2, BotId(1)).await), [2, 3]);
    assert_eq!(bots(&lease_from(storage, &[Lane::Text], 2, BotId(1)).await), [4, 1]);
}

async fn lanes_are_leased_in_the_order_in_which_they_are_named(store: Store) {
    let storage = &store.storage;
    for (chat, lane) in [(1, Lane::Text), (2, Lane::Image), (3, Lane::TextPriority), (4, Lane::TextPriority)] {
        apply(storage, key(chat), chat, vec![work(lane, lane.name())]).await;
    }
    let jobs = lease_from(storage, &[Lane::TextPriority, Lane::Text], 3, LIVE).await;
    assert_eq!(payloads(&jobs), ["text_priority", "text_priority", "text"]);
    assert_eq!(lease_from(storage, &[], 3, LIVE).await, []);
    assert_eq!(payloads(&lease_from(storage, &Lane::OF_WORKERS, 3, LIVE).await), ["image"]);
}

async fn of_a_chat_only_the_first_job_in_a_lane_is_leased(store: Store) {
    let storage = &store.storage;
    apply(storage, key(1), 1, vec![text("1"), text("2"), task("content"), work(Lane::Image, "image")]).await;
    apply(storage, key(1), 2, vec![text("3")]).await;
    let mut order = Vec::new();
    for _ in 0..3 {
        let jobs = lease_text(storage, 10).await;
        assert_eq!(jobs.len(), 1, "{jobs:?}");
        assert_eq!(lease_text(storage, 10).await, [], "the first is in hand");
        order.extend(payloads(&jobs).into_iter().map(str::to_owned));
        assert_eq!(settle(storage, &jobs[0], DONE).await, Settled::Ended);
    }
    assert_eq!(order, ["1", "2", "3"]);
    assert_eq!(lease_from(storage, &[Lane::Image], 10, LIVE).await.len(), 1, "lanes do not wait for each other");
    assert_eq!(lease_one(storage).await.work, Work::Task("content".into()));
}

async fn a_job_to_be_tried_again_holds_up_its_chat_and_no_other(store: Store) {
    let storage = &store.storage;
    apply(storage, key(1), 1, vec![text("failed"), text("behind it")]).await;
    apply(storage, key(2), 2, vec![text("other")]).await;
    let failed = lease_text(storage, 1).await.remove(0);
    settle(storage, &failed, again(LEASE)).await;
    assert_eq!(payloads(&lease_text(storage, 10).await), ["other"]);
    store.time_passes().await;
    let jobs = lease_text(storage, 10).await;
    let failed = jobs.iter().find(|job| job.key == key(1)).unwrap();
    assert_eq!((failed.work.clone(), failed.attempts), (Work::Task("failed".into()), 2));
}

async fn no_job_of_a_lane_is_leased_twice_at_once(store: Store) {
    for chat in 1..=20 {
        apply(&store.storage, of(chat % 3, chat), chat, vec![text("{}")]).await;
    }
    let other = store.of_another_process().await;
    let mut ids = Vec::new();
    while ids.len() < 20 {
        let (ours, theirs) = tokio::join!(lease_text(&store.storage, 3), lease_text(&other, 3));
        assert!(ours.len() <= 3 && theirs.len() <= 3 && ours.len() + theirs.len() > 0);
        ids.extend(ours.iter().chain(&theirs).map(|job| job.id));
    }
    let leased = ids.len();
    ids.sort();
    ids.dedup();
    assert_eq!((leased, ids.len()), (20, 20));
}

async fn a_leased_job_says_what_names_it_and_its_lane(store: Store) {
    let storage = &store.storage;
    let jobs = vec![text("a"), work(Lane::ImagePriority, "b"), task("c"), NewJob::Screen(Place::New)];
    apply(storage, key(1), 1, jobs).await;
    let named = |job: &LeasedJob| (job.lane, job.name.clone());
    let leased = lease_text(storage, 1).await;
    assert_eq!(named(&leased[0]), (Lane::Text, "1.0".into()));
    let held = storage.held(leased[0].id, leased[0].token).await.unwrap().unwrap();
    assert_eq!(held, leased[0], "what is held is what was leased");
    let image = lease_from(storage, &[Lane::ImagePriority], 1, LIVE).await;
    assert_eq!(named(&image[0]), (Lane::ImagePriority, "1.1".into()));
    let content = lease_one(storage).await;
    assert_eq!(named(&content), (Lane::Outbound, "1.2".into()));
    settle(storage, &content, again(LEASE)).await;
    let content = storage.lease_one(content.key.bot, content.id, LEASE).await.unwrap().unwrap();
    assert_eq!(named(&content), (Lane::Outbound, "1.2".into()));
    settle(storage, &content, DONE).await;
    assert_eq!(named(&lease_one(storage).await), (Lane::Outbound, "screen".into()));
}

async fn a_job_whose_leases_ran_out_so_often_is_left_to_be_ended(store: Store) {
    let storage = &store.storage;
    apply(storage, key(1), 1, vec![text("kills its worker"), text("behind it")]).await;
    apply(storage, key(2), 2, vec![task("outbound")]).await;
    for attempt in 1..=ATTEMPTS_MAX {
        assert_eq!(lease_text(storage, 10).await[0].attempts, attempt);
        lease_one(storage).await;
        assert_eq!(storage.exhausted(10, LEASE, ATTEMPTS_MAX).await.unwrap(), [], "it is in work");
        store.time_passes().await;
    }
    assert_eq!(lease_text(storage, 10).await, [], "and nothing of the chat goes before it has ended");
    let left = storage.exhausted(10, LEASE, ATTEMPTS_MAX).await.unwrap();
    assert_eq!((payloads(&left), left[0].attempts), (vec!["kills its worker"], ATTEMPTS_MAX), "not the sender's");
    assert_eq!(storage.exhausted(10, LEASE, ATTEMPTS_MAX).await.unwrap(), [], "somebody ends it");
    store.time_passes().await;
    let left = storage.exhausted(10, LEASE, ATTEMPTS_MAX).await.unwrap();
    assert_eq!(left[0].attempts, ATTEMPTS_MAX, "who was to end it is gone as well, and that is no attempt");
    assert_eq!(settle(storage, &left[0], DONE).await, Settled::Ended);
    assert_eq!(payloads(&lease_text(storage, 10).await), ["behind it"]);
}

async fn what_is_in_work_or_may_be_tried_again_is_not_exhausted(store: Store) {
    let storage = &store.storage;
    for chat in 1..=4 {
        apply(storage, of(chat, 1), 1, vec![work(Lane::OF_WORKERS[chat as usize], "{}")]).await;
    }
    let leased = lease_from(storage, &Lane::OF_WORKERS, 10, LIVE).await;
    assert_eq!(leased.len(), 4);
    assert_eq!(storage.exhausted(10, LEASE, 1).await.unwrap(), []);
    store.time_passes().await;
    assert_eq!(storage.exhausted(10, LEASE, 2).await.unwrap(), []);
    assert_eq!(storage.exhausted(3, LEASE, 1).await.unwrap().len(), 3, "no more than asked for");
    assert_eq!(storage.exhausted(10, LEASE, 1).await.unwrap().len(), 1);
}

async fn a_job_is_held_until_somebody_else_leases_it(store: Store) {
    let storage = &store.storage;
    apply(storage, key(1), 1, vec![text("{}")]).await;
    let job = lease_text(storage, 1).await.remove(0);
    let stranger = LeaseToken(job.token.0.wrapping_add(1));
    assert_eq!(storage.held(job.id, stranger).await.unwrap(), None);
    assert_eq!(storage.held(JobId(job.id.0 + 1), job.token).await.unwrap(), None);
    store.time_passes().await;
    assert_eq!(storage.held(job.id, job.token).await.unwrap().as_ref(), Some(&job), "late, but nobody else has it");
    let second = lease_text(storage, 1).await.remove(0);
    assert_eq!(storage.held(job.id, job.token).await.unwrap(), None);
    assert_eq!(storage.held(second.id, second.token).await.unwrap(), Some(second));
}

async fn a_lane_is_due_if_something_in_it_can_be_leased(store: Store) {
    let storage = &store.storage;
    let due = async || storage.due(&Lane::OF_WORKERS, ATTEMPTS_MAX).await.unwrap();
    assert_eq!(due().await, []);
    apply(storage, key(1), 1, vec![text("1"), text("2"), work(Lane::Image, "{}")]).await;
    assert_eq!(due().await, [Lane::Text, Lane::Image]);
    assert_eq!(storage.due(&[Lane::Image], ATTEMPTS_MAX).await.unwrap(), [Lane::Image]);
    for attempt in 1..=ATTEMPTS_MAX {
        lease_text(storage, 1).await;
        assert_eq!(due().await, [Lane::Image], "the second of the chat waits for the first");
        store.time_passes().await;
        assert_eq!(due().await.contains(&Lane::Text), attempt < ATTEMPTS_MAX);
    }
    let image = lease_from(storage, &[Lane::Image], 1, LIVE).await;
    settle(storage, &image[0], again(LEASE)).await;
    assert_eq!(due().await, [], "and what is tried again later is not due yet");
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
    draw().await;
    let end = End::Done { shown: Some(shown("menu", 1, 9)) };
    assert_eq!(settle_paced(storage, &screen, end, LEASE).await, Settled::Ended, "nor the one that is sent");

    draw().await;
    let allowed = Allowed::default();
    assert_eq!(storage.lease_outbound(10, LEASE, &allowed).await.unwrap(), [], "however far ahead a chat may be");
    assert_eq!(store.number("SELECT count(*) FROM jobs WHERE lane = 'outbound'").await, 1);
    store.time_passes().await;
    assert_eq!(lease_one(storage).await.work, Work::Screen(Place::Shown));
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

/// A commit that cancels the chat's generation.
async fn cancel(storage: &Storage, key: Key, update: i64) {
    let mut commit = commit_on(loaded(storage, key).await.as_ref(), key, update);
    commit.books.cancelled = Some("1.0".into());
    assert_eq!(storage.commit(&commit).await.unwrap(), Outcome::Applied);
}

async fn a_cancelled_job_is_gone_for_the_worker_that_has_it(store: Store) {
    let storage = &store.storage;
    apply(storage, key(1), 1, vec![text("{}"), work(Lane::Image, "stays")]).await;
    apply(storage, key(2), 2, vec![text("of another chat")]).await;
    let job = lease_text(storage, 1).await.remove(0);
    cancel(storage, key(1), 3).await;
    let before = (store.dump("chats").await, store.dump("jobs").await, store.dump("ledger").await);

    assert_eq!(storage.held(job.id, job.token).await.unwrap(), None);
    assert_eq!(storage.renew(&[(job.id, job.token)], LEASE).await.unwrap(), [false]);
    assert!(!storage.progress(job.id, job.token, "late", Redraw::Due).await.unwrap());
    assert_eq!(settle(storage, &job, again(LEASE)).await, Settled::Lost);
    let stored = loaded(storage, key(1)).await;
    let finished = Commit { update: None, ..with_jobs(commit_on(stored.as_ref(), key(1), 4), vec![task("result")]) };
    let ends = job.ends(tapgate::storage::Reach::Reachable);
    let outcome = storage.commit_and_end(&finished, ends).await.unwrap();
    assert_eq!(outcome, Outcome::Duplicate { answer: Answer::EMPTY });

    assert_eq!((store.dump("chats").await, store.dump("jobs").await, store.dump("ledger").await), before);
    assert_eq!(store.number("SELECT count(*) FROM jobs").await, 2, "nothing else is cancelled");
}

async fn a_job_that_waits_is_cancelled_before_anybody_has_it(store: Store) {
    let storage = &store.storage;
    apply(storage, key(1), 1, vec![text("{}")]).await;
    cancel(storage, key(1), 2).await;
    assert_eq!(lease_text(storage, 10).await, []);
    cancel(storage, key(1), 3).await;
    assert_eq!(loaded(storage, key(1)).await.unwrap().chat.version.0, 3, "one that is gone already changes nothing");
}
