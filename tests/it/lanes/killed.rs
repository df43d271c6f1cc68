//! Workers that die and workers that sleep, as processes: the program's own, which ask a language model that is the test's.

use super::stand::{Stand, TOKEN};
use crate::harness::deployment::Deployment;
use crate::harness::patience;
use crate::harness::process::Process;
use crate::harness::server::botctl;
use crate::path::{count, numbers, on_both_profiles};
use axum::Router;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Semaphore, watch};

on_both_profiles!(
    every_job_ends_exactly_one_way_however_many_workers_die,
    a_worker_that_slept_through_its_lease_changes_nothing,
);

const JOBS: usize = 1000;
/// One question in so many is refused for good.
const REFUSED: u64 = 10;

/// An OpenAI-compatible server that does not stream. It numbers its answers.
struct Model {
    url: String,
    /// How often it was asked so far.
    asked: watch::Receiver<u64>,
    /// Its first answer waits for a place here.
    first: Arc<Semaphore>,
}

impl Model {
    async fn starts() -> Self {
        let (count, asked) = watch::channel(0);
        let first = Arc::new(Semaphore::new(0));
        let gate = Arc::clone(&first);
        let answer = move || {
            let (count, gate) = (count.clone(), Arc::clone(&gate));
            async move {
                let mut number = 0;
                count.send_modify(|count| {
                    *count += 1;
                    number = *count;
                });
                if number == 1 {
                    gate.acquire().await.unwrap().forget();
                }
                answered(number)
            }
        };
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let router = Router::new().route("/v1/chat/completions", axum::routing::post(answer));
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { url, asked, first }
    }

    async fn is_asked(&self, times: u64) {
        self.asked.clone().wait_for(|count| *count >= times).await.unwrap();
    }

    /// A process that takes what is in the lane of images, and asks this model.
    fn worker(&self, stand: &Stand) -> Process {
        let server = format!("http://{}", stand.server.ops());
        let arguments = ["worker", "--url", &server, "--lane", "image", "--concurrency", "16", "--system", "Draw"];
        let model = ["--openai-url", &self.url, "--model", "stub"];
        let arguments = [&arguments[..], &model].concat();
        Process::start("botctl worker", botctl(stand.deployment.environment(), &arguments))
    }
}

fn answered(number: u64) -> Response {
    if number.is_multiple_of(REFUSED) {
        return StatusCode::BAD_REQUEST.into_response();
    }
    let said = json!({"choices": [{"message": {"role": "assistant", "content": format!("Answer {number}")}}]});
    ([("content-type", "application/json")], said.to_string()).into_response()
}

async fn stand(deployment: Deployment) -> Stand {
    Stand::with(deployment, &format!("lanes.lease = \"1s\"\nworkers.default.token = \"{TOKEN}\"")).await
}

async fn every_job_ends_exactly_one_way_however_many_workers_die(deployment: Deployment) {
    let stand = stand(deployment).await;
    let users = stand.crowd_asks(&stand.bot, JOBS, &["/draw"]).await;
    let lane = "SELECT count(*) FROM jobs WHERE lane = 'image'";
    assert_eq!(count(&stand.deployment, lane).await, JOBS as i64);
    let model = Model::starts().await;
    model.first.add_permits(1);
    let mut workers = [model.worker(&stand), model.worker(&stand)];
    let seed = fastrand::u64(..);
    println!("chance begins with {seed}");
    let mut chance = fastrand::Rng::with_seed(seed);
    let mut deaths = 0;
    let death = async {
        let mut asked = 0;
        loop {
            asked += chance.u64(20..150);
            model.is_asked(asked).await;
            asked = asked.max(*model.asked.borrow());
            let worker = chance.choice(&mut workers).unwrap();
            worker.kill();
            *worker = model.worker(&stand);
            deaths += 1;
        }
    };
    tokio::select! {
        never = death => never,
        () = stand.is_done() => {}
    }
    assert!(deaths > 5, "only {deaths} workers died");
    patience::until_within(Duration::from_secs(120), "all results are sent", async || {
        (count(&stand.deployment, "SELECT count(*) FROM jobs").await == 0).then_some(())
    })
    .await;

    let store = &stand.deployment;
    let chats = "SELECT count(*) FROM chats WHERE busy IS NULL";
    assert_eq!(count(store, chats).await, JOBS as i64, "nobody waits for ever");
    for kinds in ["'reserved'", "'spent', 'returned'"] {
        let ends = format!("SELECT count(*) FROM ledger WHERE kind IN ({kinds}) GROUP BY bot_id, chat_id");
        assert_eq!(numbers(store, &ends).await, [1; JOBS], "{kinds}");
    }
    let unequal = "SELECT count(*) FROM chats AS c WHERE balance <>
        (SELECT sum(amount) FROM ledger AS l WHERE l.bot_id = c.bot_id AND l.chat_id = c.chat_id)";
    assert_eq!(count(store, unequal).await, 0, "a balance is the sum of its lines");
    let spent = numbers(store, "SELECT chat_id FROM ledger WHERE kind = 'spent'").await;
    let mut ends = BTreeMap::new();
    for user in &users {
        let seen = store.bot_api.messages(user.id);
        let answers = seen.iter().filter(|message| message.text.starts_with("Answer ")).count();
        assert_eq!(
            answers,
            usize::from(spent.contains(&user.id)),
            "who paid has one answer, the others none: {seen:?}"
        );
        *ends.entry(answers).or_insert(0) += 1;
    }
    println!("{deaths} workers died, jobs by answers: {ends:?}");
    assert_eq!(ends.len(), 2, "jobs ended both ways: {ends:?}");
    let paid = count(store, "SELECT count(*) FROM chats WHERE balance = 98").await;
    assert_eq!((paid, count(store, "SELECT count(*) FROM chats WHERE balance = 100").await), (ends[&1], ends[&0]));
}

async fn a_worker_that_slept_through_its_lease_changes_nothing(deployment: Deployment) {
    let stand = stand(deployment).await;
    let model = Model::starts().await;
    let slow = model.worker(&stand);
    let ann = stand.asks("/draw").await;
    model.is_asked(1).await;
    slow.freeze();
    let quick = model.worker(&stand);
    stand.sees(&ann, "Answer 2").await;
    stand.is_done().await;
    patience::until("all is sent", async || {
        (count(&stand.deployment, "SELECT count(*) FROM jobs").await == 0).then_some(())
    })
    .await;
    let (chat, seen) = (stand.chat(&ann).await, stand.deployment.bot_api.messages(ann.id));

    model.first.add_permits(1);
    slow.thaw();
    patience::until("it is told", async || slow.said().contains("lost").then_some(())).await;
    assert!(!quick.said().contains("lost"), "{}", quick.said());
    assert_eq!((stand.chat(&ann).await, stand.deployment.bot_api.messages(ann.id)), (chat, seen));
    assert_eq!(count(&stand.deployment, "SELECT count(*) FROM jobs").await, 0);
}
