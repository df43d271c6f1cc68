//! What was queued leaves for the Bot API, and what Telegram confirmed is written down.

use super::{first_button, on_both_profiles, sees_a_screen, starts};
use crate::harness::bot_api::{BotApi, Reply};
use crate::harness::deployment::Deployment;
use crate::harness::patience;
use crate::harness::server::Server;
use crate::harness::telegram::User;
use std::time::Duration;

on_both_profiles!(
    two_hundred_sends_in_a_row_use_one_connection,
    a_press_edits_its_message_and_a_text_moves_the_screen_below_it,
    a_screen_is_sent_by_another_process_too,
    a_process_that_only_sends_sends_what_another_took_in,
    what_the_same_process_took_in_is_sent_at_once,
    a_bot_api_that_does_not_answer_delays_no_update,
    a_rate_limit_holds_the_chat_for_as_long_as_telegram_says,
    a_failed_send_is_tried_again,
    a_message_that_cannot_be_edited_is_sent_anew,
    a_message_that_was_replaced_is_gone_before_the_chats_next_job,
    markup_that_telegram_refuses_goes_once_more_as_plain_text,
    a_chat_that_cannot_be_read_holds_up_no_other,
);

async fn two_hundred_sends_in_a_row_use_one_connection(mut deployment: Deployment) {
    without_pace(&mut deployment);
    let bot = deployment.adds_bot("shop").await;
    let server = deployment.serves().await;
    let ann = User::named("Ann");
    let screen = starts(&deployment, &server, &bot, &ann).await;
    // In one chat each send begins only after the answer to the one before it was read and settled.
    for edits in 1..200 {
        server.telegram(&bot).posts(&ann.taps(&first_button(&screen), screen.id)).await;
        deployment.bot_api.wait_for(edits, "editMessageText").await;
    }
    assert_eq!(deployment.bot_api.connections(), 1);
}

/// Then a chat takes as many messages a second as are sent.
fn without_pace(deployment: &mut Deployment) {
    deployment.configure("[sender]\nchat_interval = \"0s\"\n");
}

async fn a_press_edits_its_message_and_a_text_moves_the_screen_below_it(deployment: Deployment) {
    let bot = deployment.adds_bot("shop").await;
    let server = deployment.serves().await;
    let ann = User::named("Ann");
    let screen = starts(&deployment, &server, &bot, &ann).await;

    server.telegram(&bot).posts(&ann.taps(&first_button(&screen), screen.id)).await;
    let edits = deployment.bot_api.wait_for(1, "editMessageText").await;
    assert_eq!(edits[0].number("message_id"), Some(screen.id));
    assert_ne!(edits[0].text("text"), screen.text);

    server.telegram(&bot).posts(&ann.says("hello")).await;
    let deleted = deployment.bot_api.wait_for(1, "deleteMessage").await;
    assert_eq!(deleted[0].number("message_id"), Some(screen.id), "the screen has moved");
    let messages =
        deployment.bot_api.wait_until("one message", |api| Some(api.messages(ann.id)).filter(|m| m.len() == 1)).await;
    assert!(messages[0].id > screen.id);
    patience::until("it is written down", async || {
        let chat = deployment.chat(&bot, ann.id).await;
        (chat["shown"]["message_id"] == messages[0].id && chat["shown"]["revision"] == chat["desired"]["revision"])
            .then_some(())
    })
    .await;
}

async fn a_screen_is_sent_by_another_process_too(deployment: Deployment) {
    let bot = deployment.adds_bot("shop").await;
    let receiving = Server::start(&deployment.server_environment(&[]), &["--no-sender"]).await;
    let _sending = deployment.serves().await;
    starts(&deployment, &receiving, &bot, &User::named("Ann")).await;
}

