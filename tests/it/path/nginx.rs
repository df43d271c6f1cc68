//! The main job as it is run in production: real nginx with the shipped configuration, two servers behind it, real
//! PostgreSQL and Redis, and Telegram on both sides.

use super::{count, first_button, sees_a_screen, versions};
use crate::harness::deployment::Deployment;
use crate::harness::nginx::Nginx;
use crate::harness::patience;
use crate::harness::server::Server;
use crate::harness::telegram::{Bot, User};
use crate::harness::wire::Wire;
use futures::future::join_all;
use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr};

/// Where Telegram posts from, and a stranger; nginx and the servers are at 127.0.0.1.
const TELEGRAM: IpAddr = IpAddr::V4(Ipv4Addr::new(127, 0, 0, 2));
const STRANGER: IpAddr = IpAddr::V4(Ipv4Addr::new(127, 0, 0, 3));

/// Two servers that only take updates in, and nginx before them. Updates may come from [`TELEGRAM`] alone, and nginx
/// alone says where they come from.
struct Site {
    bot: Bot,
    servers: [Server; 2],
    /// Between nginx and each server.
    wires: [Wire; 2],
    nginx: Nginx,
    deployment: Deployment,
}

impl Site {
    async fn open() -> Option<Self> {
        let mut deployment = Deployment::cluster().await?;
        deployment.set("TAPGATE_SUBNETS", &TELEGRAM.to_string());
        let bot = deployment.adds_bot("shop").await;
        let takes_in = async || Server::start(&deployment.server_environment(&[]), &["--no-sender"]).await;
        let servers = [takes_in().await, takes_in().await];
        let wires = [Wire::to(servers[0].public()), Wire::to(servers[1].public())];
        let nginx = Nginx::before(&[wires[0].address(), wires[1].address()]).await?;
        Some(Self { bot, servers, wires, nginx, deployment })
    }

    async fn sends(&self) -> Server {
        Server::start_sender(&self.deployment.server_environment(&[])).await
    }

    /// How many updates each of the two servers applied.
    async fn applied(&self) -> [f64; 2] {
        let applied = |server: usize| self.servers[server].metric("tapgate_webhook_requests_total", r#"="applied""#);
        [applied(0).await, applied(1).await]
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_update_becomes_a_row_and_a_job_and_then_a_call() {
    const USERS: usize = 20;
    let Some(site) = Site::open().await else { return };
    let telegram = site.nginx.telegram_at(TELEGRAM, &site.bot);
    let users: Vec<_> = (0..USERS).map(|_| User::named("Аня")).collect();

    let answers = join_all(users.iter().map(async |user| telegram.posts(&user.says("/start")).await)).await;
    assert!(answers.iter().all(|answer| (answer.status, answer.text()) == (200, "")), "{answers:#?}");
    let [first, second] = site.applied().await;
    assert!(first > 0.0 && second > 0.0, "both servers had their share: {first} and {second}");
    assert_eq!(versions(&site.deployment).await, [1; USERS]);
    let jobs = "SELECT count(*) FROM jobs WHERE lane = 'outbound' AND key = 'screen' AND place IS NOT NULL";
    assert_eq!(count(&site.deployment, jobs).await, USERS as i64);
    assert!(site.deployment.bot_api.calls().is_empty(), "nothing was called inside a request");

    let _sender = site.sends().await;
    for user in &users {
        let screen = sees_a_screen(&site.deployment, user).await;
        let press = user.taps(&first_button(&screen), screen.id);
        let answer = telegram.posts(&press).await;
        assert_eq!((answer.status, &answer.json()["method"]), (200, &"answerCallbackQuery".into()));
        let repeat = telegram.posts(&press).await;
        assert_eq!((repeat.status, repeat.text()), (200, answer.text()), "whichever server the repeat came to");
    }
    let edits = site.deployment.bot_api.wait_for(USERS, "editMessageText").await;
    let edited: BTreeSet<_> = edits.iter().filter_map(|call| call.chat()).collect();
    assert_eq!(edited, users.iter().map(|user| user.id).collect());
    nothing_is_left_to_send(&site.deployment).await;
    assert_eq!(versions(&site.deployment).await, [2; USERS]);
    let methods: BTreeSet<_> = site.deployment.bot_api.calls().into_iter().map(|call| call.method).collect();
    assert_eq!(methods.into_iter().collect::<Vec<_>>(), ["editMessageText", "sendMessage"], "nothing else was called");
    for user in &users {
        let chat = site.deployment.chat(&site.bot, user.id).await;
        assert_eq!(chat["shown"]["revision"], chat["desired"]["revision"], "{chat}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_is_not_telegram_is_refused_whatever_they_write_of_themselves() {
    let Some(site) = Site::open().await else { return };
    let ann = User::named("Ann");
    for claimed in [None, Some("127.0.0.2"), Some("127.0.0.1"), Some("127.0.0.2, 127.0.0.1")] {
        let stranger = site.nginx.telegram_at(STRANGER, &site.bot).forwarded_for(claimed);
        assert_eq!(stranger.posts(&ann.says("/start")).await.status, 403, "{claimed:?}");
    }
    // What Telegram writes before it is not reached either: what nginx saw stands behind it.
    let telegram = site.nginx.telegram_at(TELEGRAM, &site.bot).forwarded_for(Some("127.0.0.3"));
    assert_eq!(telegram.posts(&ann.says("/start")).await.status, 200);
    let forger = site.nginx.telegram_at(TELEGRAM, &site.bot).with_secret("SECRET-of-somebody-else");
    assert_eq!(forger.posts(&ann.says("/start")).await.status, 401);
    assert_eq!(versions(&site.deployment).await, [1]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ten_thousand_updates_use_no_more_connections_than_nginx_was_told_to_keep() {
    const CONNECTIONS: usize = 40;
    const UPDATES: usize = 10_000;
    let Some(site) = Site::open().await else { return };
    let telegram = site.nginx.telegram_at(TELEGRAM, &site.bot);

    join_all((0..CONNECTIONS).map(async |_| {
        for _ in 0..UPDATES / CONNECTIONS {
            let answer = telegram.posts(&User::named("Ann").says("/start")).await;
            assert_eq!((answer.status, answer.text()), (200, ""));
        }
    }))
    .await;

    assert!(telegram.opened() <= CONNECTIONS, "{}", telegram.opened());
    let (opened, kept) = (site.wires[0].opened() + site.wires[1].opened(), Nginx::kept_connections());
    assert!(opened <= kept, "nginx keeps {kept} connections and yet opened {opened}");
    let [first, second] = site.applied().await;
    assert!(first > 0.0 && second > 0.0, "both servers had their share: {first} and {second}");
    assert_eq!(first + second, UPDATES as f64);
    assert_eq!(versions(&site.deployment).await, vec![1; UPDATES], "every chat exactly once");
    let jobs = count(&site.deployment, "SELECT count(*) FROM jobs WHERE lane = 'outbound' AND key = 'screen'").await;
    assert_eq!(jobs, UPDATES as i64, "and each has its screen queued");
}

/// Waits until the last job was settled.
async fn nothing_is_left_to_send(deployment: &Deployment) {
    patience::until("all jobs are settled", async || {
        (count(deployment, "SELECT count(*) FROM jobs").await == 0).then_some(())
    })
    .await;
}
