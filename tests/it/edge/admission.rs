//! Gates and deadline.

use super::client::Post;
use super::stand::{SECRET, Stand, answered, bot, edge, quiet};
use crate::harness::patience;
use futures::future::BoxFuture;
use std::sync::Arc;
use std::time::Duration;
use tapgate::telemetry::metrics::Outcome;
use tapgate::webhook::{Delivery, Edge, Reply};
use tokio::sync::Semaphore;

/// A handler that works, in a task of its own, until it is let go on.
fn held(gate: &Arc<Semaphore>) -> impl Fn(Delivery) -> BoxFuture<'static, Reply> + Clone + Send + 'static {
    let gate = Arc::clone(gate);
    move |delivery| {
        let gate = Arc::clone(&gate);
        let working = tokio::spawn(async move {
            gate.acquire().await.unwrap().forget();
            drop(delivery);
            answered("", Outcome::Applied)
        });
        Box::pin(async { working.await.unwrap() })
    }
}

fn message(bot: i64, update: usize) -> Post {
    Post::to(bot, SECRET, format!("{{\"update_id\":{update},\n\"message\":{{}}}}"))
}

fn press(bot: i64, update: usize) -> Post {
    Post::to(bot, SECRET, format!("{{\"update_id\":{update},\n\"callback_query\":{{}}}}"))
}

#[tokio::test]
async fn a_backlog_of_messages_is_shed_at_once_and_leaves_room_for_presses() {
    let bot = bot();
    let id = bot.id.0;
    let release = Arc::new(Semaphore::new(0));
    let stand = Arc::new(Stand::start(Edge { in_flight_max: 4, ..edge(vec![bot]) }, held(&release)).await);
    let post = |post: Post| {
        let stand = Arc::clone(&stand);
        tokio::spawn(async move { stand.post(&post).await.status })
    };

    let messages: Vec<_> = (0..3).map(|update| post(message(id, update))).collect();
    patience::until("three messages are worked on", async || (stand.calls() == 3).then_some(())).await;
    let shed = stand.post(&message(id, 3)).await;
    assert_eq!((shed.status, shed.header("retry-after"), shed.body.as_str()), (503, Some("2"), ""));

    let pressed = post(press(id, 4));
    patience::until("the press is worked on", async || (stand.calls() == 4).then_some(())).await;
    assert_eq!(stand.post(&press(id, 5)).await.status, 503);
    assert_eq!(stand.calls(), 4);

    release.add_permits(4);
    for waiting in messages.into_iter().chain([pressed]) {
        assert_eq!(waiting.await.unwrap(), 200);
    }
    release.add_permits(1);
    assert_eq!(stand.post(&message(id, 6)).await.status, 200);
}

#[tokio::test]
async fn a_client_that_hangs_up_leaves_its_place_to_the_work_and_not_to_others() {
    let bot = bot();
    let id = bot.id.0;
    let release = Arc::new(Semaphore::new(0));
    let stand = Stand::start(Edge { in_flight_max: 1, ..edge(vec![bot]) }, held(&release)).await;

    let mut connection = stand.connect().await;
    let post = press(id, 1);
    connection.send(post.head().as_bytes()).await;
    connection.send(&post.body).await;
    patience::until("it is worked on", async || (stand.calls() == 1).then_some(())).await;
    drop(connection);

    assert_eq!(stand.post(&press(id, 2)).await.status, 503);
    release.add_permits(2);
    patience::until("its work is over", async || (stand.post(&press(id, 3)).await.status == 200).then_some(())).await;
}

#[tokio::test]
async fn a_client_that_hangs_up_while_it_sends_gives_its_place_back() {
    let bot = bot();
    let id = bot.id.0;
    let stand = Stand::start(Edge { in_flight_max: 1, ..edge(vec![bot]) }, quiet).await;

    let mut connection = stand.connect().await;
    connection.send(press(id, 1).head().as_bytes()).await;
    patience::until("it holds the place", async || (stand.post(&press(id, 2)).await.status == 503).then_some(())).await;
    drop(connection);

    patience::until("it is free", async || (stand.post(&press(id, 2)).await.status == 200).then_some(())).await;
}

#[tokio::test]
async fn a_body_that_does_not_come_is_503_at_the_deadline() {
    let bot = bot();
    let id = bot.id.0;
    let stand = Stand::start(Edge { deadline: Duration::from_millis(100), ..edge(vec![bot]) }, quiet).await;

    let mut connection = stand.connect().await;
    let post = message(id, 1);
    connection.send(post.head().as_bytes()).await;
    connection.send(&post.body[..5]).await;

    let answer = connection.answer().await;
    assert_eq!((answer.status, answer.header("retry-after"), answer.body.as_str()), (503, Some("2"), ""));
    assert_eq!(stand.calls(), 0);
}

#[tokio::test]
async fn a_handler_that_does_not_answer_is_503_at_the_deadline() {
    let bot = bot();
    let id = bot.id.0;
    let edge = Edge { deadline: Duration::from_millis(100), ..edge(vec![bot]) };
    let stand = Stand::start(edge, |_: Delivery| Box::pin(std::future::pending()) as BoxFuture<'static, Reply>).await;

    let answer = stand.post(&message(id, 1)).await;

    assert_eq!((answer.status, answer.header("retry-after")), (503, Some("2")));
}

#[tokio::test]
async fn later_is_503_with_the_handlers_own_time() {
    let bot = bot();
    let id = bot.id.0;
    let stand = Stand::start(edge(vec![bot]), |_: Delivery| {
        Box::pin(async { Reply::Later { outcome: Outcome::Failed, retry_after: Duration::from_millis(6500) } })
            as BoxFuture<'static, Reply>
    })
    .await;

    let answer = stand.post(&message(id, 1)).await;

    assert_eq!((answer.status, answer.header("retry-after"), answer.body.as_str()), (503, Some("7"), ""));
}
