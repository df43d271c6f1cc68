//! The sender against a Bot API that answers in 30 ms, as Telegram's often does: how many screens a second one process
//! sends, and what is left of that while one chat's calls take 8 s, Telegram's longest flood wait.
//! Never asserts a figure. `TAPGATE_TEST_POSTGRES_URL` and `TAPGATE_TEST_REDIS_URL`: PostgreSQL is measured, too.

mod support;

use axum::Router;
use axum::body::Bytes;
use axum::response::IntoResponse;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;
use support::callers::GATHERED;
use support::stores::Store;
use support::{Failure, bot, say};
use tapgate::bot_api::Client;
use tapgate::clock;
use tapgate::config::{self, Sources};
use tapgate::flow::chat::{Chat, Desired, Frame, Revision, Version, View};
use tapgate::flow::decision::Place;
use tapgate::outbox::Sender;
use tapgate::roster::Roster;
use tapgate::shutdown::Tasks;
use tapgate::storage::{Commit, Fence, Gathered, Gathering, Key, NewJob, Settler};
use tapgate::telegram::id::ChatId;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep};

/// How many users wait for a screen.
const USERS: i64 = 5_000;
/// The user whose calls are slow.
const SLOW: i64 = 1;
const ANSWER: Duration = Duration::from_millis(30);
const SLOW_ANSWER: Duration = Duration::from_secs(8);

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let mut words = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).peekable();
    if words.peek().is_some() && !words.any(|word| "outbox".contains(&*word)) {
        return Ok(());
    }
    say(&format!("{USERS} screens, one a chat; every call takes {} ms, on one connection pool", ANSWER.as_millis()));
    say("| | sends/s | with one chat at 8 s |");
    say("|---|---|---|");
    for (mut even, slow) in Store::all().await.into_iter().zip(Store::all().await) {
        let name = std::mem::take(&mut even.name);
        let (even, slow) = (sends(&even, ANSWER).await?, sends(&slow, SLOW_ANSWER).await?);
        say(&format!("| {name} | {even:.0} | {slow:.0} ({:.0} %) |", slow / even * 100.0));
    }
    Ok(())
}

/// Sends a second, of all users but the slow one.
async fn sends(store: &Store, slow_answer: Duration) -> Result<f64, Failure> {
    queue(store).await?;
    let sent = Arc::new(AtomicI64::new(0));
    let settles = Tasks::new("the settler");
    let settler = Settler::start(&store.storage, GATHERED.batch_max, &settles).await?;
    let (tasks, url) = (Tasks::new("the sender"), bot_api(Arc::clone(&sent), slow_answer).await?);
    let roster = Roster::load(&store.storage).await?;
    let client = Client::new(&url, Duration::from_secs(30))?;
    let settings = config::load(&Sources::NONE).map_err(|problems| problems.to_string())?.sender;
    let library = Arc::new(bot::library());
    let began = Instant::now();
    Sender::new(store.storage.clone(), settler, roster, library, client, Arc::new(Notify::new()), settings)
        .start(&tasks);
    while sent.load(Ordering::Relaxed) < USERS - 1 {
        sleep(Duration::from_millis(5)).await;
    }
    let took = began.elapsed();
    tasks.stop().await;
    settles.stop().await;
    Ok((USERS - 1) as f64 / took.as_secs_f64())
}

/// A screen for each user.
async fn queue(store: &Store) -> Result<(), Failure> {
    let gatherers = Tasks::new("gatherers");
    let gathering = Gathering { loaders: 1, committers: 2, batch_max: 64, waiting_max: 8192 };
    let gathered = Gathered::start(&store.storage, gathering, &gatherers).await?;
    let deadline = Instant::now() + Duration::from_secs(60);
    let view = View { top: Frame { screen: "welcome".to_owned(), ..Frame::default() }, stack: Vec::new() };
    let commits = (1..=USERS).map(|user| {
        let desired = Some(Desired { view: view.clone(), revision: Revision(1) });
        let chat = Chat { version: Version(1), locale: Some("en".to_owned()), desired, ..Chat::default() };
        let key = Key { bot: bot::id(), chat: ChatId(user) };
        let jobs = vec![NewJob::Screen(Place::New)];
        gathered.commit(
            Commit {
                key,
                chat,
                fence: Fence::default(),
                update: None,
                jobs,
                books: Default::default(),
                at: clock::now(),
            },
            deadline,
        )
    });
    for outcome in futures::future::join_all(commits).await {
        outcome?;
    }
    gatherers.stop().await;
    Ok(())
}

/// A Bot API that counts what it has answered to all but the slow user.
async fn bot_api(sent: Arc<AtomicI64>, slow_answer: Duration) -> Result<url::Url, Failure> {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}", listener.local_addr()?).parse()?;
    let answer = async move |body: Bytes| {
        let slow = body.windows(13).any(|part| part == format!("\"chat_id\":{SLOW},").as_bytes());
        sleep(if slow { slow_answer } else { ANSWER }).await;
        if !slow {
            sent.fetch_add(1, Ordering::Relaxed);
        }
        r#"{"ok":true,"result":{"message_id":4711}}"#.into_response()
    };
    let router = Router::new().fallback(answer);
    Tasks::new("the Bot API").spawn(async move { axum::serve(listener, router).await });
    Ok(url)
}
