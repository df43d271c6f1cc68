//! An update's effect happens exactly once, and two updates of one chat never overwrite each other.

use super::{first_button, on_both_profiles, starts};
use crate::harness::deployment::Deployment;
use crate::harness::telegram::User;
use futures::future::{join, join_all};

on_both_profiles!(
    a_press_delivered_a_hundred_times_at_once_has_one_effect,
    a_message_and_a_press_never_overwrite_each_other
);

async fn a_press_delivered_a_hundred_times_at_once_has_one_effect(deployment: Deployment) {
    let bot = deployment.adds_bot("shop").await;
    let (first, second) = (deployment.serves().await, deployment.serves().await);
    let ann = User::named("Ann");
    let screen = starts(&deployment, &first, &bot, &ann).await;
    let before = deployment.chat(&bot, ann.id).await;

    let press = ann.taps(&first_button(&screen), screen.id);
    let telegrams = [first.telegram(&bot), second.telegram(&bot)];
    let answers = join_all((0..100).map(|n| telegrams[n % 2].posts(&press))).await;

    for answer in &answers {
        assert_eq!((answer.status, answer.text()), (200, answers[0].text()));
    }
    assert_eq!(answers[0].json()["method"], "answerCallbackQuery");
    let after = deployment.chat(&bot, ann.id).await;
    assert_eq!(after["version"].as_i64(), before["version"].as_i64().map(|version| version + 1));
    assert_ne!(after["desired"], before["desired"]);
}

async fn a_message_and_a_press_never_overwrite_each_other(deployment: Deployment) {
    const ROUNDS: i64 = 1000;
    let bot = deployment.adds_bot("shop").await;
    let (first, second) = (deployment.serves().await, deployment.serves().await);
    let ann = User::named("Ann");
    let screen = starts(&deployment, &first, &bot, &ann).await;
    let (messages, presses) = (first.telegram(&bot), second.telegram(&bot));

    for _ in 0..ROUNDS {
        let (message, press) = (ann.says("hello"), ann.taps(&first_button(&screen), screen.id));
        let ((message, _), (press, _)) = join(messages.delivers(&message), presses.delivers(&press)).await;
        assert_eq!((message.status, press.status), (200, 200));
    }

    let chat = deployment.chat(&bot, ann.id).await;
    assert_eq!(chat["version"], 1 + 2 * ROUNDS, "each of them made one commit");
}
