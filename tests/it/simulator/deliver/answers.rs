//! Which answers count, and what getWebhookInfo says of the others.

use super::stage::{Stage, millis, seconds};
use super::webhook::response;
use tapgate::sandbox::wire::Verdict;

/// What one answer leads to: whether the update was delivered, the last error, and whether the connection was kept.
async fn after(answer: &[u8]) -> (bool, Option<String>, bool) {
    let mut stage = Stage::new(1).await;
    stage.push("message", 1);
    stage.webhook.request().await.answers(answer);
    stage.until("the answer is read", |stage| stage.attempts()[0].1.verdict != Verdict::InFlight).await;
    let delivered = stage.attempts()[0].1.verdict == Verdict::Delivered;
    if delivered {
        stage.push("message", 1);
    }
    // Where the connection was closed, the next is opened two seconds after the first.
    stage.passes(seconds(2)).await;
    let kept = stage.webhook.request().await.connection == 1;
    (delivered, stage.last_error(), kept)
}

#[tokio::test]
async fn a_status_of_the_two_hundreds_counts_whatever_the_body() {
    let good = [
        response("200 OK", "", ""),
        response("204 No Content", "", ""),
        response("299 ", "", ""),
        response("200 OK", "Content-Type: text/plain\r\n", "OK"),
        response("200 OK", "Content-Type: application/json\r\n", "{"),
        response("200 OK", "Content-Encoding: none\r\n", "x"),
        response("200 OK", "Retry-After: 60\r\n", ""),
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n".to_vec(),
        b"HTTP/1.1 200 OK\r\n\r\n".to_vec(),
    ];
    for answer in good {
        assert_eq!(after(&answer).await, (true, None, true), "{}", String::from_utf8_lossy(&answer));
    }
}

#[tokio::test]
async fn any_other_status_is_a_failure_that_keeps_the_connection() {
    for status in
        ["100 Continue", "199 x", "300 x", "302 Found", "404 Not Found", "410 Gone", "502 Bad Gateway", "503 "]
    {
        let location = "Location: http://127.0.0.1:1/\r\n";
        let (delivered, error, kept) = after(&response(status, location, "")).await;
        assert_eq!(error, Some(format!("Wrong response from the webhook: {status}")));
        assert!(!delivered && kept, "{status}");
    }
}

#[tokio::test]
async fn what_cannot_be_read_is_a_failure_that_is_answered_and_closes_the_connection() {
    let long = "x".repeat(1_048_577);
    let bad = [
        (b"HTTP/1.1 200\r\n\r\n".to_vec(), 400, "Bad Request"),
        (b"HTTP/2 200 OK\r\n\r\n".to_vec(), 505, "HTTP Version Not Supported"),
        (
            response("200 OK", "Content-Encoding: br\r\n", "x"),
            415,
            "Unsupported Media Type: unsupported content-encoding",
        ),
        (
            response("200 OK", "Content-Encoding: identity\r\n", "x"),
            415,
            "Unsupported Media Type: unsupported content-encoding",
        ),
        (
            response("200 OK", "Content-Type: application/json\r\n", &long),
            413,
            "Request Entity Too Large: too many parameters",
        ),
        (
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n".to_vec(),
            501,
            "Unimplemented: unsupported transfer-encoding",
        ),
    ];
    for (answer, status, message) in bad {
        let mut stage = Stage::new(1).await;
        stage.push("message", 1);
        stage.webhook.request().await.answers(&answer);
        let (connection, rest) = stage.webhook.closed().await;
        assert_eq!(connection, 1);
        let rest = String::from_utf8(rest).unwrap();
        // A reset may come first where there was much left unread.
        if answer.len() < 1000 {
            assert!(rest.starts_with(&format!("HTTP/1.1 {status} ")), "{message}: {rest}");
        }
        stage.until("the failure is told", |stage| stage.last_error().is_some()).await;
        assert_eq!(stage.last_error().as_deref(), Some(message));
        assert_eq!(stage.around.updates.pending(), 1);
    }
}

#[tokio::test]
async fn a_connection_closed_without_an_answer_is_a_failure_that_nobody_is_told_of() {
    for part in ["", "HTTP/1.1 200 OK\r\nContent-Le", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{"] {
        let mut stage = Stage::new(1).await;
        stage.push("message", 1);
        stage.webhook.request().await.answers_and_closes(part);
        stage.until("the close is seen", |stage| stage.last().verdict != Verdict::InFlight).await;
        assert!(matches!(stage.last().verdict, Verdict::Retry { .. }), "{part}");
        assert_eq!((stage.last().status, stage.last_error()), (None, None));
    }
}

#[tokio::test]
async fn a_minute_after_the_request_telegram_gives_up_whatever_had_come() {
    for part in ["", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{"] {
        let mut stage = Stage::new(1).await;
        stage.passes(seconds(10)).await;
        stage.push("message", 1);
        let request = stage.webhook.request().await;
        stage.passes(seconds(30)).await;
        request.answers(part);
        stage.passes(millis(29_999)).await;
        assert_eq!((stage.in_flight().await, stage.last_error()), (1, None));
        stage.passes(millis(1)).await;
        assert_eq!(stage.last_error().as_deref(), Some("Read timeout expired"));
        let again = stage.webhook.request().await;
        assert_eq!(again.connection, 2, "the old connection was closed");
        assert_eq!(stage.attempts().iter().map(|(at, _)| at.as_secs()).collect::<Vec<_>>(), [10, 70], "and no wait");
        again.accepts();
        stage.delivering.quiet().await;
        assert_eq!(stage.last_error().as_deref(), Some("Read timeout expired"), "a success does not clear it");
    }
}

#[tokio::test]
async fn a_webhook_that_is_gone_for_23_hours_is_removed() {
    let gone = response("410 Gone", "Retry-After: 3600\r\n", "");
    let mut stage = Stage::new(1).await;
    stage.push_living("message", 1, seconds(1_000_000));
    for hour in 0..=23 {
        stage.webhook.request().await.answers(&gone);
        stage.delivering.quiet().await;
        assert!(!stage.delivering.info().removed, "after {hour} hours");
        stage.passes(seconds(3600)).await;
    }
    stage.webhook.request().await.answers(&gone);
    stage.delivering.quiet().await;
    assert!(stage.delivering.info().removed);
    assert_eq!(stage.around.updates.pending(), 1, "what was pending stays");
}

#[tokio::test]
async fn another_answer_between_begins_the_23_hours_anew() {
    let mut stage = Stage::new(1).await;
    stage.push_living("message", 1, seconds(1_000_000));
    for hour in 0..=30 {
        let status = if hour == 12 { "500 x" } else { "410 Gone" };
        stage.webhook.request().await.answers(response(status, "Retry-After: 3600\r\n", ""));
        stage.delivering.quiet().await;
        assert!(!stage.delivering.info().removed, "after {hour} hours");
        stage.passes(seconds(3600)).await;
    }
}
