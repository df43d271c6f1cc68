//! The life of a job: taken, held, told of, ended; and what its end does to its chat.

use super::stand::{Stand, TOKEN};
use crate::harness::deployment::Deployment;
use crate::path::on_both_profiles;
use serde_json::{Value, json};

on_both_profiles!(
    a_worker_is_told_all_that_it_needs_and_its_result_reaches_the_user,
    what_a_worker_has_so_far_is_seen_where_the_user_waits,
    a_failure_is_tried_again_and_the_last_one_gives_back_what_it_cost,
    who_cancels_gets_back_what_it_cost_and_the_worker_has_lost_its_lease,
    a_worker_that_lost_its_lease_can_change_nothing,
    a_screen_is_made_by_a_worker_and_its_buttons_ask_again,
    a_picture_is_uploaded_and_arrives_as_a_photo,
);

async fn a_worker_is_told_all_that_it_needs_and_its_result_reaches_the_user(deployment: Deployment) {
    let stand = Stand::on(deployment).await;
    let ann = stand.asks("What is the time?").await;
    stand.sees(&ann, "Place 1").await;
    let worker = stand.worker();

    let job = worker.takes("text").await;

    assert_eq!(
        job,
        json!({
            "id": job["id"], "lease": job["lease"], "lease_seconds": 60, "lane": "text", "attempt": 1, "key": "2.0",
            "kind": "generate", "screen": "after", "arguments": {}, "text": "What is the time?", "vars": {},
            "locale": "en", "bot": {"id": stand.bot.id, "name": "asking"}, "chat": {"id": ann.id}, "dialog": [],
        })
    );
    let chat = stand.chat(&ann).await;
    assert_eq!((&chat["balance"], &chat["busy"]), (&json!(99), &json!("2.0")));
    let buttons = json!([[{"label": "Home", "screen": "home"}, {"label": "More", "url": "https://example.com/"}]]);
    let contents = json!([{"text": "It is <late>."}, {"html": "<b>Very</b> late.", "buttons": buttons}]);
    worker.tells(&job, "complete", json!({"contents": contents, "set": {"mood": "bad", "none": "such"}})).await;
    stand.sees(&ann, "It is &lt;late&gt;.").await;
    stand.sees(&ann, "<b>Very</b> late.").await;
    stand.sees(&ann, "After, 99 left, mood bad").await;
    let chat = stand.chat(&ann).await;
    assert_eq!((&chat["balance"], &chat["busy"], &chat["vars"]), (&json!(99), &Value::Null, &json!({"mood": "bad"})));
    assert_eq!(worker.says(&job, "complete", json!({"contents": contents})).await.0, 409, "it has ended");

    stand.posts(&ann, "And now?").await;
    let next = worker.takes("text").await;
    assert_eq!(
        (&next["vars"], &next["text"], &next["screen"]),
        (&json!({"mood": "bad"}), &json!("And now?"), &json!("after"))
    );
    let dialog = json!([
        {"role": "user", "text": "What is the time?"},
        {"role": "assistant", "text": "It is <late>.\n\nVery late."},
    ]);
    assert_eq!(next["dialog"], dialog);
}

async fn what_a_worker_has_so_far_is_seen_where_the_user_waits(deployment: Deployment) {
    let stand = Stand::on(deployment).await;
    let ann = stand.asks("Tell me a story").await;
    stand.sees(&ann, "Place 1: …").await;
    let worker = stand.worker();
    let job = worker.takes("text").await;

    worker.tells(&job, "progress", json!({"text": "Once"})).await;
    stand.sees(&ann, "Place 0: Once…").await;
    worker.tells(&job, "progress", json!({"text": "Once <upon>"})).await;
    stand.sees(&ann, "Place 0: Once &lt;upon&gt;…").await;
    let version = stand.chat(&ann).await["version"].clone();
    worker.tells(&job, "progress", json!({"text": "x".repeat(10_000)})).await;
    assert_eq!(stand.chat(&ann).await["version"], version, "a redraw is no change");

    // Who went elsewhere is left alone.
    stand.posts(&ann, "/start").await;
    stand.sees(&ann, "Home, 99 left").await;
    worker.tells(&job, "progress", json!({"text": "Once upon a time"})).await;
    worker.tells(&job, "complete", json!({"contents": [{"text": "The end."}]})).await;
    stand.sees(&ann, "The end.").await;
    let seen = stand.deployment.bot_api.messages(ann.id);
    assert!(!seen.iter().any(|message| message.text.contains("upon a time")), "{seen:?}");
}

async fn a_failure_is_tried_again_and_the_last_one_gives_back_what_it_cost(deployment: Deployment) {
    let stand = Stand::on(deployment).await;
    let ann = stand.asks("hm").await;
    let worker = stand.worker();
    for attempt in 1..=3 {
        let job = worker.takes("text").await;
        assert_eq!(job["attempt"], attempt);
        assert_eq!(stand.chat(&ann).await["balance"], 99);
        worker.tells(&job, "fail", json!({"reason": "no idea", "retry": true})).await;
        assert_eq!(worker.says(&job, "heartbeat", json!({})).await.0, 409);
    }
    stand.sees(&ann, "It failed").await;
    let chat = stand.chat(&ann).await;
    assert_eq!((&chat["balance"], &chat["busy"]), (&json!(100), &Value::Null));

    stand.posts(&ann, "hm?").await;
    let job = worker.takes("text").await;
    worker.tells(&job, "fail", json!({})).await;
    let chat = stand.chat(&ann).await;
    assert_eq!((&chat["balance"], &chat["busy"]), (&json!(100), &Value::Null), "at once where no attempt helps");
    for (outcome, times) in [("leased", 4.0), ("retried", 2.0), ("failed", 2.0), ("completed", 0.0)] {
        let labels = format!("lane=\"text\",worker=\"default\",outcome=\"{outcome}\"");
        assert_eq!(stand.server.metric("tapgate_worker_jobs_total", &labels).await, times, "{outcome}");
    }
    assert_eq!(stand.server.metric("tapgate_lane_wait_seconds_count", "lane=\"text\"").await, 2.0);
    assert_eq!(stand.server.metric("tapgate_lane_duration_seconds_count", "lane=\"text\"").await, 2.0);
}

