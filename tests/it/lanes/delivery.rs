//! What becomes of a result after the worker has given it: seen and spent, or never seen and given back.

use super::stand::Stand;
use crate::harness::bot_api::Reply;
use crate::harness::deployment::Deployment;
use crate::harness::patience;
use crate::harness::telegram::User;
use crate::path::on_both_profiles;
use serde_json::{Value, json};

on_both_profiles!(
    what_it_cost_is_spent_when_telegram_has_confirmed_it,
    who_blocked_the_bot_meanwhile_pays_nothing,
    a_long_text_arrives_in_parts_and_markup_that_telegram_refuses_as_plain_text,
    a_result_outlives_its_server,
    a_user_who_waits_is_told_how_the_queue_gets_shorter,
    a_picture_that_nobody_sends_is_removed_after_a_week,
);

/// The amounts of the user's ledger of that kind.
async fn booked(stand: &Stand, user: &User, kind: &str) -> Vec<i64> {
    let chat = stand.chat(user).await;
    let lines = chat["ledger"].as_array().unwrap().iter().filter(|line| line["kind"] == kind);
    lines.map(|line| line["amount"].as_i64().unwrap()).collect()
}

async fn until_booked(stand: &Stand, user: &User, kind: &str, amounts: &[i64]) {
    patience::until(kind, async || (booked(stand, user, kind).await == amounts).then_some(())).await;
}

fn text(text: &str) -> Value {
    json!({"contents": [{"text": text}]})
}

async fn what_it_cost_is_spent_when_telegram_has_confirmed_it(deployment: Deployment) {
    let stand = Stand::on(deployment).await;
    let ann = stand.asks("Why?").await;
    let worker = stand.worker();
    let job = worker.takes("text").await;
    let id = ann.id;
    let (reply, hand) = Reply::done().held();
    stand
        .deployment
        .bot_api
        .answer_when(move |call| (call.chat() == Some(id) && call.text("text") == "Because").then(|| reply.clone()));
    worker.tells(&job, "complete", text("Because")).await;
    stand
        .deployment
        .bot_api
        .wait_until("the result is on its way", |api| {
            api.calls().iter().any(|call| call.text("text") == "Because").then_some(())
        })
        .await;
    assert_eq!(booked(&stand, &ann, "reserved").await, [-1]);
    assert_eq!(booked(&stand, &ann, "spent").await, Vec::<i64>::new(), "nobody knows yet whether it arrives");
    hand.let_go();
    until_booked(&stand, &ann, "spent", &[0]).await;
    assert_eq!((booked(&stand, &ann, "returned").await, &stand.chat(&ann).await["balance"]), (vec![], &json!(99)));
}

async fn who_blocked_the_bot_meanwhile_pays_nothing(deployment: Deployment) {
    let stand = Stand::on(deployment).await;
    let ann = stand.asks("Why?").await;
    let worker = stand.worker();
    let job = worker.takes("text").await;
    let id = ann.id;
    stand.deployment.bot_api.answer_when(move |call| {
        (call.chat() == Some(id)).then(|| Reply::refused(403, "Forbidden: bot was blocked by the user"))
    });
    let parts = json!({"contents": [{"text": "One"}, {"text": "Two"}, {"text": "Three"}]});
    worker.tells(&job, "complete", parts).await;
    until_booked(&stand, &ann, "returned", &[1]).await;
    assert_eq!(stand.chat(&ann).await["balance"], json!(100));
    let asked = stand
        .deployment
        .bot_api
        .calls()
        .into_iter()
        .filter(|call| call.chat() == Some(id) && ["One", "Two", "Three"].contains(&call.text("text")));
    assert_eq!(asked.count(), 1, "what was queued with it goes the same way without being asked for");
}

