//! Updates as Telegram posts them, each with an id of its own.

use std::sync::atomic::{AtomicI64, Ordering};

/// How many users there are.
pub const CHATS: i64 = 20_000;

/// An id that no update of this run had before.
pub fn next_id() -> i64 {
    static NEXT: AtomicI64 = AtomicI64::new(100_000_000);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// The chat of an update: each of [`CHATS`] in turn, but not one beside the other in the table.
pub fn chat_of(update: i64) -> i64 {
    700_000_000 + update * 7919 % CHATS
}

/// A message of about 1.2 kB from the next chat.
pub fn next_message() -> String {
    let update = next_id();
    message(update, chat_of(update))
}

/// A message of about 1.2 kB.
pub fn message(update: i64, chat: i64) -> String {
    let (user, text) = (user(chat), "Would you tell me once more how it went on? ".repeat(18));
    format!(
        "{{\"update_id\":{update},\n\"message\":{{\"message_id\":4711,\"from\":{user},\"chat\":{},\"date\":1790000000,\
         \"text\":\"{text}\"}}}}",
        private(chat)
    )
}

/// A press of the first button of the start screen, with the message it stands under.
pub fn press(update: i64, chat: i64) -> String {
    let user = user(chat);
    let button = |name: &str| format!("[{{\"text\":\"\\u2728 {name}\",\"callback_data\":\"welcome:{name}\"}}]");
    let keyboard = ["characters", "talk", "shop", "settings"].map(button).join(",");
    format!(
        "{{\"update_id\":{update},\n\"callback_query\":{{\"id\":\"{chat}4711\",\"from\":{user},\"message\":{{\
         \"message_id\":4711,\"from\":{{\"id\":42,\"is_bot\":true,\"first_name\":\"Bench\",\"username\":\"bench_bot\"}},\
         \"chat\":{},\"date\":1790000000,\"text\":\"Welcome! You have 10 messages left. What would you like to do?\",\
         \"reply_markup\":{{\"inline_keyboard\":[{keyboard}]}}}},\
         \"chat_instance\":\"-8129381293812938\",\"data\":\"welcome:characters\"}}}}",
        private(chat)
    )
}

fn user(chat: i64) -> String {
    format!(
        "{{\"id\":{chat},\"is_bot\":false,\"first_name\":\"Ann\",\"last_name\":\"Example\",\
         \"username\":\"ann_example\",\"language_code\":\"en\"}}"
    )
}

fn private(chat: i64) -> String {
    format!(
        "{{\"id\":{chat},\"first_name\":\"Ann\",\"last_name\":\"Example\",\"username\":\"ann_example\",\
         \"type\":\"private\"}}"
    )
}
