//! Workers' lanes: bots in turn, chats in order, leases that run out, jobs that are cancelled.

use super::store::Store;
use super::words::*;
use tapgate::flow::decision::Place;
use tapgate::storage::{
    Commit, JobId, Key, Lane, LeaseToken, LeasedJob, NewJob, Outcome, Redraw, Settled, Storage, Work,
};
use tapgate::telegram::answer::Answer;
use tapgate::telegram::id::BotId;

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
    a_cancelled_job_is_gone_for_the_worker_that_has_it
    a_job_that_waits_is_cancelled_before_anybody_has_it
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
    let jobs = lease_from(storage, &[Lane::TextPriority, Lane::Text], 3, FIRST).await;
    assert_eq!(payloads(&jobs), ["text_priority", "text_priority", "text"]);
    assert_eq!(lease_from(storage, &[], 3, FIRST).await, []);
    assert_eq!(payloads(&lease_from(storage, &Lane::OF_WORKERS, 3, FIRST).await), ["image"]);
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
    assert_eq!(lease_from(storage, &[Lane::Image], 10, FIRST).await.len(), 1, "lanes do not wait for each other");
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
    let image = lease_from(storage, &[Lane::ImagePriority], 1, FIRST).await;
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
    let leased = lease_from(storage, &Lane::OF_WORKERS, 10, FIRST).await;
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
    let image = lease_from(storage, &[Lane::Image], 1, FIRST).await;
    settle(storage, &image[0], again(LEASE)).await;
    assert_eq!(due().await, [], "and what is tried again later is not due yet");
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