async fn a_process_that_only_sends_sends_what_another_took_in(deployment: Deployment) {
    let bot = deployment.adds_bot("shop").await;
    let ann = User::named("Ann");
    let mut receiving = Server::start(&deployment.server_environment(&[]), &["--no-sender"]).await;
    assert_eq!(receiving.telegram(&bot).posts(&ann.says("/start")).await.status, 200);
    assert!(receiving.stops().await.success());
    assert!(deployment.bot_api.calls().is_empty(), "who only takes updates in sends nothing, to its end");

    let mut sending = Server::start_sender(&deployment.server_environment(&[])).await;
    sees_a_screen(&deployment, &ann).await;
    let refused = tokio::net::TcpStream::connect(sending.public()).await;
    assert!(refused.is_err(), "who only sends takes no updates in");
    assert!(sending.stops().await.success());
    let chat = deployment.chat(&bot, ann.id).await;
    assert_eq!(chat["shown"]["revision"], chat["desired"]["revision"], "what was sent is settled before the end");
}

/// A sender that looks for jobs by itself once a minute, longer than any test waits, must have been woken.
async fn what_the_same_process_took_in_is_sent_at_once(mut deployment: Deployment) {
    deployment.configure("[sender]\npoll_interval = \"1m\"\n");
    let bot = deployment.adds_bot("shop").await;
    let server = deployment.serves().await;
    for _ in 0..3 {
        let ann = User::named("Ann");
        let screen = starts(&deployment, &server, &bot, &ann).await;
        server.telegram(&bot).posts(&ann.taps(&first_button(&screen), screen.id)).await;
        let edited = |api: &BotApi| api.calls_of("editMessageText").into_iter().find(|it| it.chat() == Some(ann.id));
        deployment.bot_api.wait_until("the pressed message is edited", edited).await;
    }
}

async fn a_bot_api_that_does_not_answer_delays_no_update(deployment: Deployment) {
    let bot = deployment.adds_bot("shop").await;
    let server = deployment.serves().await;
    let telegram = server.telegram(&bot);
    let (silence, hand) = Reply::done().held();
    deployment.bot_api.answer_when(move |_| Some(silence.clone()));

    let users: Vec<_> = (0..200).map(|_| User::named("Ann")).collect();
    for user in &users {
        assert_eq!(telegram.posts(&user.says("/start")).await.status, 200);
    }
    deployment.bot_api.wait_for(64, "sendMessage").await;
    assert!(users.iter().all(|user| deployment.bot_api.messages(user.id).is_empty()), "no call has ended");
    hand.let_go();
    for user in &users {
        sees_a_screen(&deployment, user).await;
    }
}

async fn a_rate_limit_holds_the_chat_for_as_long_as_telegram_says(deployment: Deployment) {
    let bot = deployment.adds_bot("shop").await;
    let server = deployment.serves().await;
    let ann = User::named("Ann");
    deployment.bot_api.answer_next("sendMessage", Reply::too_many_requests(2));
    let telegram = server.telegram(&bot);
    telegram.posts(&ann.says("/start")).await;
    deployment.bot_api.wait_for(1, "sendMessage").await;
    // A newer screen must not break the hold; another chat must not feel it.
    telegram.posts(&ann.says("/start")).await;
    starts(&deployment, &server, &bot, &User::named("Bob")).await;
    sees_a_screen(&deployment, &ann).await;

    let calls: Vec<_> =
        deployment.bot_api.calls_of("sendMessage").into_iter().filter(|call| call.chat() == Some(ann.id)).collect();
    assert_eq!(calls.len(), 2, "the newest screen once");
    assert!(calls[1].at - calls[0].at >= Duration::from_secs(2));
}

async fn a_failed_send_is_tried_again(deployment: Deployment) {
    let bot = deployment.adds_bot("shop").await;
    let server = deployment.serves().await;
    let ann = User::named("Ann");
    deployment.bot_api.answer_next("sendMessage", Reply::refused(500, "Internal Server Error: restart"));
    deployment.bot_api.answer_next("sendMessage", Reply::cut());
    starts(&deployment, &server, &bot, &ann).await;
    assert_eq!(deployment.bot_api.calls_of("sendMessage").len(), 3);
    assert_eq!(server.metric("tapgate_outbound_uncertain_total", "").await, 1.0);
}

