//! A new version is rolled out: the servers behind nginx are restarted one after the other, under load.

use crate::harness::deployment::Deployment;
use crate::harness::nginx::Nginx;
use crate::harness::patience;
use crate::harness::server::Server;
use crate::harness::telegram::{Response, User};
use futures::future::join_all;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

const USERS: usize = 20;
const ROUNDS: usize = 2;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_servers_that_are_restarted_in_turn_fail_no_delivery() {
    let Some(deployment) = Deployment::cluster().await else { return };
    let bot = deployment.adds_bot("shop").await;
    let environments = [deployment.server_environment(&[]), deployment.server_environment(&[])];
    let mut servers = [Server::start(&environments[0], &[]).await, Server::start(&environments[1], &[]).await];
    let Some(nginx) = Nginx::before(&[servers[0].public(), servers[1].public()]).await else { return };
    let telegram = nginx.telegram(&bot);
    let users: Vec<_> = (0..USERS).map(|_| User::named("Ann")).collect();

    let over = AtomicBool::new(false);
    let load = join_all(users.iter().map(async |user| {
        let mut posted = 0;
        while !over.load(Ordering::Relaxed) {
            let Response { status, .. } = telegram.posts(&user.says("/start")).await;
            assert_eq!(status, 200, "the delivery after {posted} good ones; nginx said:\n{}", nginx.log());
            posted += 1;
        }
        (user.id, posted)
    }));
    let rolled_out = async {
        for _ in 0..ROUNDS {
            for (server, environment) in servers.iter_mut().zip(&environments) {
                assert!(server.stops().await.success(), "{}", server.log());
                *server = Server::start(environment, &[]).await;
                // The next one goes only when this one has its share again.
                patience::until("the new server takes updates in", async || {
                    let applied = server.metric("tapgate_webhook_requests_total", "outcome=\"applied\"").await;
                    (applied > 0.0).then_some(())
                })
                .await;
            }
        }
        over.store(true, Ordering::Relaxed);
    };
    let (posted, ()) = tokio::join!(load, rolled_out);

    let posted: BTreeMap<i64, i64> = posted.into_iter().collect();
    for user in &users {
        let chat = deployment.chat(&bot, user.id).await;
        assert_eq!(chat["version"].as_i64(), Some(posted[&user.id]), "every delivery had one effect");
    }
}
