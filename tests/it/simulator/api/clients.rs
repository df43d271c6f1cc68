//! A public client library that nobody here wrote meets the simulated Bot API as it meets Telegram's.

use super::Stand;
use super::stand::TOKEN;
use crate::harness::services;
use std::process::Stdio;
use tapgate::sandbox::clock::Speed;
use tokio::net::TcpListener;
use tokio::process::Command;

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/clients/telegram_bot.py");

#[tokio::test]
async fn python_telegram_bot_behaves_as_against_telegram() {
    let Some(python) = services::python() else { return };
    let stand = Stand::new();
    stand.clock.set_speed(Speed::REAL);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    stand.api.serve(listener, &stand.tasks);
    // Nobody listens there: what is posted fails, and that is all.
    let webhook = "http://127.0.0.1:9/telegram/webhook/1";
    let ended = Command::new(python)
        .args([SCRIPT, &base, TOKEN, &stand.ann.to_string(), webhook])
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output()
        .await
        .unwrap();
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    assert_eq!(stand.seen(), ["/start", "[photo] another"]);
}
