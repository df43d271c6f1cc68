//! Statuses, problems and the document of the API.

use super::stand::{Stand, TOKEN, Worker};
use crate::harness::deployment::Deployment;
use crate::path::on_both_profiles;
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

on_both_profiles!(
    a_lease_that_waits_is_answered_when_there_is_a_job,
    a_lease_that_waits_is_answered_when_the_server_stops
);

/// A picture that Telegram takes.
pub fn png() -> Vec<u8> {
    include_bytes!("../../../src/worker/demo.png").to_vec()
}

/// That of a worker that may take texts alone.
const TEXTS_TOKEN: &str = "0123456789abcdef-of-texts";

/// The routes about a job, with what a worker says there.
const OF_JOBS: [&str; 5] = ["heartbeat", "progress", "complete", "fail", "files"];

async fn stand(deployment: Deployment) -> Stand {
    let texts = format!("[workers.texts]\ntoken = \"{TEXTS_TOKEN}\"\nlanes = [\"text\"]\n");
    Stand::with(deployment, &format!("[workers.default]\ntoken = \"{TOKEN}\"\n{texts}")).await
}

/// Makes calls, and keeps which statuses each route of the document gave.
struct Calls {
    worker: Worker,
    met: BTreeMap<String, BTreeSet<u16>>,
}

impl Calls {
    async fn post(
        &mut self,
        route: &str,
        path: &str,
        status: u16,
        with: impl FnOnce(RequestBuilder) -> RequestBuilder,
    ) {
        let (met, answer) = self.worker.calls(Method::POST, path, with).await;
        assert_eq!(met, status, "{path}: {answer}");
        self.met.entry(route.to_owned()).or_default().insert(met);
    }
}

