//! `botctl chat forget`.

use super::{ends, reads};
use crate::harness::deployment::Deployment;
use crate::harness::telegram::{Update, User};
use serde_json::json;

on_both_profiles! {
    a_forgotten_user_leaves_nothing_behind_and_comes_back_as_a_newcomer
    nobody_is_forgotten_by_mistake
}

async fn a_forgotten_user_leaves_nothing_behind_and_comes_back_as_a_newcomer(deployment: Deployment) {
    let bot = deployment.adds_bot("shop").await;
    let server = deployment.serves().await;
    let telegram = server.telegram(&bot);
    let (ann, bob) = (User::named("Ann"), User::named("Bob"));
    for user in [&ann, &bob] {
        for text in ["/start", "/settings"] {
            assert_eq!(telegram.posts(&user.says(text)).await.status, 200);
        }
        let body = format!(r#"{{"update_id":{},"message":{{"from":{{"id":{}}},"text":"hi"}}}}"#, user.id, user.id);
        assert_eq!(telegram.posts(&Update::raw(user.id, body)).await.status, 200);
    }
    let (chat, bobs) = (ann.id.to_string(), bob.id.to_string());
    deployment.botctl(&["chat", "ban", "--chat", &chat]).await;
    let forget = ["chat", "forget", "--chat", &chat];
    let line = ends(&deployment, &forget).await.failed(2);
    assert!(line.contains("its ban") && line.contains("1 failed") && line.contains("--yes"), "{line}");
    assert_eq!(deployment.chat(&bot, ann.id).await["banned"], true);

    let done = reads(&deployment, &[&forget[..], &["--yes", "--json"]].concat()).await;

    assert_eq!((&done["forgotten"]["chats"], &done["forgotten"]["failures"]), (&json!(1), &json!(1)));
    assert!(done["forgotten"]["ledger"].as_i64() > Some(0), "what every newcomer gets stands in it: {done}");
    ends(&deployment, &["chat", "show", "--chat", &chat]).await.failed(1);
    assert_eq!(reads(&deployment, &["jobs", "list", "--chat", &chat, "--json"]).await, json!([]));
    let left = reads(&deployment, &["dead", "list", "--json"]).await;
    assert_eq!(left.as_array().unwrap().iter().map(|it| it["key"].as_str().unwrap()).collect::<Vec<_>>(), [bobs]);
    assert_eq!(deployment.chat(&bot, bob.id).await["version"], 2);
    assert_eq!(telegram.posts(&ann.says("/start")).await.status, 200);
    let newcomer = deployment.chat(&bot, ann.id).await;
    assert_eq!((&newcomer["version"], &newcomer["banned"]), (&json!(1), &json!(false)));
}

async fn nobody_is_forgotten_by_mistake(deployment: Deployment) {
    deployment.adds_bot("shop").await;
    let line = ends(&deployment, &["chat", "forget", "--chat", "7", "--yes"]).await.failed(1);
    assert!(line.contains("nothing is kept"), "{line}");
    let line = ends(&deployment, &["chat", "forget", "--chat", "-7", "--yes"]).await.failed(2);
    assert!(line.contains("--chat"), "{line}");
}