async fn a_long_text_arrives_in_parts_and_markup_that_telegram_refuses_as_plain_text(deployment: Deployment) {
    let stand = Stand::on(deployment).await;
    let ann = stand.asks("Tell me all").await;
    let worker = stand.worker();
    let job = worker.takes("text").await;
    let long = "All of it. ".repeat(900);
    let buttons = json!([[{"label": "Home", "screen": "home"}]]);
    worker.tells(&job, "complete", json!({"contents": [{"text": long.trim(), "buttons": buttons}]})).await;
    stand.sees(&ann, "After").await;
    let messages = stand.deployment.bot_api.messages(ann.id);
    let parts: Vec<_> = messages.iter().filter(|message| message.text.contains("All of it.")).collect();
    assert_eq!(parts.len(), 3);
    assert!(parts.iter().all(|part| part.text.chars().count() <= 4096));
    let with_buttons: Vec<bool> = parts.iter().map(|part| part.buttons().count() > 0).collect();
    assert_eq!(with_buttons, [false, false, true]);

    // Under content a button opens its screen below, and the content stays.
    let last = parts[2];
    stand.server.telegram(&stand.bot).posts(&ann.taps(&last.button("Home"), last.id)).await;
    stand.sees(&ann, "Home, 99 left").await;
    assert!(stand.deployment.bot_api.messages(ann.id).iter().any(|message| message == last), "content is never edited");

    stand.posts(&ann, "And?").await;
    let job = worker.takes("text").await;
    let refusal = "Bad Request: can't parse entities: Unsupported start tag \"x\" at byte offset 0";
    let id = ann.id;
    stand.deployment.bot_api.answer_when(move |call| {
        let marked = call.chat() == Some(id) && call.text("text") == "<b>So</b>";
        (marked && call.text("parse_mode") == "HTML").then(|| Reply::refused(400, refusal))
    });
    worker.tells(&job, "complete", json!({"contents": [{"html": "<b>So</b>"}]})).await;
    stand
        .deployment
        .bot_api
        .wait_until("the plain text", |api| {
            api.messages(ann.id).iter().any(|message| message.text == "So").then_some(())
        })
        .await;
    until_booked(&stand, &ann, "spent", &[0, 0]).await;
}

async fn a_result_outlives_its_server(deployment: Deployment) {
    let mut stand = Stand::on(deployment).await;
    let ann = stand.asks("Why?").await;
    let worker = stand.worker();
    let job = worker.takes("text").await;
    let id = ann.id;
    stand
        .deployment
        .bot_api
        .answer_when(move |call| (call.chat() == Some(id) && call.text("text") == "Because").then(Reply::cut));
    worker.tells(&job, "complete", text("Because")).await;
    stand.server.kill();
    stand.deployment.bot_api.answer_as_usual();
    stand.server = stand.deployment.serves().await;
    stand.sees(&ann, "Because").await;
    until_booked(&stand, &ann, "spent", &[0]).await;
    stand.sees(&ann, "After, 99 left").await;
}

async fn a_user_who_waits_is_told_how_the_queue_gets_shorter(deployment: Deployment) {
    let stand = Stand::on(deployment).await;
    let first = stand.asks("First").await;
    let second = stand.asks("Second").await;
    stand.sees(&first, "Place 1").await;
    stand.sees(&second, "Place 2").await;
    let worker = stand.worker();
    let job = worker.takes("text").await;
    stand.sees(&second, "Place 1").await;
    stand.sees(&first, "Place 0").await;
    worker.tells(&job, "complete", text("There")).await;
    worker.takes("text").await;
    stand.sees(&second, "Place 0").await;
}

async fn a_picture_that_nobody_sends_is_removed_after_a_week(deployment: Deployment) {
    let mut stand = Stand::on(deployment).await;
    stand.asks("/draw a cat").await;
    let worker = stand.worker();
    let job = worker.takes("image").await;
    for _ in 0..2 {
        let (status, uploaded) = worker.uploads(&job, "image/png", b"\x89PNG\r\n\x1a\n and so on".to_vec()).await;
        assert_eq!(status, 200, "{uploaded}");
    }
    let files = "SELECT count(*) FROM files";
    assert_eq!(crate::path::count(&stand.deployment, files).await, 2);
    let now_minus = match stand.deployment.database {
        Some(_) => "now() - interval '1 day' *",
        None => "unixepoch() * 1000 - 86400000 *",
    };
    for (days, which) in [(8, "min"), (6, "max")] {
        let age = format!("UPDATE files SET at = {now_minus} {days} WHERE id = (SELECT {which}(id) FROM files)");
        stand.deployment.executes(&age).await;
    }
    // It looks when it starts, and every hour.
    stand.server.stops().await;
    stand.server = stand.deployment.serves().await;
    patience::until("the old one is gone", async || {
        (crate::path::count(&stand.deployment, files).await == 1).then_some(())
    })
    .await;
}
