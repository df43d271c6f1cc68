//! Secrets, tokens and users' texts are in no log line and on no metrics page, however much is logged.

use super::{first_button, on_both_profiles, starts};
use crate::harness::bot_api::Reply;
use crate::harness::deployment::Deployment;
use crate::harness::services;
use crate::harness::telegram::{Update, User};
use std::io::Write;
use std::process::{Command, Stdio};

on_both_profiles!(a_log_at_trace_and_the_metrics_of_a_busy_run_hold_nothing_private);

async fn a_log_at_trace_and_the_metrics_of_a_busy_run_hold_nothing_private(deployment: Deployment) {
    let Some(promtool) = services::promtool() else { return };
    let bot = deployment.adds_bot("shop").await;
    let mut server = deployment.serves_with(&[("TAPGATE_LOG", "trace")]).await;
    let telegram = server.telegram(&bot);
    let ann = User::named("Annabella");
    let screen = starts(&deployment, &server, &bot, &ann).await;
    let press = ann.taps(&first_button(&screen), screen.id);
    for update in [
        ann.says("confidential-words"),
        ann.says("/nothing confidential-words"),
        ann.sends_photo("confidential-words"),
        ann.says_in_group(-100_123, "confidential-words"),
        ann.taps("confidential-data", screen.id),
        ann.blocks(&bot),
        ann.unblocks(&bot),
        ann.checks_out("confidential-payload", 5),
        press.clone(),
        press,
        Update::raw(0, "confidential-words, not JSON"),
    ] {
        assert_eq!(telegram.posts(&update).await.status, 200);
    }
    let refused = server
        .telegram(&bot)
        .with_secret("an-offered-confidential-secret")
        .posts(&ann.says("confidential-words"))
        .await;
    assert_eq!(refused.status, 401);
    for reply in [Reply::refused(500, "Internal Server Error"), Reply::cut(), Reply::too_many_requests(1)] {
        deployment.bot_api.answer_next("sendMessage", reply);
    }
    starts(&deployment, &server, &bot, &User::named("Bob")).await;

    let (_, page) = server.page("/metrics").await;
    server.stops().await;
    let log = server.log();
    assert!(log.contains("TRACE") || log.contains("DEBUG"), "the log is detailed");
    let words = ["confidential", "Annabella", "that-nobody-may-see", "hello"];
    for (place, text) in [("log", &log), ("metrics page", &page)] {
        for word in words {
            let line = text.lines().find(|line| line.contains(word));
            assert_eq!(line, None, "{word} is in the {place}");
        }
    }

    let mut check =
        Command::new(promtool).args(["check", "metrics"]).stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    check.stdin.take().unwrap().write_all(page.as_bytes()).unwrap();
    let output = check.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
