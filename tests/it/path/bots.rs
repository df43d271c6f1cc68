//! Several bots on one server: nothing of one is another's, and the trouble of one is not another's either.

use super::{count, on_both_profiles, starts};
use crate::harness::bot_api::Reply;
use crate::harness::deployment::Deployment;
use crate::harness::patience;
use crate::harness::telegram::{Bot, User};
use serde_json::json;

on_both_profiles!(
    each_bot_accepts_its_own_secret_alone,
    one_update_id_of_two_bots_is_two_updates,
    a_bot_whose_flow_is_not_there_waits_and_the_others_do_not,
    a_paused_bot_waits_and_the_others_do_not,
    what_telegram_says_of_a_webhook_is_measured_where_it_is_asked,
);

async fn each_bot_accepts_its_own_secret_alone(deployment: Deployment) {
    let (shop, bank) = (deployment.adds_bot("shop").await, deployment.adds_bot("bank").await);
    let server = deployment.serves().await;
    let ann = User::named("Ann");
    for (bot, other) in [(&shop, &bank), (&bank, &shop)] {
        let forged = server.telegram(bot).with_secret(&other.secret).posts(&ann.says("/start")).await;
        assert_eq!((forged.status, forged.text()), (401, r#"{"error":"Access denied"}"#));
    }
    assert_eq!(count(&deployment, "SELECT count(*) FROM chats").await, 0);
    starts(&deployment, &server, &shop, &ann).await;
    assert_eq!(count(&deployment, "SELECT count(*) FROM chats").await, 1);
}

/// Ids are unique within a bot alone, in Redis as in the row.
async fn one_update_id_of_two_bots_is_two_updates(deployment: Deployment) {
    let bots = [deployment.adds_bot("shop").await, deployment.adds_bot("bank").await];
    let server = deployment.serves().await;
    let ann = User::named("Ann");
    let (start, unknown) = (ann.says("/start"), ann.says("/nosuchcommand"));
    for attempt in ["first", "repeat"] {
        for bot in &bots {
            let telegram = server.telegram(bot);
            let answer = telegram.posts(&start).await;
            assert_eq!((answer.status, answer.text()), (200, ""), "{attempt}, {}", bot.name);
            // Had it been taken for the other bot's, its answer would be a recorded one and its row untouched.
            assert_eq!(telegram.posts(&unknown).await.json()["method"], "sendMessage");
            assert_eq!(deployment.chat(bot, ann.id).await["version"], 1, "{attempt}, {}", bot.name);
        }
    }
    let sent = deployment
        .bot_api
        .wait_until("both bots speak", |api| Some(api.calls_of("sendMessage")).filter(|calls| calls.len() >= 2))
        .await;
    let mut by: Vec<_> = sent.iter().map(|call| call.bot.clone()).collect();
    by.sort();
    let mut expected = bots.map(|bot| bot.id.to_string());
    expected.sort();
    assert_eq!(by, expected);
}

async fn a_bot_whose_flow_is_not_there_waits_and_the_others_do_not(mut deployment: Deployment) {
    let flows = deployment.folder().join("flows");
    copy_companion(&flows.join("novel"));
    deployment.set("TAPGATE_FLOWS_DIR", flows.to_str().unwrap());
    let shop = deployment.adds_bot("shop").await;
    let novel = Bot::new("novel");
    let arguments = ["--name", "novel", "--token", &novel.token, "--secret", &novel.secret, "--flow", "novel"];
    deployment.botctl(&[&["bot", "add", "--offline"], &arguments[..]].concat()).await;

    deployment.set("TAPGATE_FLOWS_DIR", "");
    let server = deployment.serves().await;
    let ann = User::named("Ann");
    let start = ann.says("/start");
    let answer = server.telegram(&novel).posts(&start).await;
    assert_eq!((answer.status, answer.header("retry-after"), answer.text()), (503, Some("1"), ""));
    assert!(server.log().contains("the flow novel"), "it is said: {}", server.log());
    starts(&deployment, &server, &shop, &ann).await;
    assert_eq!(count(&deployment, "SELECT count(*) FROM chats").await, 1);
    assert_eq!(count(&deployment, "SELECT count(*) FROM dead_updates").await, 0, "that is no fault of the update");
    drop(server);

    deployment.set("TAPGATE_FLOWS_DIR", flows.to_str().unwrap());
    let server = deployment.serves().await;
    assert_eq!(server.telegram(&novel).posts(&start).await.status, 200);
    assert_eq!(deployment.chat(&novel, ann.id).await["version"], 1);
}

async fn a_paused_bot_waits_and_the_others_do_not(deployment: Deployment) {
    let (shop, bank) = (deployment.adds_bot("shop").await, deployment.adds_bot("bank").await);
    let server = deployment.serves().await;
    let (telegram, ann) = (server.telegram(&bank), User::named("Ann"));
    deployment.botctl(&["pause", "--bot", "bank"]).await;
    // Within a second the server reads the list of bots anew; until then an update of a stranger changes nothing.
    let answer = patience::until("the bot is paused", async || {
        let answer = telegram.posts(&ann.says("/nosuchcommand")).await;
        (answer.status != 200).then_some(answer)
    })
    .await;
    assert_eq!((answer.status, answer.header("retry-after"), answer.text()), (503, Some("1"), ""));
    let start = ann.says("/start");
    assert_eq!(telegram.posts(&start).await.status, 503);
    starts(&deployment, &server, &shop, &ann).await;
    assert_eq!(count(&deployment, "SELECT count(*) FROM chats").await, 1);

    deployment.botctl(&["resume", "--bot", "bank"]).await;
    telegram.delivers(&start).await;
    assert_eq!(deployment.chat(&bank, ann.id).await["version"], 1, "what waited is applied");
}

/// The shipped flow under another name.
fn copy_companion(to: &std::path::Path) {
    std::fs::create_dir_all(to).unwrap();
    for file in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/config/flows/companion")).unwrap() {
        let file = file.unwrap();
        std::fs::copy(file.path(), to.join(file.file_name())).unwrap();
    }
}

async fn what_telegram_says_of_a_webhook_is_measured_where_it_is_asked(mut deployment: Deployment) {
    deployment.configure("[ops]\nwebhook_info_interval = \"10s\"\n");
    let (shop, _bank) = (deployment.adds_bot("shop").await, deployment.adds_bot("bank").await);
    let base = "https://bot.example.org";
    deployment.executes(&format!("UPDATE bots SET base_url = '{base}'")).await;
    let (id, right) = (shop.id.to_string(), format!("{base}{}", shop.webhook_path()));
    let kinds = ["message", "callback_query", "pre_checkout_query", "my_chat_member"];
    deployment.bot_api.answer_when(move |call| {
        let url = if call.bot == id { &right } else { "https://elsewhere.example.org/" };
        let info = json!({"url": url, "max_connections": 40, "allowed_updates": kinds,
                          "pending_update_count": 7, "last_error_date": 1_790_000_000, "last_error_message": "none"});
        (call.method == "getWebhookInfo").then(|| Reply::ok(info))
    });
    let server = deployment.serves().await;
    for (bot, drift) in [("shop", 0.0), ("bank", 1.0)] {
        let label = format!("bot=\"{bot}\"");
        patience::until("Telegram was asked", async || {
            (server.metric("tapgate_webhook_pending_updates", &label).await == 7.0).then_some(())
        })
        .await;
        assert_eq!(server.metric("tapgate_webhook_drift", &label).await, drift, "{bot}");
        assert_eq!(server.metric("tapgate_webhook_last_error_timestamp_seconds", &label).await, 1_790_000_000.0);
    }
}
