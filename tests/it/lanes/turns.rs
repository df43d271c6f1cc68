//! Whose turn it is: paying chats before the others, the others now and then before those, bots one after the other.

use super::stand::{Stand, TOKEN, Worker};
use crate::harness::deployment::Deployment;
use crate::path::on_both_profiles;
use serde_json::{Value, json};

on_both_profiles!(
    a_paying_chat_is_among_the_next_two_however_many_wait,
    one_turn_in_so_many_is_the_ordinary_lanes_however_many_pay,
    who_asks_for_the_priority_lane_gets_nothing_else,
    a_bot_with_many_jobs_keeps_no_other_bot_waiting,
);

/// The chats of the next jobs that are leased one by one.
async fn next(worker: &Worker, lane: &str, count: usize) -> Vec<Value> {
    let mut jobs = Vec::new();
    for _ in 0..count {
        jobs.push(worker.takes(lane).await);
    }
    jobs
}

async fn a_paying_chat_is_among_the_next_two_however_many_wait(deployment: Deployment) {
    let stand = Stand::on(deployment).await;
    stand.crowd_asks(&stand.bot, 500, &["/start", "Why?"]).await;
    let worker = stand.worker();
    // So often that the floor's turn is among them, wherever it is.
    for _ in 0..5 {
        let rich = stand.asks_as_one_who_paid("Why?").await;
        // While a chat is told its place its job is passed over for that moment.
        stand.sees(&rich, "Place").await;
        let jobs = next(&worker, "text", 2).await;
        let lane = jobs.iter().find(|job| job["chat"]["id"] == rich.id).map(|job| &job["lane"]);
        assert_eq!(lane, Some(&json!("text_priority")), "{jobs:?}");
    }
    let left = crate::path::count(&stand.deployment, "SELECT count(*) FROM jobs WHERE lane = 'text' AND attempts = 0");
    assert_eq!(left.await, 495, "the others still wait");
}

async fn one_turn_in_so_many_is_the_ordinary_lanes_however_many_pay(deployment: Deployment) {
    let mut stand = Stand::on(deployment).await;
    stand.crowd_asks(&stand.bot, 20, &["/start", "Why?"]).await;
    stand.asks_as_one_who_paid("Why?").await;
    for floor in [5, 2] {
        let settings = format!("lanes.floor = {floor}\nworkers.default.token = \"{TOKEN}\"");
        stand.deployment.configure(&settings);
        stand.server.stops().await;
        stand.server = stand.deployment.serves().await;
        let worker = stand.worker();
        let mut lanes = Vec::new();
        for _ in 0..20 {
            // There is always one more who pays.
            stand.asks_as_one_who_paid("Why?").await;
            lanes.push(worker.takes("text").await["lane"].as_str().unwrap().to_owned());
        }
        for window in lanes.chunks(floor) {
            assert_eq!(window.iter().filter(|lane| *lane == "text").count(), 1, "{lanes:?}");
        }
    }
}

async fn who_asks_for_the_priority_lane_gets_nothing_else(deployment: Deployment) {
    let stand = Stand::on(deployment).await;
    stand.asks("Why?").await;
    let worker = stand.worker();
    // As many turns as the floor has, and more.
    for _ in 0..6 {
        assert_eq!(worker.leases("text_priority", 64, 0).await, Vec::<Value>::new());
    }
    let rich = stand.asks_as_one_who_paid("Why?").await;
    let jobs = worker.leases("text_priority", 64, 10).await;
    assert_eq!(jobs.iter().map(|job| &job["chat"]["id"]).collect::<Vec<_>>(), [&json!(rich.id)]);
    assert_eq!(worker.takes("text").await["lane"], "text", "it was there all the time");
}

async fn a_bot_with_many_jobs_keeps_no_other_bot_waiting(deployment: Deployment) {
    let mut stand = Stand::on(deployment).await;
    let quiet = Stand::adds_bot(&stand.deployment, "quiet").await;
    stand.server.stops().await;
    stand.server = stand.deployment.serves().await;
    stand.crowd_asks(&stand.bot, 100, &["/start", "Why?"]).await;
    let worker = stand.worker();
    next(&worker, "text", 3).await;
    for _ in 0..3 {
        stand.crowd_asks(&quiet, 1, &["/start", "Why?"]).await;
        let jobs = next(&worker, "text", 2).await;
        assert!(jobs.iter().any(|job| job["bot"]["id"] == quiet.id), "{jobs:?}");
    }
    stand.crowd_asks(&quiet, 1, &["/start", "Why?"]).await;
    let jobs = worker.leases("text", 2, 0).await;
    assert!(jobs.iter().any(|job| job["bot"]["id"] == quiet.id), "in one lease of several too: {jobs:?}");
}
