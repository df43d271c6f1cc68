//! Who can be written to, and what can be deleted.

use super::Stand;
use std::time::Duration;

#[tokio::test]
async fn only_who_has_started_the_bot_can_be_written_to() {
    let stand = Stand::new();
    let (ann, ben) = (stand.ann.to_string(), stand.world.add_user("Ben", None));
    let ben_id = ben.to_string();
    for (chat, expected) in [
        ("", "Bad Request: chat_id is empty"),
        ("0", "Bad Request: chat not found"),
        ("-1", "Bad Request: chat not found"),
        ("not_a_chat", "Bad Request: chat not found"),
        ("@nobody_of_this_name", "Bad Request: chat not found"),
        (&ben_id, "Bad Request: chat not found"),
    ] {
        assert_eq!(stand.refusal("sendMessage", &[("chat_id", chat), ("text", "x")]).await, expected, "{chat}");
    }
    // Seen in a group, he is known.
    stand.world.says_in_group(ben, "hello").unwrap();
    let to_ben = [("chat_id", &*ben_id), ("text", "x")];
    assert_eq!(stand.refusal("sendMessage", &to_ben).await, "Forbidden: bot can't initiate conversation with a user");
    stand.world.says(ben, "/start").unwrap();
    stand.done("sendMessage", &to_ben).await;

    stand.world.blocks(stand.ann).unwrap();
    for (method, more) in [("sendMessage", ("text", "x")), ("sendChatAction", ("action", "typing"))] {
        let values = [("chat_id", &*ann), more];
        assert_eq!(stand.refusal(method, &values).await, "Forbidden: bot was blocked by the user", "{method}");
        assert_eq!(stand.answer(method, super::stand::parameters(&values)).await.status, 403);
    }
    stand.world.unblocks(stand.ann).unwrap();
    stand.sent("again").await;
}

#[tokio::test]
async fn a_message_can_be_deleted_for_two_days() {
    let stand = Stand::new();
    let ann = stand.ann.to_string();
    let (first, second) = (stand.sent("first").await.to_string(), stand.sent("second").await.to_string());
    for (values, expected) in [
        (vec![("message_id", &*first)], "Bad Request: chat identifier is not specified"),
        (vec![("chat_id", &*ann)], "Bad Request: message identifier is not specified"),
        (vec![("chat_id", &*ann), ("message_id", "-5")], "Bad Request: message identifier is not specified"),
        (vec![("chat_id", &*ann), ("message_id", "999")], "Bad Request: message to delete not found"),
        (vec![("chat_id", "5"), ("message_id", "1")], "Bad Request: chat not found"),
    ] {
        assert_eq!(stand.refusal("deleteMessage", &values).await, expected, "{values:?}");
    }
    stand.clock.advance(Duration::from_secs(48 * 3600 - 1));
    stand.done("deleteMessage", &[("chat_id", &ann), ("message_id", &first)]).await;
    assert_eq!(
        stand.refusal("deleteMessage", &[("chat_id", &ann), ("message_id", &first)]).await,
        "Bad Request: message to delete not found"
    );
    stand.clock.advance(Duration::from_secs(1));
    assert_eq!(
        stand.refusal("deleteMessage", &[("chat_id", &ann), ("message_id", &second)]).await,
        "Bad Request: message can't be deleted for everyone"
    );
}

#[tokio::test]
async fn what_a_user_wrote_can_be_deleted_in_their_chat_and_not_in_a_group() {
    let stand = Stand::new();
    let (ann, group) = (stand.ann.to_string(), stand.world.group().to_string());
    let (here, there) = (stand.world.says(stand.ann, "x").unwrap(), stand.world.says_in_group(stand.ann, "x").unwrap());
    stand.done("deleteMessage", &[("chat_id", &ann), ("message_id", &here.to_string())]).await;
    assert_eq!(
        stand.refusal("deleteMessage", &[("chat_id", &group), ("message_id", &there.to_string())]).await,
        "Bad Request: message can't be deleted"
    );
}

#[tokio::test]
async fn an_action_is_shown_for_five_seconds_or_until_a_message() {
    let stand = Stand::new();
    let ann = stand.ann.to_string();
    assert_eq!(
        stand.refusal("sendChatAction", &[("chat_id", &ann), ("action", "dance")]).await,
        "Bad Request: wrong parameter action in request"
    );
    let types = [("chat_id", &*ann), ("action", "TYPING")];
    stand.done("sendChatAction", &types).await;
    assert_eq!(stand.chat().action.as_deref(), Some("typing"));
    let mut changed = stand.world.changed();
    changed.borrow_and_update();
    stand.clock.advance(Duration::from_secs(5));
    changed.changed().await.unwrap();
    assert_eq!(stand.chat().action, None, "whoever watches is told that it is over");

    stand.done("sendChatAction", &types).await;
    stand.sent("here").await;
    assert_eq!(stand.chat().action, None);
}
