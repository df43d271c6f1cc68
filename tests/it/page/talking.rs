//! A conversation from end to end, as a user lives through it: asking, waiting in the queue, watching the answer grow,
//! running out, paying, and asking again. The worker that answers is the program's own, the language model is not.

use super::flows::{a_flow, edit};
use super::visit::Visit;
use crate::harness::browser::Window;
use crate::harness::process::Process;
use crate::harness::server::{Environment, botctl};
use axum::Router;
use axum::body::{Body, Bytes};
use axum::response::IntoResponse;
use futures::StreamExt;
use serde_json::{Value, json};
use std::convert::Infallible;
use std::sync::{Arc, Mutex};
use tokio::sync::Semaphore;

const TOKEN: &str = "0123456789abcdef-of-a-worker";

/// An OpenAI-compatible server. It begins each answer at once, and goes on when it is let.
struct Model {
    url: String,
    /// One place for each answer that may go on.
    goes_on: Arc<Semaphore>,
    /// What it was asked.
    asked: Arc<Mutex<Vec<Value>>>,
}

impl Model {
    async fn start() -> Self {
        let (goes_on, asked) = (Arc::new(Semaphore::new(0)), Arc::new(Mutex::new(Vec::new())));
        let (gate, heard) = (Arc::clone(&goes_on), Arc::clone(&asked));
        let answer = async move |body: Bytes| {
            heard.lock().unwrap().push(serde_json::from_slice(&body).unwrap());
            let first = futures::stream::once(async { piece("Once upon a time, ") });
            let rest = futures::stream::once(async move {
                gate.acquire().await.unwrap().forget();
                format!("{}data: [DONE]\n\n", piece("there was an answer."))
            });
            let events = first.chain(rest).map(Ok::<_, Infallible>);
            ([("content-type", "text/event-stream")], Body::from_stream(events)).into_response()
        };
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let router = Router::new().route("/v1/chat/completions", axum::routing::post(answer));
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { url, goes_on, asked }
    }
}

fn piece(text: &str) -> String {
    format!("data: {}\n\n", json!({"choices": [{"index": 0, "delta": {"content": text}}]}))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_user_asks_waits_watches_the_answer_grow_runs_out_pays_and_asks_again() {
    let folder = a_flow();
    edit(&folder, "flow.toml", "free_balance = 10", "free_balance = 1");
    let flow = folder.path().join("mine");
    let Some(page) = Visit::begins_for(Window::Wide, Some(&flow), Some(TOKEN)).await else { return };
    let model = Model::start().await;
    for user in ["Ann", "Борис"] {
        page.starts(user).await;
    }
    page.presses("Ann", "Choose a companion").await;
    page.presses("Ann", "Luna").await;
    page.sees("Ann", "Luna is listening").await;
    page.presses("Борис", "Выбрать собеседника").await;
    page.presses("Борис", "Макс").await;
    page.sees("Борис", "Макс").await;

    // Nobody is there yet to answer: each sees a place in the queue.
    page.writes("Борис", "Привет!").await;
    page.sees("Борис", "Вы следующий").await;
    page.writes("Ann", "Tell me a story").await;
    page.sees("Ann", "number 2").await;

    let environment = Environment::from([("TAPGATE_WORKER_TOKEN".to_owned(), TOKEN.to_owned())]);
    let arguments =
        ["worker", "--url", &page.sandbox.ops, "--openai-url", &model.url, "--model", "stub", "--concurrency", "1"];
    let worker = Process::start("botctl worker", botctl(&environment, &arguments));
    page.sees("Борис", "Once upon a time,").await;
    page.sees("Ann", "You are next").await;
    model.goes_on.add_permits(1);
    page.sees("Ann", "Once upon a time,").await;
    model.goes_on.add_permits(1);
    page.sees_somewhere("Ann", "Once upon a time, there was an answer.").await;
    page.sees("Ann", "no messages").await;
    let asked = model.asked.lock().unwrap()[1].clone();
    let messages = asked["messages"].as_array().unwrap();
    assert_eq!(messages.last().unwrap(), &json!({"role": "user", "content": "Tell me a story"}));
    assert_eq!(messages[0]["role"], "system", "the flow says who Luna is: {asked}");

    // Out of messages: the shop, and Stars.
    page.writes("Ann", "And then?").await;
    page.presses("Ann", "20 messages").await;
    page.presses("Ann", "Pay").await;
    page.waits(
        "the sheet asks, and is confirmed",
        "const sheet = document.querySelector('.sheet'); if (!sheet?.textContent.includes('20')) return false;
         sheet.querySelector('button.wide').click(); return true;",
        json!([]),
    )
    .await;
    page.wire_shows(&["pre_checkout_query", "200", "Ann"]).await;
    page.sees("Ann", "20").await;
    page.presses("Ann", "Talk").await;
    page.sees("Ann", "Luna is listening").await;
    page.writes("Ann", "And then?").await;
    page.sees("Ann", "Once upon a time,").await;
    model.goes_on.add_permits(1);
    page.sees("Ann", "19").await;
    let remembered = model.asked.lock().unwrap().last().unwrap()["messages"].to_string();
    assert!(remembered.contains("Tell me a story") && remembered.contains("there was an answer"), "{remembered}");
    worker.terminate();
    page.ends().await;
}
