//! When a failed update is sent again, and when no longer.

use super::stage::{Stage, millis, seconds, surroundings};
use super::webhook::response;
use std::time::Duration;
use tapgate::clock::Timestamp;
use tapgate::sandbox::wire::Verdict;

/// Fails every attempt as `headers` say, jumping from one to the next; not a millisecond before it is due does it come.
/// The seconds of all attempts, until the update expires or `most` were made.
async fn attempts(stage: &mut Stage, headers: &str, most: usize) -> Vec<u64> {
    for attempt in 1..=most {
        stage.webhook.request().await.answers(response("500 x", headers, ""));
        stage
            .until("the answer is read", |stage| {
                let first = &stage.attempts()[attempt - 1].1;
                first.verdict != Verdict::InFlight
            })
            .await;
        let due = match &stage.attempts()[attempt - 1].1.verdict {
            Verdict::Retry { due, .. } => *due,
            Verdict::Expired { .. } => break,
            other => panic!("{other:?}"),
        };
        if due > stage.around.clock.now() {
            stage.passes_until(Timestamp::from_unix_millis(due.unix_millis() - 1)).await;
            assert_eq!(stage.attempts().len(), attempt, "too early");
            stage.passes(millis(1)).await;
        }
    }
    stage.attempts().into_iter().take(most).map(|(at, _)| at.as_secs()).collect()
}

fn waits(at: &[u64]) -> Vec<u64> {
    at.windows(2).map(|two| two[1] - two[0]).collect()
}

#[tokio::test]
async fn waits_are_0_2_4_8_16_32_then_a_minute_and_then_one_or_two() {
    for seed in 1..=3 {
        let mut stage = Stage::with(1, surroundings(seed)).await;
        stage.push("message", 1);
        let waits = waits(&attempts(&mut stage, "", 14).await);
        assert_eq!(waits[..6], [0, 2, 4, 8, 16, 32]);
        assert!((60..=64).contains(&waits[6]), "{waits:?}");
        assert!(waits[7..].iter().all(|wait| (60..=120).contains(wait)), "{waits:?}");
    }
}

#[tokio::test]
async fn the_same_seed_has_the_same_waits() {
    let mut runs = Vec::new();
    for seed in [5, 5, 6] {
        let mut stage = Stage::with(1, surroundings(seed)).await;
        stage.push("message", 1);
        runs.push(attempts(&mut stage, "", 12).await);
    }
    assert_eq!(runs[0], runs[1]);
    assert_ne!(runs[0], runs[2]);
}

#[tokio::test]
async fn retry_after_replaces_the_wait_at_any_failure() {
    for (asked, wait) in [("1", 1), ("17", 17), ("3600", 3600), ("99999", 3600)] {
        let mut stage = Stage::new(1).await;
        stage.push("message", 1);
        let at = attempts(&mut stage, &format!("Retry-After: {asked}\r\n"), 4).await;
        assert_eq!(waits(&at), [wait; 3], "{asked}");
    }
    for junk in ["0", "soon", "-1"] {
        let mut stage = Stage::new(1).await;
        stage.push("message", 1);
        let at = attempts(&mut stage, &format!("Retry-After: {junk}\r\n"), 4).await;
        assert_eq!(waits(&at), [0, 2, 4], "{junk}");
    }
}

#[tokio::test]
async fn a_press_that_fails_fast_is_tried_eight_times() {
    let mut stage = Stage::new(1).await;
    stage.push("callback_query", 1);
    let at = attempts(&mut stage, "", 20).await;
    assert_eq!(at[..7], [0, 0, 2, 6, 14, 30, 62]);
    assert!((122..=126).contains(&at[7]), "{at:?}");
    assert_eq!(at.len(), 8);
    assert_eq!(stage.around.updates.pending(), 0);
    assert!(matches!(stage.last().verdict, Verdict::Expired { .. }));
}

#[tokio::test]
async fn a_press_that_hangs_is_tried_three_times() {
    let mut stage = Stage::new(1).await;
    stage.push("callback_query", 1);
    let mut held = Vec::new();
    for attempt in 1..=3 {
        held.push(stage.webhook.request().await);
        stage.passes(seconds(60)).await;
        if attempt == 2 {
            assert_eq!(stage.due().unix_millis() - stage.around.clock.now().unix_millis(), 2000);
            stage.passes(seconds(2)).await;
        }
    }
    let at: Vec<_> = stage.attempts().iter().map(|(at, _)| at.as_secs()).collect();
    assert_eq!(at, [0, 60, 122]);
    assert!(matches!(stage.last().verdict, Verdict::Expired { .. }));
}

#[tokio::test]
async fn an_inline_query_is_tried_for_half_a_minute() {
    let mut stage = Stage::new(1).await;
    stage.push("inline_query", 1);
    assert_eq!(attempts(&mut stage, "", 20).await, [0, 0, 2, 6, 14, 30]);
}

#[tokio::test]
async fn expiry_is_measured_at_the_end_of_the_wait() {
    let cases: [(Duration, usize); 2] = [(seconds(100), 2), (millis(99_999), 1)];
    for (lives, tried) in cases {
        let mut stage = Stage::new(1).await;
        stage.push_living("message", 1, lives);
        let at = attempts(&mut stage, "Retry-After: 100\r\n", 2).await;
        assert_eq!(at.len(), tried, "{lives:?}");
    }
}
