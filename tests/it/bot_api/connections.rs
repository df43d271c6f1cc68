//! One HTTP client, few connections.

use super::{client, hello, token};
use crate::harness::bot_api::BotApi;

#[tokio::test]
async fn two_hundred_sends_in_a_row_use_one_connection() {
    let api = BotApi::start();
    let client = client(&api);
    for number in 0..200 {
        client.send_message(&token(), &hello(7, &format!("message {number}"))).await.unwrap();
    }
    assert_eq!(api.calls_of("sendMessage").len(), 200);
    assert_eq!(api.connections(), 1);
}

#[tokio::test]
async fn refusals_do_not_cost_a_connection_and_neither_do_clones() {
    let api = BotApi::start();
    let client = client(&api);
    for number in 0..20 {
        api.answer_next("sendMessage", crate::harness::bot_api::Reply::too_many_requests(3));
        client.clone().send_message(&token(), &hello(7, "again")).await.unwrap_err();
        client.clone().send_message(&token(), &hello(7, &format!("message {number}"))).await.unwrap();
    }
    assert_eq!(api.connections(), 1);
}
