//! Flows read anew while the server runs: what is sound takes over, what is broken is refused, nothing is disturbed.

use super::{count, on_both_profiles, sees_a_screen, starts, versions};
use crate::harness::author::Author;
use crate::harness::deployment::Deployment;
use crate::harness::patience;
use crate::harness::server::Server;
use crate::harness::telegram::User;
use futures::future::{join, join_all};

on_both_profiles!(nothing_is_lost_or_doubled_while_flows_are_read_anew_under_load);

/// A deployment whose only flow of its own stands in for the shipped one.
fn authored(mut deployment: Deployment) -> (Deployment, Author) {
    let flows = deployment.folder().join("flows");
    deployment.set("TAPGATE_FLOWS_DIR", flows.to_str().unwrap());
    (deployment, Author::of(flows.join("companion")))
}

/// SIGHUP, and waits until the flows were read once more with that result.
async fn rereads(server: &Server, result: &str) {
    let label = format!("result=\"{result}\"");
    let before = server.metric("tapgate_flow_reloads_total", &label).await;
    server.hangs_up();
    reread(server, result, before + 1.0).await;
}

async fn reread(server: &Server, result: &str, times: f64) {
    let label = format!("result=\"{result}\"");
    patience::until(&format!("the flows are {result}"), async || {
        (server.metric("tapgate_flow_reloads_total", &label).await >= times).then_some(())
    })
    .await;
}

