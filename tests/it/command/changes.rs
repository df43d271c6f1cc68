//! `botctl bot set`, `bot remove`, `pause` and `resume`.

use super::{ends, reads};
use crate::harness::bot_api::Reply;
use crate::harness::deployment::Deployment;
use crate::harness::patience;
use crate::harness::telegram::User;
use serde_json::json;

on_both_profiles! {
    each_thing_of_a_bot_can_be_changed_and_the_rest_stays
    what_a_bot_cannot_be_is_refused_and_changes_nothing
    a_new_token_is_of_the_same_bot_and_known_to_telegram
    a_paused_bot_answers_503_until_it_is_resumed
    a_bot_is_removed_with_all_it_has_and_no_other
    a_bot_with_a_webhook_is_not_removed
}

async fn each_thing_of_a_bot_can_be_changed_and_the_rest_stays(deployment: Deployment) {
    deployment.adds_bot("shop").await;
    let mut expected = reads(&deployment, &["bot", "show", "--json"]).await;
    for (flag, value, field, shown) in [
        ("--max-connections", "7", "max_connections", json!(7)),
        ("--flow", "companion", "flow", json!("companion")),
        ("--name", "boutique", "name", json!("boutique")),
    ] {
        expected[field] = shown;
        assert_eq!(reads(&deployment, &["bot", "set", flag, value, "--json"]).await, expected);
        assert_eq!(reads(&deployment, &["bot", "show", "--json"]).await, expected);
    }
    let printed = deployment.botctl(&["bot", "set", "--url", "https://bot.example.org/"]).await;
    assert!(printed.contains("botctl set-webhook"), "{printed}");
    let url = reads(&deployment, &["bot", "show", "--json"]).await["webhook_url"].clone();
    assert!(url.as_str().unwrap().starts_with("https://bot.example.org/telegram/webhook/"), "{url}");
    assert!(deployment.bot_api.calls().is_empty(), "Telegram is told by set-webhook alone");
}

async fn what_a_bot_cannot_be_is_refused_and_changes_nothing(deployment: Deployment) {
    deployment.adds_bot("shop").await;
    deployment.adds_bot("bank").await;
    let before = reads(&deployment, &["bot", "list", "--json"]).await;
    for (code, arguments, word) in [
        (2, &[][..], "--max-connections"),
        (1, &["--name", "bank"], "--name"),
        (2, &["--name", "my shop"], "--name"),
        (2, &["--flow", "compnion"], "companion"),
        (2, &["--url", "http://bot.example.org"], "https://"),
        (2, &["--max-connections", "101"], "--max-connections"),
    ] {
        let all = [&["bot", "set", "--bot", "shop"][..], arguments].concat();
        let line = ends(&deployment, &all).await.failed(code);
        assert!(line.contains(word), "{line}");
    }
    assert_eq!(reads(&deployment, &["bot", "list", "--json"]).await, before);
}

async fn a_new_token_is_of_the_same_bot_and_known_to_telegram(deployment: Deployment) {
    let bot = deployment.adds_bot("shop").await;
    let token = format!("{}:a-new-one", bot.id);
    let line = ends(&deployment, &["bot", "set", "--token", "77:other"]).await.failed(2);
    assert!(line.contains("77") && !line.contains("other:"), "{line}");
    deployment.bot_api.answer_next("getMe", Reply::refused(401, "Unauthorized"));
    let line = ends(&deployment, &["bot", "set", "--token", &token]).await.failed(1);
    assert!(line.contains("@BotFather") && !line.contains("a-new-one"), "{line}");
    let shown = reads(&deployment, &["bot", "set", "--token", &token, "--json"]).await;
    assert_eq!(shown["username"], format!("bot{}_bot", bot.id));
    deployment.botctl(&["bot", "set", "--token", &token, "--offline"]).await;
    assert_eq!(deployment.bot_api.calls_of("getMe").len(), 2);
}

