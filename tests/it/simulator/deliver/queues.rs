//! Queues, their order, and what can be in flight at once.

use super::stage::{Stage, seconds, surroundings, update};
use std::time::Duration;
use tapgate::sandbox::wire::Verdict;

/// Ann and Ben, and a group they are both in.
const ANN: i64 = 7;
const BEN: i64 = 8;
const GROUP: i64 = -100_500;

#[tokio::test]
async fn what_can_be_in_flight_at_once() {
    let pairs = [
        (("message", ANN), ("message", ANN), false),
        (("message", ANN), ("edited_message", ANN), false),
        (("message", ANN), ("callback_query", ANN), true),
        (("callback_query", ANN), ("callback_query", ANN), false),
        (("pre_checkout_query", ANN), ("message", ANN), true),
        (("pre_checkout_query", ANN), ("callback_query", ANN), true),
        (("my_chat_member", ANN), ("message", ANN), true),
        (("message", ANN), ("message", GROUP), true),
        (("message", GROUP), ("message", GROUP), false),
        (("callback_query", ANN), ("callback_query", BEN), true),
        (("edited_message", ANN), ("message_reaction", ANN), true),
        (("custom_event", ANN), ("custom_event", ANN), true),
    ];
    for (first, second, at_once) in pairs {
        let stage = Stage::active(40).await;
        stage.push(first.0, first.1);
        stage.push(second.0, second.1);
        let in_flight = stage.in_flight().await;
        assert_eq!(in_flight, if at_once { 2 } else { 1 }, "{first:?} and {second:?}");
    }
}

#[tokio::test]
async fn the_next_of_a_queue_is_sent_once_the_first_was_taken() {
    let mut stage = Stage::active(40).await;
    let first = stage.push("message", ANN);
    let second = stage.push("message", ANN);
    let request = stage.webhook.request().await;
    assert_eq!(request.update_id(), first.0);
    assert_eq!(stage.around.updates.pending(), 2, "those in flight are pending");
    request.accepts();
    let request = stage.webhook.request().await;
    assert_eq!(request.update_id(), second.0);
    assert_eq!(stage.around.updates.pending(), 1);
    request.accepts();
    stage.delivering.quiet().await;
    assert_eq!(stage.around.updates.pending(), 0);
}

#[tokio::test]
async fn a_failing_update_holds_up_its_own_queue_alone() {
    let mut stage = Stage::active(40).await;
    let poison = stage.push("message", ANN);
    stage.webhook.request().await.answers_status("500 x");
    stage.webhook.request().await.answers_status("500 x");
    stage.delivering.quiet().await;
    let behind = stage.push("message", ANN);
    let other = stage.push("message", BEN);
    let request = stage.webhook.request().await;
    assert_eq!(request.update_id(), other.0);
    request.accepts();
    stage.passes(seconds(2)).await;
    let request = stage.webhook.request().await;
    assert_eq!(request.update_id(), poison.0);
    request.accepts();
    assert_eq!(stage.webhook.request().await.update_id(), behind.0);
}

/// Takes every request that comes until all is delivered; the queues, in the order in which they were served.
async fn served(stage: &mut Stage, count: usize) -> Vec<i64> {
    for _ in 0..count {
        stage.webhook.request().await.accepts();
    }
    stage.delivering.quiet().await;
    stage.attempts().into_iter().map(|(_, delivery)| delivery.queue).collect()
}

#[tokio::test]
async fn a_batch_goes_out_by_its_queues_ids() {
    let around = surroundings(1);
    for id in [30, 10, 20] {
        around.updates.push(update("message", id)).unwrap();
    }
    let mut stage = Stage::with(2, around).await;
    assert_eq!(served(&mut stage, 3).await, [10, 20, 30]);
}

#[tokio::test]
async fn one_by_one_they_go_out_as_they_came() {
    let mut stage = Stage::new(4).await;
    for id in [30, 10, 20] {
        stage.push("message", id);
        // The one connection is busy with the first: the others wait.
        stage.delivering.settled().await;
    }
    assert_eq!(served(&mut stage, 3).await, [30, 10, 20]);
}

#[tokio::test]
async fn twice_as_many_queues_as_connections_that_fail_stall_the_whole_bot() {
    let around = surroundings(1);
    for id in 1..=3 {
        around.updates.push(update("message", id)).unwrap();
    }
    let mut stage = Stage::with(1, around).await;
    for _ in 0..2 {
        let answer = super::webhook::response("500 x", "Retry-After: 3600\r\n", "");
        stage.webhook.request().await.answers(answer);
    }
    stage.delivering.quiet().await;
    let queues = |stage: &Stage| stage.attempts().into_iter().map(|(_, attempt)| attempt.queue).collect::<Vec<_>>();
    assert_eq!(queues(&stage), [1, 2], "the third chat is not even loaded");
    assert_eq!(stage.delivering.info().queues, 2);

    stage.passes(seconds(3600)).await;
    stage.webhook.request().await.accepts();
    // The second chat's repeat was due before the third was loaded.
    stage.webhook.request().await.accepts();
    stage.webhook.request().await.accepts();
    stage.delivering.quiet().await;
    assert_eq!(queues(&stage), [1, 2, 1, 2, 3]);
}

#[tokio::test]
async fn what_expired_before_it_was_loaded_is_never_sent() {
    let around = surroundings(1);
    around.updates.push(update("inline_query", ANN)).unwrap();
    around.updates.push(update("message", ANN)).unwrap();
    around.clock.advance(seconds(31));
    let mut stage = Stage::with(1, around).await;
    stage.webhook.request().await.accepts();
    stage.delivering.quiet().await;
    assert_eq!(stage.attempts().len(), 1);
    assert_eq!(stage.last().kind, "message");
    assert_eq!(stage.around.updates.pending(), 0);
}

#[tokio::test]
async fn what_is_loaded_behind_a_failing_update_is_sent_after_its_expiry() {
    let mut stage = Stage::new(1).await;
    stage.push_living("callback_query", ANN, seconds(1000));
    stage.push_living("callback_query", ANN, seconds(10));
    let answer = super::webhook::response("503 x", "Retry-After: 100\r\n", "");
    stage.webhook.request().await.answers(answer);
    stage.delivering.quiet().await;
    stage.passes(seconds(100)).await;
    stage.webhook.request().await.accepts();
    stage.webhook.request().await.accepts();
    stage.delivering.quiet().await;
    let at: Vec<_> = stage.attempts().into_iter().map(|(at, attempt)| (at.as_secs(), attempt.attempt)).collect();
    assert_eq!(at, [(0, 1), (100, 2), (100, 1)]);
}

#[tokio::test]
async fn a_new_sender_sends_again_what_was_in_flight() {
    let mut stage = Stage::active(40).await;
    let id = stage.push("message", ANN);
    stage.webhook.request().await.answers_status("500 x");
    let held = stage.webhook.request().await;
    let mut stage = stage.restarts().await;
    assert_eq!(stage.last().verdict, Verdict::Cut);
    drop(held);
    let again = stage.webhook.request().await;
    assert_eq!(again.update_id(), id.0);
    assert_eq!(stage.last().attempt, 1, "failures are counted anew");
    again.accepts();
    stage.delivering.quiet().await;
    assert_eq!(stage.around.updates.pending(), 0);
    assert_eq!(stage.elapsed(), Duration::ZERO);
}
