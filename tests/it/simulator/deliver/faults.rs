//! What goes wrong on request.

use super::stage::{Stage, millis, seconds};
use super::webhook::response;
use tapgate::sandbox::faults::{DeliveryFault, Lasts};
use tapgate::sandbox::wire::{Edition, Verdict};

fn inline() -> Vec<u8> {
    response("200 OK", "Content-Type: application/json\r\n", r#"{"method":"sendMessage"}"#)
}

async fn struck(fault: DeliveryFault) -> Stage {
    let stage = Stage::active(40).await;
    stage.around.faults.strike_deliveries(fault, Lasts::Times(1));
    stage.push("message", 1);
    stage
}

#[tokio::test]
async fn a_lost_answer_calls_nothing_and_the_update_comes_again() {
    let mut stage = struck(DeliveryFault::LoseAnswer).await;
    let first = stage.webhook.request().await;
    let id = first.update_id();
    first.answers(inline());
    let again = stage.webhook.request().await;
    assert_eq!(again.update_id(), id);
    assert_eq!(stage.calls.lock().unwrap().len(), 0);
    let lost = &stage.attempts()[1].1;
    assert_eq!((lost.status, lost.inline.as_deref()), (Some(200), Some("sendmessage")), "the wire shows what was lost");
    assert!(matches!(lost.verdict, Verdict::Retry { .. }));
    assert_eq!(stage.last_error(), None, "for Telegram the connection was closed");
    again.answers(inline());
    stage.delivering.quiet().await;
    assert_eq!(stage.calls.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn a_delayed_answer_is_read_when_its_time_has_come() {
    let mut stage = struck(DeliveryFault::DelayAnswer(seconds(20))).await;
    stage.webhook.request().await.answers(inline());
    // The answer is on its way: the clock may move once the sender has it.
    stage
        .until("the answer is held", |stage| {
            stage.around.clock.next_due() == Some(super::stage::START.plus(seconds(20)))
        })
        .await;
    stage.passes(millis(19_999)).await;
    assert_eq!((stage.in_flight().await, stage.calls.lock().unwrap().len()), (1, 0));
    stage.passes(millis(1)).await;
    assert_eq!((stage.in_flight().await, stage.calls.lock().unwrap().len()), (0, 1));
    assert_eq!(stage.last_row().took.unwrap().simulated, seconds(20));
}

#[tokio::test]
async fn an_answer_delayed_beyond_the_limit_is_never_read() {
    let mut stage = struck(DeliveryFault::DelayAnswer(seconds(100))).await;
    stage.webhook.request().await.answers(inline());
    stage.passes(seconds(60)).await;
    let again = stage.webhook.request().await;
    assert_eq!(stage.last_error().as_deref(), Some("Read timeout expired"));
    again.accepts();
    stage.delivering.quiet().await;
    assert_eq!(stage.calls.lock().unwrap().len(), 0);
}

#[tokio::test]
async fn delivered_twice_both_are_in_flight_and_one_answer_counts() {
    let mut stage = struck(DeliveryFault::DeliverTwice).await;
    let (one, other) = (stage.webhook.request().await, stage.webhook.request().await);
    assert_ne!(one.connection, other.connection);
    assert_eq!((&one.head, &one.body), (&other.head, &other.body));
    one.answers(inline());
    other.answers(inline());
    stage.delivering.quiet().await;
    assert_eq!(stage.calls.lock().unwrap().len(), 1);
    assert_eq!(stage.around.updates.pending(), 0);
    let seen: Vec<_> = stage.deliveries()[1..].iter().map(|(_, row)| (row.edition, row.verdict.clone())).collect();
    assert_eq!(seen, [(Edition::Original, Verdict::Delivered), (Edition::Twin, Verdict::Ignored)]);
    assert_eq!(stage.connections().await, 1, "the twin's connection was its own");
}

#[tokio::test]
async fn a_connection_closed_early_loses_its_answer() {
    let mut stage = struck(DeliveryFault::CloseEarly).await;
    let first = stage.webhook.request().await;
    let again = stage.webhook.request().await;
    assert_eq!(first.update_id(), again.update_id());
    assert_ne!(first.connection, again.connection);
    again.accepts();
    stage.delivering.quiet().await;
    assert_eq!(stage.last_error(), None);
    assert_eq!(stage.around.updates.pending(), 0);
}

#[tokio::test]
async fn a_standing_fault_strikes_until_it_is_cleared() {
    let mut stage = Stage::active(40).await;
    stage.around.faults.strike_deliveries(DeliveryFault::LoseAnswer, Lasts::Standing);
    stage.push("message", 1);
    stage.webhook.request().await.accepts();
    stage.webhook.request().await.accepts();
    stage.delivering.quiet().await;
    assert_eq!(stage.around.updates.pending(), 1);
    stage.around.faults.clear();
    stage.passes(seconds(2)).await;
    stage.webhook.request().await.accepts();
    stage.delivering.quiet().await;
    assert_eq!(stage.around.updates.pending(), 0);
}