async fn a_paused_bot_answers_503_until_it_is_resumed(deployment: Deployment) {
    let bot = deployment.adds_bot("shop").await;
    let server = deployment.serves().await;
    let (telegram, ann) = (server.telegram(&bot), User::named("Ann"));
    let answers = async |status: u16| {
        patience::until("the server to know", async || {
            let answer = telegram.posts(&ann.says("/start")).await;
            (answer.status == status).then_some(answer)
        })
        .await
    };
    answers(200).await;
    let done = |paused: bool, changed: bool| json!({"bot": "shop", "paused": paused, "changed": changed});
    assert_eq!(reads(&deployment, &["pause", "--json"]).await, done(true, true));
    assert!(answers(503).await.header("retry-after").is_some());
    assert_eq!(reads(&deployment, &["pause", "--json"]).await, done(true, false));
    assert_eq!(reads(&deployment, &["resume", "--json"]).await, done(false, true));
    answers(200).await;
    assert!(deployment.botctl(&["resume"]).await.contains("already"));
}

async fn a_bot_is_removed_with_all_it_has_and_no_other(deployment: Deployment) {
    let (shop, bank) = (deployment.adds_bot("shop").await, deployment.adds_bot("bank").await);
    let server = deployment.serves().await;
    let ann = User::named("Ann");
    for bot in [&shop, &bank] {
        assert_eq!(server.telegram(bot).posts(&ann.says("/start")).await.status, 200);
    }
    let remove = ["bot", "remove", "--bot", "shop"];
    let line = ends(&deployment, &remove).await.failed(2);
    assert!(line.contains("1 chats") && line.contains("nothing was done") && line.contains("--yes"), "{line}");
    assert_eq!(server.telegram(&shop).posts(&ann.says("/start")).await.status, 200);

    let removed = reads(&deployment, &[&remove[..], &["--yes", "--json"]].concat()).await;

    assert_eq!((removed["bot"].as_str(), removed["removed"]["chats"].as_i64()), (Some("shop"), Some(1)));
    patience::until("the server to know it no more", async || {
        (server.telegram(&shop).posts(&ann.says("/start")).await.status == 401).then_some(())
    })
    .await;
    assert_eq!(server.telegram(&bank).posts(&ann.says("/start")).await.status, 200);
    assert_eq!(reads(&deployment, &["bot", "list", "--json"]).await.as_array().unwrap().len(), 1);
    assert_eq!(deployment.chat(&bank, ann.id).await["chat"], ann.id);

    deployment
        .botctl(&["bot", "add", "--name", "shop", "--token", &shop.token, "--secret", &shop.secret, "--offline"])
        .await;
    let chat = ["chat", "show", "--bot", "shop", "--chat", &ann.id.to_string()];
    let line = ends(&deployment, &chat).await.failed(1);
    assert!(line.contains("knows no chat"), "{line}");
}

async fn a_bot_with_a_webhook_is_not_removed(deployment: Deployment) {
    deployment.adds_bot("shop").await;
    let remove = ["bot", "remove", "--yes"];
    let has = json!({"url": "https://x.example.org/", "has_custom_certificate": false, "pending_update_count": 0});
    deployment.bot_api.answer_next("getWebhookInfo", Reply::ok(has));
    let line = ends(&deployment, &remove).await.failed(1);
    assert!(line.contains("botctl delete-webhook --bot shop"), "{line}");
    deployment.bot_api.answer_next("getWebhookInfo", Reply::refused(500, "Internal Server Error"));
    let line = ends(&deployment, &remove).await.failed(1);
    assert!(line.contains("--offline"), "{line}");
    assert_eq!(reads(&deployment, &["bot", "show", "--json"]).await["paused"], false);
    let asked = deployment.bot_api.calls().len();
    deployment.botctl(&[&remove[..], &["--offline"]].concat()).await;
    assert_eq!(deployment.bot_api.calls().len(), asked);
    assert_eq!(reads(&deployment, &["bot", "list", "--json"]).await, json!([]));
}
