//! Recorded updates of every kind, posted to the real server: each is acknowledged, and those that are nothing to it
//! leave no trace. Which ones those are is told here anew, from plain JSON.

use super::{count, on_both_profiles};
use crate::harness::deployment::Deployment;
use crate::harness::telegram::{Update, fresh_id};
use crate::parsing;
use serde_json::Value;

on_both_profiles!(every_recorded_update_is_acknowledged_and_what_is_nothing_to_us_changes_nothing);

struct Recorded {
    name: String,
    update: Update,
    /// It may change a row.
    is_event: bool,
}

async fn every_recorded_update_is_acknowledged_and_what_is_nothing_to_us_changes_nothing(deployment: Deployment) {
    let bot = deployment.adds_bot("shop").await;
    let server = deployment.serves().await;
    let telegram = server.telegram(&bot);
    let (events, others): (Vec<_>, Vec<_>) = recorded().into_iter().partition(|recorded| recorded.is_event);
    assert!(!events.is_empty() && !others.is_empty(), "the folder has some of both");
    let undecodable = others.iter().filter(|recorded| recorded.name.starts_with("message__notype")).count();

    for Recorded { name, update, .. } in &others {
        assert_eq!(telegram.posts(update).await.status, 200, "{name}");
    }
    for table in ["chats", "jobs"] {
        assert_eq!(count(&deployment, &format!("SELECT count(*) FROM {table}")).await, 0, "rows in {table}");
    }
    assert_eq!(count(&deployment, "SELECT count(*) FROM dead_updates").await, undecodable as i64);

    for Recorded { name, update, .. } in &events {
        assert_eq!(telegram.posts(update).await.status, 200, "{name}");
    }
    assert!(count(&deployment, "SELECT count(*) FROM chats").await > 0);
    assert_eq!(count(&deployment, "SELECT count(*) FROM dead_updates").await, undecodable as i64);
    println!("{} updates of the private chat, {} others", events.len(), others.len());
}

fn recorded() -> Vec<Recorded> {
    let mut all: Vec<_> = parsing::recorded::files()
        .map(|(name, body)| {
            let value: Value = serde_json::from_slice(&body).unwrap_or_else(|error| panic!("{name}: {error}"));
            let is_event = is_event(&value);
            Recorded { update: with_fresh_id(&name, &body), name, is_event }
        })
        .collect();
    all.sort_by(|left, right| left.name.cmp(&right.name));
    all
}

/// Recorded ids repeat; these must not be taken for repeats.
fn with_fresh_id(name: &str, body: &[u8]) -> Update {
    const HEAD: &[u8] = b"{\"update_id\":";
    let rest = body.strip_prefix(HEAD).unwrap_or_else(|| panic!("{name} does not begin as Telegram's updates do"));
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit() || **byte == b'-').count();
    let id = fresh_id();
    Update::raw(id, [HEAD, id.to_string().as_bytes(), &rest[digits..]].concat())
}

/// What a user sends without words (Bot API, Message): the kinds of content, not those of service messages.
const THINGS: [&str; 15] = [
    "audio",
    "checklist",
    "contact",
    "dice",
    "document",
    "game",
    "location",
    "paid_media",
    "photo",
    "poll",
    "sticker",
    "story",
    "video",
    "video_note",
    "voice",
];

/// Whether a user did something in their own private chat that a dialogue can be about.
fn is_event(update: &Value) -> bool {
    let kinds = ["message", "callback_query", "pre_checkout_query", "my_chat_member"];
    let mut present = kinds.iter().filter(|kind| update.get(**kind).is_some_and(|object| !object.is_null()));
    let (Some(kind), None) = (present.next(), present.next()) else { return false };
    let object = &update[kind];
    let is_own_chat = |chat: &Value| {
        chat["type"] == "private" && chat["id"] == object["from"]["id"] && object["from"]["is_bot"] != true
    };
    match *kind {
        "message" => {
            let paid = !object["successful_payment"].is_null() || !object["refunded_payment"].is_null();
            let words = object["text"].is_string() || object["caption"].is_string();
            is_own_chat(&object["chat"]) && !paid && (words || THINGS.iter().any(|thing| !object[thing].is_null()))
        }
        "callback_query" => is_own_chat(&object["message"]["chat"]),
        "my_chat_member" => {
            let status = &object["new_chat_member"]["status"];
            is_own_chat(&object["chat"]) && (status == "member" || status == "kicked")
        }
        _ => false,
    }
}