async fn who_cancels_gets_back_what_it_cost_and_the_worker_has_lost_its_lease(deployment: Deployment) {
    let stand = Stand::on(deployment).await;
    let ann = stand.asks("hm").await;
    let worker = stand.worker();
    let job = worker.takes("text").await;
    stand.posts(&ann, "/cancel").await;

    let done = json!({"contents": [{"text": "too late"}]});
    assert_eq!(worker.says(&job, "complete", done).await.0, 409);
    let chat = stand.chat(&ann).await;
    assert_eq!((&chat["balance"], &chat["busy"]), (&json!(100), &Value::Null));
    assert_eq!(worker.leases("text", 1, 0).await, Vec::<Value>::new());
}

async fn a_worker_that_lost_its_lease_can_change_nothing(deployment: Deployment) {
    let stand = Stand::with(deployment, &format!("lanes.lease = \"1s\"\nworkers.default.token = \"{}\"", TOKEN)).await;
    let ann = stand.asks("hm").await;
    let worker = stand.worker();
    let slow = worker.takes("text").await;
    assert_eq!(slow["lease_seconds"], 1);
    let job = worker.takes("text").await;
    assert_eq!((&job["id"], &job["attempt"]), (&slow["id"], &json!(2)), "its lease has run out");

    let before = stand.chat(&ann).await;
    let calls = [
        ("heartbeat", json!({})),
        ("progress", json!({"text": "late"})),
        ("complete", json!({"contents": [{"text": "late"}]})),
        ("fail", json!({"retry": true})),
        ("fail", json!({"retry": false})),
    ];
    for (call, body) in calls {
        let (status, problem) = worker.says(&slow, call, body).await;
        assert_eq!((status, &problem["type"]), (409, &json!("urn:tapgate:problem:lease-lost")), "{call}");
    }
    assert_eq!(worker.uploads(&slow, "image/png", super::api::png()).await.0, 409);
    assert_eq!(stand.chat(&ann).await, before);
    worker.tells(&job, "complete", json!({"contents": [{"text": "in time"}]})).await;
    stand.sees(&ann, "in time").await;
    let seen = stand.deployment.bot_api.messages(ann.id);
    assert!(!seen.iter().any(|message| message.text.contains("late")), "{seen:?}");
}

async fn a_screen_is_made_by_a_worker_and_its_buttons_ask_again(deployment: Deployment) {
    let stand = Stand::on(deployment).await;
    let ann = stand.user("Ann").await;
    let home = stand.deployment.bot_api.wait_for_text(ann.id, "Home").await;
    press(&stand, &ann, home.id, "Orders").await;
    let worker = stand.worker();

    let job = worker.takes("default").await;
    assert_eq!((&job["kind"], &job["name"], &job["screen"]), (&json!("call"), &json!("orders"), &json!("orders")));
    assert_eq!((&job["arguments"], &job["lane"]), (&json!({"page": "1"}), &json!("default")));
    let long = "long ".repeat(100);
    let more = json!({"label": "More", "call": {"name": "orders", "arguments": {"page": "2", "words": long}}});
    let show = json!({"html": "<b>No orders</b>", "buttons": [[more]]});
    worker.tells(&job, "complete", json!({"show": show})).await;
    let shown = stand.deployment.bot_api.wait_for_text(ann.id, "<b>No orders</b>").await;

    press(&stand, &ann, shown.id, "More").await;
    let again = worker.takes("default").await;
    assert_eq!(again["arguments"], json!({"page": "2", "words": long}));
    worker.tells(&again, "complete", json!({"show": {"text": "Page <2>"}})).await;
    stand.sees(&ann, "Page &lt;2&gt;").await;
    assert_eq!(stand.chat(&ann).await["balance"], 100);
}

async fn a_picture_is_uploaded_and_arrives_as_a_photo(deployment: Deployment) {
    let stand = Stand::on(deployment).await;
    let ann = stand.asks("/draw").await;
    let worker = stand.worker();
    let job = worker.takes("image").await;
    assert_eq!(job["arguments"], json!({"style": "oil"}));

    let (status, uploaded) = worker.uploads(&job, "image/png", super::api::png()).await;
    assert_eq!(status, 200, "{uploaded}");
    let photo = json!({"file": uploaded["file"]});
    worker.tells(&job, "complete", json!({"contents": [{"photo": photo, "text": "A cat"}]})).await;
    stand.sees(&ann, "A cat").await;
    let call = stand.deployment.bot_api.calls_of("sendPhoto").pop().unwrap();
    assert!(call.text("photo").contains("PNG") || call.text("photo").starts_with("attach://"), "{call:?}");
    assert_eq!(stand.chat(&ann).await["balance"], 98);
}

/// Presses the button that says `label` under that message.
async fn press(stand: &Stand, user: &crate::harness::telegram::User, message: i64, label: &str) {
    let shown = stand.deployment.bot_api.messages(user.id).into_iter().find(|shown| shown.id == message).unwrap();
    let (_, data) = shown.buttons().find(|(says, _)| says == label).expect("there is such a button");
    assert_eq!(stand.server.telegram(&stand.bot).posts(&user.taps(&data, message)).await.status, 200);
}
