//! What goes wrong on the wire leaves no trace in what users see: one effect, whatever happens to the delivery.

use super::script::transcript;

/// What a user does between two faults.
const ACTS: [&str; 6] = ["ann: /start", "ann: Hello!", "ann: [Talk]", "ann: [Luna]", "ann: [Back]", "ann: /menu"];

/// The transcript of all acts, each under `fault` (none: an empty line), without the lines that name it.
async fn under(fault: &str) -> String {
    let script: String = ACTS.iter().map(|act| format!("{fault}\n{act}\n")).collect();
    let printed = transcript(&script, &[]).await;
    printed.lines().filter(|line| !line.starts_with("fault")).map(|line| format!("{line}\n")).collect()
}

#[tokio::test]
async fn a_fault_of_a_delivery_changes_nothing_of_what_is_seen() {
    let undisturbed = under("").await;
    assert_eq!(undisturbed.matches("ann sees").count(), ACTS.len(), "{undisturbed}");
    for fault in
        ["fault lose-answer", "fault lose-answer 3 times", "fault delay-answer 200ms", "fault twice", "fault close"]
    {
        assert_eq!(under(fault).await, undisturbed, "{fault}");
    }
    let all_at_once = "fault twice\nfault lose-answer\nfault close 2 times";
    assert_eq!(under(all_at_once).await, undisturbed, "{all_at_once}");
}

#[tokio::test]
async fn a_fault_of_the_bot_api_is_waited_for() {
    let undisturbed = under("").await;
    for fault in ["fault slow 3s", "fault flood ann 1s"] {
        assert_eq!(under(fault).await, undisturbed, "{fault}");
    }
}

#[tokio::test]
async fn a_call_that_failed_is_made_again() {
    let printed = transcript("ann: /start\nfault fail 500\nann: /help\nann sees \"About\"\n", &[]).await;
    assert!(printed.ends_with("\nwhat was expected is so\n"), "{printed}");
}
