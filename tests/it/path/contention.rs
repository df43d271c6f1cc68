//! One locked row delays no other chat.

use super::starts;
use crate::harness::deployment::Deployment;
use crate::harness::telegram::User;
use futures::future::join_all;
use sqlx::Connection;
use std::time::Duration;
use tokio::time::{Instant, sleep_until};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn while_a_row_is_locked_for_ten_seconds_all_other_chats_are_answered() {
    let Some(deployment) = Deployment::cluster().await else { return };
    let bot = deployment.adds_bot("shop").await;
    let server = deployment.serves().await;
    let telegram = server.telegram(&bot);
    let ann = User::named("Ann");
    starts(&deployment, &server, &bot, &ann).await;

    let mut connection = deployment.database.as_ref().unwrap().connect().await;
    let mut lock = connection.begin().await.unwrap();
    let locked = sqlx::query("SELECT FROM chats WHERE chat_id = $1 FOR UPDATE").bind(ann.id).execute(&mut *lock).await;
    assert_eq!(locked.unwrap().rows_affected(), 1);
    let locked_until = Instant::now() + Duration::from_secs(10);

    let blocked = ann.says("are you there?");
    let others: Vec<_> = (0..200).map(|_| User::named("Bob").says("/start")).collect();
    let (blocked_answer, others_answered) = futures::join!(telegram.posts(&blocked), async {
        let answers = join_all(others.iter().map(|update| telegram.posts(update))).await;
        assert!(answers.iter().all(|answer| answer.status == 200));
        Instant::now()
    });
    assert!(others_answered < locked_until, "all others were answered while the row was locked");
    assert_eq!(blocked_answer.status, 503, "the locked chat is told to come again");
    assert!(blocked_answer.header("retry-after").is_some());

    sleep_until(locked_until).await;
    lock.rollback().await.unwrap();
    telegram.delivers(&blocked).await;
    assert_eq!(deployment.chat(&bot, ann.id).await["version"], 2);
}
