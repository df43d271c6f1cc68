//! How many connections there are, which is used, and when they end.

use super::stage::{Stage, millis, seconds, surroundings};
use super::webhook::{Webhook, response};
use tokio::net::TcpListener;

/// As many queues as there may be, each with an update.
fn crowd(stage: &Stage, users: i64) {
    for user in 1..=users {
        stage.push("message", user);
    }
}

#[tokio::test]
async fn a_first_connection_is_opened_without_an_update() {
    let stage = Stage::new(40).await;
    assert_eq!(stage.connections().await, 1);
    assert_eq!(stage.attempts().len(), 0);
}

#[tokio::test]
async fn an_active_webhook_gets_ten_more_at_once_and_then_one_each_50_ms() {
    let stage = Stage::active(40).await;
    crowd(&stage, 60);
    assert_eq!(stage.connections().await, 11);
    stage.passes(millis(49)).await;
    assert_eq!(stage.connections().await, 11);
    stage.passes(millis(1)).await;
    for expected in 12..=40 {
        assert_eq!(stage.connections().await, expected, "after {:?}", stage.elapsed());
        assert_eq!(stage.in_flight().await, expected, "each carries one request");
        stage.passes(millis(50)).await;
    }
    stage.passes(seconds(5)).await;
    assert_eq!(stage.connections().await, 40, "never more than max_connections");
}

#[tokio::test]
async fn without_a_success_for_ten_seconds_there_is_one() {
    for (pause, expected) in [(10_000, 5), (10_001, 1)] {
        let stage = Stage::active(40).await;
        stage.passes(millis(pause)).await;
        crowd(&stage, 5);
        assert_eq!(stage.connections().await, expected, "after {pause} ms");
    }
}

#[tokio::test]
async fn connections_that_are_open_are_used_while_not_active() {
    let mut stage = Stage::active(40).await;
    crowd(&stage, 5);
    for _ in 0..5 {
        stage.webhook.request().await.accepts();
    }
    stage.delivering.quiet().await;
    stage.passes(seconds(11)).await;
    crowd(&stage, 8);
    assert_eq!((stage.connections().await, stage.in_flight().await), (5, 5));
}

#[tokio::test]
async fn no_more_are_opened_than_there_are_queues() {
    let stage = Stage::active(40).await;
    for _ in 0..5 {
        crowd(&stage, 3);
    }
    assert_eq!(stage.connections().await, 3);
}

#[tokio::test]
async fn the_one_that_has_been_idle_longest_is_used_next() {
    let mut stage = Stage::active(40).await;
    crowd(&stage, 3);
    let mut held = Vec::new();
    for _ in 0..3 {
        held.push(stage.webhook.request().await);
    }
    // Answered one after the other, last first.
    held.sort_by_key(|request| request.update_id());
    let queues_first: Vec<_> = stage.attempts()[1..].iter().map(|(_, attempt)| attempt.connection).collect();
    let mut expected = Vec::new();
    for (place, request) in held.into_iter().enumerate().rev() {
        request.accepts();
        stage.until("the answer is read", |stage| stage.delivering.info().in_flight == place).await;
        expected.push(queues_first[place]);
    }
    for _ in 0..6 {
        stage.push("message", 1);
        stage.webhook.request().await.accepts();
        stage.delivering.quiet().await;
    }
    let used: Vec<_> = stage.attempts()[4..].iter().map(|(_, attempt)| attempt.connection).collect();
    assert_eq!(used, [expected.clone(), expected].concat());
}

#[tokio::test]
async fn it_is_closed_a_minute_after_its_last_response() {
    let mut stage = Stage::active(40).await;
    stage.passes(seconds(30)).await;
    stage.push("message", 1);
    stage.webhook.request().await.accepts();
    stage.delivering.quiet().await;
    stage.passes(millis(59_999)).await;
    assert_eq!(stage.connections().await, 1);
    stage.passes(millis(1)).await;
    assert_eq!(stage.connections().await, 0);
    assert_eq!(stage.webhook.closed().await, (1, Vec::new()));
    assert_eq!(stage.last_error(), None);
}

#[tokio::test]
async fn a_response_that_ends_the_connection_is_taken_and_the_next_needs_a_new_one() {
    let closing =
        [response("200 OK", "Connection: close\r\n", ""), b"HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n".to_vec()];
    for answer in closing {
        let mut stage = Stage::new(40).await;
        stage.push("message", 1);
        stage.webhook.request().await.answers(answer);
        assert_eq!(stage.webhook.closed().await.0, 1);
        stage.delivering.quiet().await;
        assert_eq!(stage.around.updates.pending(), 0);
        stage.push("message", 1);
        assert_eq!(stage.webhook.request().await.connection, 2);
    }
}

#[tokio::test]
async fn what_is_written_unasked_is_the_answer_to_the_next_update() {
    let mut stage = Stage::new(40).await;
    stage.push("message", 1);
    let early = [response("200 OK", "", ""), response("408 Request Timeout", "", "")].concat();
    stage.webhook.request().await.answers(early);
    stage.delivering.quiet().await;
    stage.push("message", 1);
    stage.until("the next has its answer", |stage| stage.attempts().len() == 3).await;
    let statuses: Vec<_> = stage.attempts().iter().map(|(_, attempt)| attempt.status).collect();
    assert_eq!(statuses, [Some(200), Some(408), None]);
    assert_eq!(stage.last_error().as_deref(), Some("Wrong response from the webhook: 408 Request Timeout"));
}

#[tokio::test]
async fn a_connection_that_the_server_closed_while_idle_is_not_used() {
    let mut stage = Stage::active(40).await;
    stage.push("message", 1);
    stage.webhook.request().await.answers_and_closes(response("200 OK", "", ""));
    // An active webhook keeps one connection, so another is opened.
    stage.push("message", 1);
    let second = stage.webhook.request().await;
    assert_eq!(second.connection, 2);
    second.accepts();
    stage.delivering.quiet().await;
    assert_eq!(stage.last_error(), None, "a close without an error of the socket is not told");
}

#[tokio::test]
async fn a_refused_connection_is_a_failed_attempt_and_another_is_opened_each_two_seconds() {
    let webhook = Webhook::opens().await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let dead = listener.local_addr().unwrap();
    drop(listener);
    let stage = Stage::at(&format!("http://{dead}/"), None, 40, surroundings(1), webhook);
    stage.until("the first connection is refused", |stage| stage.last_error().is_some()).await;
    assert_eq!(stage.last_error().as_deref(), Some("Connection refused"));
    assert_eq!(stage.connections().await, 0);

    stage.push("message", 1);
    assert_eq!(stage.in_flight().await, 0, "opened at zero, so the next is at two");
    for attempt in 1..=3 {
        stage.passes(seconds(2)).await;
        stage.delivering.quiet().await;
        assert_eq!(stage.last().attempt, attempt);
    }
    let at: Vec<_> = stage.attempts().iter().map(|(at, _)| at.as_secs()).collect();
    assert_eq!(at, [2, 4, 6]);
}
