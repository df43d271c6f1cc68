//! The path of an update through the real program: posted as Telegram posts it, into a real store, out to a stub Bot API.

mod answers;
mod bots;
mod contention;
mod crash;
mod dialogue;
mod disconnect;
mod nginx;
mod once;
mod paying;
mod photos;
mod poison;
mod redis;
mod refusals;
mod reload;
mod rolling;
mod secrets;
mod sender;
mod stop;
mod updates;

use crate::harness::bot_api::Message;
use crate::harness::deployment::Deployment;
use crate::harness::server::Server;
use crate::harness::telegram::{Bot, User};

/// Runs a test on each storage profile: `embedded`, and `cluster` where its stores are there.
macro_rules! on_both_profiles {
    ($($test:ident),* $(,)?) => {$(
        mod $test {
            use crate::harness::deployment::Deployment;

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn embedded() {
                super::$test(Deployment::embedded()).await;
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn cluster() {
                if let Some(deployment) = Deployment::cluster().await {
                    super::$test(deployment).await;
                }
            }
        }
    )*};
}
pub(crate) use on_both_profiles;

/// Gives the servers a flow of these files in place of the companion.
fn writes_flow(deployment: &mut Deployment, files: &[(&str, &[u8])]) {
    let flow = deployment.folder().join("flows").join("companion");
    std::fs::create_dir_all(&flow).unwrap();
    for (name, content) in files {
        std::fs::write(flow.join(name), content).unwrap();
    }
    let flows = deployment.folder().join("flows").display().to_string();
    deployment.set("TAPGATE_FLOWS_DIR", &flows);
}

/// A user says `/start` and sees the start screen.
async fn starts(deployment: &Deployment, server: &Server, bot: &Bot, user: &User) -> Message {
    let response = server.telegram(bot).posts(&user.says("/start")).await;
    assert_eq!((response.status, response.text()), (200, ""));
    sees_a_screen(deployment, user).await
}

/// Waits until the user has a message with buttons, and gives the newest.
async fn sees_a_screen(deployment: &Deployment, user: &User) -> Message {
    deployment
        .bot_api
        .wait_until("a screen", |api| {
            api.messages(user.id).into_iter().rev().find(|message| message.buttons().count() > 0)
        })
        .await
}

/// The data of a screen's first callback button, which opens another text screen.
fn first_button(screen: &Message) -> String {
    screen.buttons().map(|(_, data)| data).find(|data| !data.is_empty()).expect("the screen has a callback button")
}

/// The versions of all chats in the store, one a chat: how often each was committed.
async fn versions(deployment: &Deployment) -> Vec<i64> {
    numbers(deployment, "SELECT version FROM chats").await
}

/// The one number that a statement gives.
pub(crate) async fn count(deployment: &Deployment, statement: &str) -> i64 {
    numbers(deployment, statement).await[0]
}

/// The numbers that a statement gives, one a row, on either profile.
pub(crate) async fn numbers(deployment: &Deployment, statement: &str) -> Vec<i64> {
    if let Some(database) = &deployment.database {
        let statement = sqlx::query_scalar(sqlx::AssertSqlSafe(statement));
        return statement.fetch_all(&mut database.connect().await).await.unwrap();
    }
    let file = rusqlite::Connection::open(deployment.folder().join("tapgate.db")).unwrap();
    let mut statement = file.prepare(statement).unwrap();
    statement.query_map([], |row| row.get(0)).unwrap().collect::<Result<_, _>>().unwrap()
}
