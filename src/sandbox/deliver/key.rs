//! Pure: no I/O, no clock. Which webhook queue an update belongs to, and how long it is kept.
//!
//! Source: tdlib/telegram-bot-api `Client.cpp`, the `add_update_…` and `process_new_…` functions.

use std::time::Duration;

/// The shift that tells queues of different kinds apart: `k · 2^33`, added to the id.
const SHIFT: i64 = 1 << 33;

/// The webhook queue of an update of `kind`. `id` is the chat's for messages, reactions, boosts, `my_chat_member` and
/// business messages, the poll's for polls, and the user's for the rest (`chat_member`: of the member concerned). Unknown
/// kinds have queues of their own, which zero says.
pub fn queue_key(kind: &str, id: i64) -> i64 {
    let k = match kind {
        "message" | "edited_message" | "channel_post" | "edited_channel_post" | "poll" | "poll_answer" => 0,
        "inline_query" => 1,
        "chosen_inline_result" => 2,
        "callback_query" => 3,
        "shipping_query" | "pre_checkout_query" => 4,
        "my_chat_member" => 5,
        "chat_member" | "chat_join_request" => 6,
        "chat_boost" | "removed_chat_boost" => 7,
        "message_reaction" => 8,
        "message_reaction_count" => 9,
        "business_connection" => 10,
        "business_message" | "edited_business_message" | "deleted_business_messages" => 11,
        "purchased_paid_media" | "guest_message" => 12,
        "managed_bot" => 13,
        _ => return 0,
    };
    id.saturating_add(k * SHIFT)
}

/// The id of a webhook queue, whatever kind it is of; of groups only that of their messages.
pub fn queue_id(queue: i64) -> i64 {
    if queue < 0 { queue } else { queue % SHIFT }
}

/// How long an update of `kind` is kept, from its date on.
pub fn lives(kind: &str) -> Duration {
    Duration::from_secs(match kind {
        "inline_query" => 30,
        "chosen_inline_result" | "custom_event" => 600,
        "callback_query" | "shipping_query" | "pre_checkout_query" => 150,
        _ => 86_400,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_and_a_press_of_one_user_are_in_different_queues() {
        assert_eq!(queue_key("message", 7), 7);
        assert_eq!(queue_key("edited_message", 7), 7);
        assert_eq!(queue_key("callback_query", 7), 7 + 3 * 8_589_934_592);
        assert_eq!(queue_key("message", -100_123), -100_123);
        assert_eq!(queue_key("something_new", 7), 0);
        assert_eq!(queue_id(queue_key("callback_query", 7)), 7);
        assert_eq!(queue_id(queue_key("message", -100_123)), -100_123);
    }

    #[test]
    fn what_waits_for_an_answer_is_not_kept_for_a_day() {
        assert_eq!(lives("callback_query"), Duration::from_secs(150));
        assert_eq!(lives("pre_checkout_query"), Duration::from_secs(150));
        assert_eq!(lives("inline_query"), Duration::from_secs(30));
        assert_eq!(lives("message"), Duration::from_secs(24 * 60 * 60));
    }
}