/// A right body of the route `name` under `lease`.
fn right(request: RequestBuilder, name: &str, lease: &str) -> RequestBuilder {
    let body = match name {
        "files" => return request.header("content-type", "image/png").header("tapgate-lease", lease).body(png()),
        "lease" => json!({}),
        "progress" => json!({"lease": lease, "text": "so far"}),
        "complete" => json!({"lease": lease, "contents": [{"text": "all"}]}),
        _ => json!({"lease": lease}),
    };
    request.json(&body)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_status_that_is_documented_is_met_and_no_other() {
    let stand = stand(Deployment::embedded()).await;
    stand.crowd_asks(&stand.bot, 2, &["/draw"]).await;
    let worker = stand.worker();
    let jobs = [worker.takes("image").await, worker.takes("image").await];
    let mut calls = Calls { worker: worker.clone(), met: BTreeMap::new() };
    let routes = OF_JOBS.map(|name| ("/v1/jobs/{id}/", name)).into_iter().chain([("/v1/lanes/{lane}/", "lease")]);
    for (above, name) in routes {
        let route = &format!("{above}{name}");
        let job = &jobs[usize::from(name == "fail")];
        let (id, lease) = (job["id"].as_str().unwrap(), job["lease"].as_str().unwrap());
        let at = |lane: &str, id: &str| route.replace("{lane}", lane).replace("{id}", id);
        let path = &at("image", id);

        calls.post(route, path, 401, |call| right(call, name, lease)).await;
        calls.post(route, path, 401, |call| right(call, name, lease).bearer_auth("0123456789abcdef-wrong")).await;
        calls.post(route, path, 401, |call| right(call, name, lease).basic_auth("default", Some(TOKEN))).await;
        calls.post(route, path, 403, |call| right(call, name, lease).bearer_auth(TEXTS_TOKEN)).await;
        for gone in ["none", "0", "-1", "%00", "%ff"] {
            calls.post(route, &at(gone, gone), 404, |call| right(call, name, lease).bearer_auth(TOKEN)).await;
        }
        let json = |call: RequestBuilder, body: Vec<u8>| {
            call.bearer_auth(TOKEN).header("tapgate-lease", lease).header("content-type", "application/json").body(body)
        };
        if name == "files" {
            let picture = |call: RequestBuilder| call.bearer_auth(TOKEN).header("content-type", "image/png");
            let large = vec![0; (10 << 20) + 1];
            calls.post(route, path, 413, |call| picture(call).header("tapgate-lease", lease).body(large)).await;
            calls.post(route, path, 422, |call| picture(call).body(png_of(1))).await;
            calls.post(route, path, 422, |call| picture(call).header("tapgate-lease", lease).body(png_of(1))).await;
            calls.post(route, path, 415, |call| json(call, png())).await;
        } else {
            calls.post(route, path, 413, |call| json(call, vec![b' '; (1 << 20) + 1])).await;
            calls.post(route, path, 422, |call| json(call, b"{\"lease\": ".to_vec())).await;
            calls.post(route, path, 422, |call| json(call, b"{\"lease\": \"1\", \"more\": 1}".to_vec())).await;
            calls.post(route, path, 415, |call| call.bearer_auth(TOKEN).body("{}")).await;
        }
        if name != "lease" {
            for lost in ["none", "", "0", "12345"] {
                calls.post(route, path, 409, |call| right(call, name, lost).bearer_auth(TOKEN)).await;
            }
            calls.post(route, &at("", "999999999"), 409, |call| right(call, name, lease).bearer_auth(TOKEN)).await;
        }
        // What is right is still right; the ends come when all else was said of the job.
        if name != "complete" {
            let status = if ["files", "lease"].contains(&name) { 200 } else { 204 };
            calls.post(route, path, status, |call| right(call, name, lease).bearer_auth(TOKEN)).await;
        }
    }
    let (id, lease) = (jobs[0]["id"].as_str().unwrap(), jobs[0]["lease"].as_str().unwrap());
    let path = format!("/v1/jobs/{id}/complete");
    let done = |call| right(call, "complete", lease).bearer_auth(TOKEN);
    calls.post("/v1/jobs/{id}/complete", &path, 204, done).await;

    let (status, document) = worker.calls(Method::GET, "/v1/openapi.json", |call| call).await;
    assert_eq!((status, &document["info"]["version"]), (200, &json!("1")), "it is no secret");
    let documented: BTreeMap<String, BTreeSet<u16>> = document["paths"]
        .as_object()
        .unwrap()
        .iter()
        .map(|(route, methods)| {
            assert_eq!(methods.as_object().unwrap().keys().collect::<Vec<_>>(), ["post"], "{route}");
            let responses = methods["post"]["responses"].as_object().unwrap();
            (route.clone(), responses.keys().map(|status| status.parse().unwrap()).collect())
        })
        .collect();
    for met in calls.met.values_mut() {
        // An outage's, which is not at hand here.
        met.insert(503);
    }
    assert_eq!(calls.met, documented);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whatever_the_document_refers_to_is_in_it() {
    let stand = stand(Deployment::embedded()).await;
    let (_, document) = stand.worker().calls(Method::GET, "/v1/openapi.json", |call| call).await;
    let text = document.to_string();
    let references = text.split("\"$ref\":\"#").skip(1).map(|after| after.split('"').next().unwrap());
    let gone: BTreeSet<&str> = references.filter(|reference| document.pointer(reference).is_none()).collect();
    assert_eq!(gone, BTreeSet::new());
}

/// The first bytes of a picture.
fn png_of(bytes: usize) -> Vec<u8> {
    png()[..bytes].to_vec()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_not_there_is_a_problem_too() {
    let stand = stand(Deployment::embedded()).await;
    let worker = stand.worker();
    for path in ["/v1", "/v1/", "/v1/nothing", "/v1/jobs/1", "/v1/jobs/1/nothing", "/v1/openapi.json/"] {
        for method in [Method::GET, Method::POST, Method::DELETE] {
            let (status, problem) = worker.calls(method.clone(), path, |call| call).await;
            assert_eq!((status, &problem["type"]), (404, &json!("urn:tapgate:problem:not-found")), "{method} {path}");
        }
    }
    let others = [
        (Method::GET, "/v1/lanes/text/lease"),
        (Method::PUT, "/v1/jobs/1/complete"),
        (Method::DELETE, "/v1/jobs/1/files"),
        (Method::POST, "/v1/openapi.json"),
    ];
    for (method, path) in others {
        let (status, problem) = worker.calls(method.clone(), path, |call| call).await;
        assert_eq!(
            (status, &problem["type"]),
            (405, &json!("urn:tapgate:problem:method-not-allowed")),
            "{method} {path}"
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_wrong_with_a_body_is_said_of_each_field() {
    let stand = stand(Deployment::embedded()).await;
    let worker = stand.worker();
    stand.crowd_asks(&stand.bot, 1, &["/draw"]).await;
    let job = worker.takes("image").await;
    let content = |content: Value| json!({"contents": [content]});
    let under = |button: Value| json!({"contents": [{"text": "x", "buttons": [[button]]}]});
    let completions = [
        (json!({}), "contents"),
        (json!({"contents": []}), "contents"),
        (json!({"contents": vec![json!({"text": "x"}); 11]}), "contents"),
        (json!({"contents": "x"}), "contents"),
        (content(json!({})), "contents[0]"),
        (content(json!({"text": "x", "html": "x"})), "contents[0]"),
        (content(json!({"text": " \n"})), "contents[0].text"),
        (content(json!({"text": "\0"})), "contents[0].text"),
        (content(json!({"html": "x".repeat(4097)})), "contents[0].html"),
        (content(json!({"html": "<b>open"})), "contents[0].html"),
        (content(json!({"html": "<blink>x</blink>"})), "contents[0].html"),
        (content(json!({"photo": {}})), "contents[0].photo"),
        (content(json!({"photo": {"url": "https://example.com/", "file": "x"}})), "contents[0].photo"),
        (content(json!({"photo": {"url": "file:///etc/passwd"}})), "contents[0].photo.url"),
        (content(json!({"photo": {"file": "not-uploaded"}})), "contents[0].photo.file"),
        (under(json!({"label": "x", "teleport": "home"})), "contents[0].buttons[0][0].teleport"),
        (under(json!({"label": "x"})), "contents[0].buttons[0][0]"),
        (under(json!({"label": "x", "screen": "home", "url": "https://example.com/"})), "contents[0].buttons[0][0]"),
        (under(json!({"label": "", "screen": "home"})), "contents[0].buttons[0][0].label"),
        (under(json!({"label": "x", "url": "javascript:alert(1)"})), "contents[0].buttons[0][0].url"),
        (under(json!({"label": "x", "call": {"name": "x"}})), "contents[0].buttons[0][0].call"),
        (json!({"contents": [{"text": "x"}], "show": {"text": "x"}}), "show"),
        (json!({"contents": [{"text": "x"}], "screen": ""}), "screen"),
        (json!({"contents": [{"text": "x"}], "set": {"mood": "x".repeat(1025)}}), "set"),
    ];
    for (body, field) in completions {
        refused(worker.says(&job, "complete", body.clone()).await, field, &body);
    }
    refused(worker.says(&job, "progress", json!({"text": "\0"})).await, "text", &job);
    refused(worker.says(&job, "progress", json!({})).await, "", &job);
    refused(worker.says(&job, "fail", json!({"retry": "yes"})).await, "retry", &job);
    let leases = [
        (json!({"max": 0}), "max"),
        (json!({"max": 65}), "max"),
        (json!({"max": "many"}), "max"),
        (json!({"wait_seconds": 61}), "wait_seconds"),
        (json!({"worker": "x".repeat(65)}), "worker"),
    ];
    for (body, field) in leases {
        refused(worker.posts("lanes/text/lease", &body).await, field, &body);
    }
    worker.tells(&job, "complete", json!({"contents": [{"text": "A cat"}]})).await;

    let ann = stand.user("Ann").await;
    let home = stand.deployment.bot_api.wait_for_text(ann.id, "Home").await;
    stand.server.telegram(&stand.bot).posts(&ann.taps(&home.button("Orders"), home.id)).await;
    let call = worker.takes("default").await;
    let completions = [
        (json!({}), "show"),
        (json!({"show": {}}), "show"),
        (json!({"show": {"text": "x".repeat(4097)}}), "show.text"),
        (json!({"show": {"html": "<b>x</i>"}}), "show.html"),
        (json!({"show": {"text": "x", "photo_url": "x"}}), "show.photo_url"),
        (
            json!({"show": {"text": "x", "buttons": [[{"label": "x", "call": {"name": ""}}]]}}),
            "show.buttons[0][0].call.name",
        ),
        (json!({"contents": [{"text": "x"}], "show": {"text": "x"}}), "contents"),
        (json!({"screen": "home", "show": {"text": "x"}}), "screen"),
    ];
    for (body, field) in completions {
        refused(worker.says(&call, "complete", body.clone()).await, field, &body);
    }
    worker.tells(&call, "complete", json!({"show": {"text": "No orders"}})).await;
}

/// That `answer` is a 422 that names `field`.
fn refused((status, problem): (u16, Value), field: &str, body: &Value) {
    assert_eq!(status, 422, "{field}: {body}");
    let errors = problem["errors"].as_array().unwrap();
    assert!(errors.iter().any(|error| error["field"] == field), "not {field}: {problem}");
    assert!(errors.iter().all(|error| !error["message"].as_str().unwrap().is_empty()), "{problem}");
}

async fn a_lease_that_waits_is_answered_when_there_is_a_job(deployment: Deployment) {
    let stand = stand(deployment).await;
    let worker = stand.worker();
    let leased = tokio::spawn({
        let worker = worker.clone();
        async move { worker.leases("text", 1, 60).await }
    });
    // Later than the other call, as far as one of two connections can be.
    assert_eq!(worker.leases("image", 1, 0).await, Vec::<Value>::new());
    let ann = stand.asks("Why?").await;
    assert_eq!(leased.await.unwrap()[0]["chat"]["id"], ann.id);
}

async fn a_lease_that_waits_is_answered_when_the_server_stops(deployment: Deployment) {
    let mut stand = stand(deployment).await;
    for _ in 0..20 {
        let worker = stand.worker();
        let lease = json!({"worker": "test", "max": 1, "wait_seconds": 60});
        let leased = tokio::spawn({
            let worker = worker.clone();
            async move { worker.posts("lanes/text/lease", &lease).await }
        });
        assert_eq!(worker.leases("image", 1, 0).await, Vec::<Value>::new());
        // It ends by itself, so the minute is not waited for: its longest time for that is shorter.
        assert!(stand.server.stops().await.success());
        match leased.await.unwrap() {
            (200, leased) => return assert_eq!(leased["jobs"], json!([])),
            // It came later than the other call, and later than the stop.
            (503, _) => stand.server = stand.deployment.serves().await,
            other => panic!("{other:?}"),
        }
    }
    panic!("the lease came after the stop each time");
}