async fn a_message_that_cannot_be_edited_is_sent_anew(deployment: Deployment) {
    let bot = deployment.adds_bot("shop").await;
    let server = deployment.serves().await;
    let ann = User::named("Ann");
    let screen = starts(&deployment, &server, &bot, &ann).await;
    deployment.bot_api.answer_next("editMessageText", Reply::refused(400, "Bad Request: message to edit not found"));
    server.telegram(&bot).posts(&ann.taps(&first_button(&screen), screen.id)).await;
    let sent = deployment.bot_api.wait_for(2, "sendMessage").await;
    assert_ne!(sent[1].text("text"), screen.text);
}

/// A press on the old message while it is being taken away: were it edited just before, the user would be left without
/// the screen that the row says they see.
async fn a_message_that_was_replaced_is_gone_before_the_chats_next_job(deployment: Deployment) {
    let bot = deployment.adds_bot("shop").await;
    let server = deployment.serves().await;
    let ann = User::named("Ann");
    let old = starts(&deployment, &server, &bot, &ann).await;
    let (silence, hand) = Reply::done().held();
    deployment.bot_api.answer_when(move |call| (call.method == "deleteMessage").then(|| silence.clone()));
    server.telegram(&bot).posts(&ann.says("/start")).await;
    deployment.bot_api.wait_for(1, "deleteMessage").await;

    server.telegram(&bot).posts(&ann.taps(&first_button(&old), old.id)).await;
    starts(&deployment, &server, &bot, &User::named("Bob")).await;
    assert_eq!(deployment.bot_api.calls_of("editMessageText").len(), 0, "the chat's next job waits, others do not");
    hand.let_go();
    let shown = patience::until("the press is shown", async || {
        let chat = deployment.chat(&bot, ann.id).await;
        (chat["shown"]["revision"] == chat["desired"]["revision"] && chat["version"] == 3)
            .then(|| chat["shown"].clone())
    })
    .await;
    let there = deployment.bot_api.messages(ann.id);
    assert!(there.iter().any(|message| shown["message_id"] == message.id), "{shown} is not among {there:?}");
}

async fn markup_that_telegram_refuses_goes_once_more_as_plain_text(deployment: Deployment) {
    let bot = deployment.adds_bot("shop").await;
    let server = deployment.serves().await;
    let ann = User::named("Ann");
    let refusal = "Bad Request: can't parse entities: Unsupported start tag \"x\" at byte offset 0";
    deployment.bot_api.answer_next("sendMessage", Reply::refused(400, refusal));
    let screen = starts(&deployment, &server, &bot, &ann).await;
    let calls = deployment.bot_api.calls_of("sendMessage");
    assert_eq!(calls.len(), 2);
    assert_eq!((calls[0].text("parse_mode"), calls[1].text("parse_mode")), ("HTML", ""));
    assert!(calls[0].text("text").contains("<b>") && !screen.text.contains("<b>"), "{}", screen.text);
}

async fn a_chat_that_cannot_be_read_holds_up_no_other(deployment: Deployment) {
    let bot = deployment.adds_bot("shop").await;
    let receiving = Server::start(&deployment.server_environment(&[]), &["--no-sender"]).await;
    let users: Vec<_> = (0..3).map(|_| User::named("Ann")).collect();
    for user in &users {
        receiving.telegram(&bot).posts(&user.says("/start")).await;
    }
    deployment.executes(&format!("UPDATE chats SET vars = '[' WHERE chat_id = {}", users[0].id)).await;
    let _sending = deployment.serves().await;
    for user in &users[1..] {
        sees_a_screen(&deployment, user).await;
    }
    assert!(deployment.bot_api.messages(users[0].id).is_empty());
}
