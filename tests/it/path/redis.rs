//! Redis is a gate, not a judge: killed, emptied or frozen it changes no answer.

use super::{first_button, starts};
use crate::harness::deployment::Deployment;
use crate::harness::patience;
use crate::harness::telegram::User;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_redis_that_is_emptied_frozen_or_killed_changes_no_answer() {
    let Some(mut deployment) = Deployment::cluster_with_own_redis().await else { return };
    let bot = deployment.adds_bot("shop").await;
    let server = deployment.serves().await;
    let telegram = server.telegram(&bot);
    let ann = User::named("Ann");
    let screen = starts(&deployment, &server, &bot, &ann).await;

    for trouble in ["emptied", "frozen", "killed"] {
        let press = ann.taps(&first_button(&screen), screen.id);
        let first = telegram.posts(&press).await;
        assert_eq!(first.status, 200);
        let version = deployment.chat(&bot, ann.id).await["version"].clone();
        let redis = deployment.redis.as_mut().unwrap();
        match trouble {
            "emptied" => redis.empty().await,
            "frozen" => redis.freeze(),
            _ => redis.kill(),
        }

        let repeat = telegram.posts(&press).await;
        assert_eq!((repeat.status, repeat.text()), (200, first.text()), "{trouble}");
        assert_eq!(deployment.chat(&bot, ann.id).await["version"], version, "{trouble}");
        for _ in 0..20 {
            assert_eq!(telegram.posts(&ann.says("hello")).await.status, 200, "{trouble}");
        }
        if trouble == "frozen" {
            assert_eq!(server.metric("tapgate_degraded", "redis").await, 1.0, "five misses in a row");
            deployment.redis.as_mut().unwrap().thaw();
            patience::until("Redis is used again", async || {
                telegram.posts(&ann.says("hello")).await;
                (server.metric("tapgate_degraded", "redis").await == 0.0).then_some(())
            })
            .await;
        }
    }
}
