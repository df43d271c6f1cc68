//! What rides in the answer, byte for byte, and that nothing else leaves for it.

use super::{first_button, on_both_profiles, starts};
use crate::harness::deployment::Deployment;
use crate::harness::telegram::User;

on_both_profiles!(
    a_press_is_answered_in_the_response,
    an_unknown_command_gets_a_notice_and_moves_nothing,
    a_suspended_user_gets_a_notice_and_nothing_else,
    an_old_button_gets_a_notice_and_the_current_screen,
    what_is_not_from_a_private_chat_touches_no_row,
);

/// The text of a notice in the shipped flow's English file.
fn notice(message: &str) -> String {
    let texts = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/config/flows/companion/en.ftl")).unwrap();
    let line = texts.lines().find_map(|line| line.strip_prefix(message)?.trim_start().strip_prefix('='));
    line.unwrap_or_else(|| panic!("en.ftl has no line {message}")).trim().to_owned()
}

async fn a_press_is_answered_in_the_response(deployment: Deployment) {
    let bot = deployment.adds_bot("shop").await;
    let server = deployment.serves().await;
    let ann = User::named("Ann");
    let screen = starts(&deployment, &server, &bot, &ann).await;
    let press = ann.taps(&first_button(&screen), screen.id);
    let answer = server.telegram(&bot).posts(&press).await;
    let update: serde_json::Value = serde_json::from_slice(&press.body).unwrap();
    let query = update["callback_query"]["id"].as_str().unwrap();
    assert_eq!(answer.text(), format!(r#"{{"method":"answerCallbackQuery","callback_query_id":"{query}"}}"#));
    assert_eq!(answer.header("content-type"), Some("application/json"));
    deployment.bot_api.wait_for(1, "editMessageText").await;
    assert!(deployment.bot_api.calls_of("answerCallbackQuery").is_empty());
}

async fn an_unknown_command_gets_a_notice_and_moves_nothing(deployment: Deployment) {
    let bot = deployment.adds_bot("shop").await;
    let server = deployment.serves().await;
    let ann = User::named("Ann");
    starts(&deployment, &server, &bot, &ann).await;
    let before = deployment.chat(&bot, ann.id).await;
    let answer = server.telegram(&bot).posts(&ann.says("/nosuchcommand")).await;
    let text = notice("notice-unknown-command");
    assert_eq!(
        answer.text(),
        format!(r#"{{"method":"sendMessage","chat_id":{},"text":"{text}","parse_mode":"HTML"}}"#, ann.id)
    );
    assert_eq!(deployment.chat(&bot, ann.id).await["version"], before["version"]);
    assert_eq!(only_screens_left(&deployment, &ann), 1);
}

async fn a_suspended_user_gets_a_notice_and_nothing_else(deployment: Deployment) {
    let bot = deployment.adds_bot("shop").await;
    let server = deployment.serves().await;
    let ann = User::named("Ann");
    let screen = starts(&deployment, &server, &bot, &ann).await;
    deployment.botctl(&["chat", "ban", "--chat", &ann.id.to_string()]).await;
    let before = deployment.chat(&bot, ann.id).await;
    assert_eq!(before["banned"], true);

    let telegram = server.telegram(&bot);
    let text = notice("notice-suspended");
    let answer = telegram.posts(&ann.says("/start")).await;
    assert_eq!(
        answer.text(),
        format!(r#"{{"method":"sendMessage","chat_id":{},"text":"{text}","parse_mode":"HTML"}}"#, ann.id)
    );
    let press = ann.taps(&first_button(&screen), screen.id);
    let answer = telegram.posts(&press).await;
    assert_eq!(answer.json()["method"], "answerCallbackQuery");
    assert_eq!(answer.json()["show_alert"], true);
    assert_eq!(deployment.chat(&bot, ann.id).await, before);

    deployment.botctl(&["chat", "unban", "--chat", &ann.id.to_string()]).await;
    telegram.posts(&ann.says("/start")).await;
    deployment.bot_api.wait_for(2, "sendMessage").await;
    assert_eq!(only_screens_left(&deployment, &ann), 2);
}

async fn an_old_button_gets_a_notice_and_the_current_screen(deployment: Deployment) {
    let bot = deployment.adds_bot("shop").await;
    let server = deployment.serves().await;
    let ann = User::named("Ann");
    let screen = starts(&deployment, &server, &bot, &ann).await;
    let before = deployment.chat(&bot, ann.id).await;
    let answer = server.telegram(&bot).posts(&ann.taps("gone:button", screen.id + 1000)).await;
    assert_eq!(answer.json()["method"], "answerCallbackQuery");
    assert!(!answer.json()["text"].as_str().unwrap().is_empty());
    let edits = deployment.bot_api.wait_for(1, "editMessageText").await;
    assert_eq!(edits[0].number("message_id"), Some(screen.id + 1000), "the pressed message shows the current screen");
    assert_eq!(edits[0].text("text"), screen.text);
    assert_eq!(deployment.chat(&bot, ann.id).await["desired"], before["desired"], "a redraw keeps the revision");
}

async fn what_is_not_from_a_private_chat_touches_no_row(deployment: Deployment) {
    let bot = deployment.adds_bot("shop").await;
    let server = deployment.serves().await;
    let ann = User::named("Ann");
    let answer = server.telegram(&bot).posts(&ann.says_in_group(-100_200_300, "/start")).await;
    assert_eq!((answer.status, answer.text()), (200, ""));
    assert_eq!(super::versions(&deployment).await, Vec::<i64>::new());
    assert_eq!(server.metric("tapgate_notes_total", "not_private").await, 1.0);
}

/// How many calls about the user's chat there were, all of which must be sends of a screen or removals of an old one.
fn only_screens_left(deployment: &Deployment, user: &User) -> usize {
    let calls: Vec<_> = deployment.bot_api.calls().into_iter().filter(|call| call.chat() == Some(user.id)).collect();
    assert!(calls.iter().all(|call| ["sendMessage", "deleteMessage"].contains(&call.method.as_str())), "{calls:#?}");
    calls.iter().filter(|call| call.method == "sendMessage").count()
}