async fn version(server: &Server) -> f64 {
    server.metric("tapgate_flow_version", "flow=\"companion\"").await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_a_hang_up_the_new_version_runs_and_its_number_is_the_same_for_every_process() {
    let (deployment, author) = authored(Deployment::embedded());
    let bot = deployment.adds_bot("shop").await;
    let server = deployment.serves().await;
    let sender = Server::start_sender(&deployment.server_environment(&[])).await;
    let ann = User::named("Ann");
    assert_eq!(starts(&deployment, &server, &bot, &ann).await.text, "<b>Home</b>");
    let (before, since) =
        (version(&server).await, server.metric("tapgate_flow_loaded_timestamp_seconds", "companion").await);
    assert!(before > 0.0 && before == version(&sender).await);

    author.edits("en.ftl", "Home", "Sweet home");
    rereads(&server, "taken").await;
    assert_ne!(version(&server).await, before);
    assert_eq!(version(&sender).await, before, "it was not told");
    assert!(server.metric("tapgate_flow_loaded_timestamp_seconds", "companion").await > since);
    rereads(&sender, "taken").await;
    assert_eq!(version(&sender).await, version(&server).await);
    let checked = deployment.botctl(&["check", "companion", "--json"]).await;
    let checked: serde_json::Value = serde_json::from_str(&checked).unwrap();
    assert_eq!(checked["flows"][0]["version"].as_f64(), Some(version(&server).await), "`check` says the same number");

    server.telegram(&bot).posts(&ann.says("/start")).await;
    deployment.bot_api.wait_for_text(ann.id, "Sweet home").await;
    rereads(&server, "unchanged").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_broken_version_is_refused_with_its_problems_and_the_old_one_goes_on() {
    let (deployment, author) = authored(Deployment::embedded());
    let bot = deployment.adds_bot("shop").await;
    let server = deployment.serves().await;
    let before = version(&server).await;
    assert_eq!(server.metric("tapgate_flows_refused", "").await, 0.0);

    author.edits("flow.toml", "go = \"game\" }]", "go = \"gane\" }]");
    author.edits("ru.ftl", "home = <b>Home</b>", "home = <b>Home");
    rereads(&server, "refused").await;
    assert_eq!((server.metric("tapgate_flows_refused", "").await, version(&server).await), (1.0, before));
    let log = server.log();
    for said in
        ["companion/flow.toml:14:26: unknown screen `gane` (did you mean `game`?)", "companion/ru.ftl:1:1: ", "refused"]
    {
        assert!(log.contains(said), "{said}: {log}");
    }
    let ann = User::named("Ann");
    let screen = starts(&deployment, &server, &bot, &ann).await;
    server.telegram(&bot).posts(&ann.taps(&screen.button("Play"), screen.id)).await;
    deployment.bot_api.wait_for_text(ann.id, "Game").await;

    author.edits("flow.toml", "gane", "game");
    author.edits("ru.ftl", "home = <b>Home", "home = <b>Home</b>");
    rereads(&server, "unchanged").await;
    assert_eq!(server.metric("tapgate_flows_refused", "").await, 0.0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_stands_on_a_screen_that_is_gone_is_led_to_the_start() {
    let (deployment, author) = authored(Deployment::embedded());
    let bot = deployment.adds_bot("shop").await;
    let server = deployment.serves().await;
    let telegram = server.telegram(&bot);
    let (ann, bob) = (User::named("Ann"), User::named("Bob"));
    let mut games = Vec::new();
    for user in [&ann, &bob] {
        let screen = starts(&deployment, &server, &bot, user).await;
        telegram.posts(&user.taps(&screen.button("Play"), screen.id)).await;
        games.push(deployment.bot_api.wait_for_text(user.id, "Game").await);
    }
    author.drops_the_game();
    rereads(&server, "taken").await;

    let answer = telegram.posts(&ann.taps(&games[0].button("Again"), games[0].id)).await;
    assert_eq!((answer.status, &answer.json()["text"]), (200, &"Old".into()));
    assert_eq!(deployment.bot_api.wait_for_text(ann.id, "Home").await.id, games[0].id, "where the button was");
    assert_eq!(telegram.posts(&bob.says("hello")).await.status, 200);
    deployment.bot_api.wait_for_text(bob.id, "Home").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_saved_is_read_where_the_settings_want_it() {
    let (mut deployment, author) = authored(Deployment::embedded());
    let watchless = deployment.serves().await;
    let file = deployment.folder().join("tapgate.toml");
    std::fs::write(&file, "[flows]\nwatch = true\n").unwrap();
    deployment.set("TAPGATE_CONFIG", file.to_str().unwrap());
    let watching = deployment.serves().await;
    author.edits("en.ftl", "Home", "Sweet home");
    reread(&watching, "taken", 1.0).await;
    assert_ne!(version(&watching).await, version(&watchless).await);
    author.edits("en.ftl", "error = ", "eror = ");
    reread(&watching, "refused", 1.0).await;
    assert_eq!(watchless.metric("tapgate_flow_reloads_total", "").await, 0.0);
}

async fn nothing_is_lost_or_doubled_while_flows_are_read_anew_under_load(deployment: Deployment) {
    const READINGS: usize = 12;
    let (deployment, author) = authored(deployment);
    let bot = deployment.adds_bot("shop").await;
    let server = deployment.serves().await;
    let telegram = server.telegram(&bot);
    let users: Vec<_> = (0..100).map(|_| User::named("Ann")).collect();
    let chats = async |user: &User| {
        for text in ["/start", "hello", "/start"] {
            assert_eq!(telegram.posts(&user.says(text)).await.status, 200);
        }
    };
    // Every other version is broken; every sound one is another than the one before.
    let edits = async {
        for reading in 0..READINGS {
            match reading % 4 {
                0 => author.edits("en.ftl", "Home", "Sweet home"),
                1 => author.edits("flow.toml", "start = \"home\"", "start = \"hmoe\""),
                2 => {
                    author.edits("flow.toml", "start = \"hmoe\"", "start = \"home\"");
                    author.edits("en.ftl", "Sweet home", "Home");
                }
                _ => author.edits("flow.toml", "start = \"home\"", "start = \"home\" # again"),
            }
            rereads(&server, if reading % 4 == 1 { "refused" } else { "taken" }).await;
        }
    };
    join(join_all(users.iter().map(chats)), edits).await;
    let versions = versions(&deployment).await;
    assert_eq!(versions.len(), users.len());
    assert!(versions.iter().all(|version| *version == 3), "{versions:?}");
    // A send whose settle came too late is repeated when its lease has run out, so what a chat sees last is what counts.
    patience::until_within(2 * patience::LIMIT, "everything queued is sent", async || {
        (count(&deployment, "SELECT count(*) FROM jobs").await == 0).then_some(())
    })
    .await;
    for user in &users {
        let newest = sees_a_screen(&deployment, user).await;
        assert!(newest.text.to_lowercase().contains("home"), "{}", newest.text);
    }
}
