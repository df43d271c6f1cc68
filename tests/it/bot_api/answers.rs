//! What each answer means to the caller.

use super::{TOKEN, client, client_at, hello, token};
use crate::harness::bot_api::{BotApi, Reply};
use crate::harness::ports;
use serde_json::{Value, json};
use std::time::Duration;
use tapgate::bot_api::{Cause, Error};
use tapgate::telegram::id::{ChatId, MessageId};
use tapgate::telegram::method::{DeleteMessage, EditMessageText};

/// One sentence of what the caller got.
fn said(result: Result<MessageId, Error>) -> String {
    match result {
        Ok(id) => format!("sent {id}"),
        Err(Error::Refused { code, description }) => format!("refused {code} {description}"),
        Err(Error::RateLimited { retry_after }) => format!("wait {retry_after:?}"),
        Err(Error::Unauthorized) => "unauthorized".to_owned(),
        Err(Error::Forbidden { description }) => format!("forbidden {description}"),
        Err(Error::Failed(Cause::Status(status))) => format!("failed {status}"),
        Err(Error::Failed(_)) => "failed".to_owned(),
        Err(Error::Uncertain(Cause::Unreadable)) => "unreadable".to_owned(),
        Err(Error::Uncertain(Cause::TimedOut)) => "timed out".to_owned(),
        Err(Error::Uncertain(_)) => "uncertain".to_owned(),
    }
}

fn failure(code: u16, description: &str, parameters: Value) -> Value {
    json!({"ok": false, "error_code": code, "description": description, "parameters": parameters})
}

#[tokio::test]
async fn every_answer_says_what_the_caller_can_do() {
    let api = BotApi::start();
    let client = client(&api);
    let wait = |seconds: u64| failure(429, "Too Many Requests", json!({"retry_after": seconds}));
    for (status, body, expected) in [
        (200, json!({"ok": true, "result": {"message_id": 5, "text": "…"}}), "sent 5"),
        (200, json!({"ok": true, "result": {"message_id": 5, "new": 1}, "newer": {}}), "sent 5"),
        (200, json!({"ok": true, "result": true}), "unreadable"),
        (200, json!("fine"), "unreadable"),
        (400, failure(400, "Bad Request: chat not found", json!({})), "refused 400 Bad Request: chat not found"),
        (400, failure(400, "group upgraded", json!({"migrate_to_chat_id": -100})), "refused 400 group upgraded"),
        (409, failure(409, "Conflict", json!({})), "refused 409 Conflict"),
        (413, failure(413, "Request Entity Too Large", json!({})), "refused 413 Request Entity Too Large"),
        (401, failure(401, "Unauthorized", json!({})), "unauthorized"),
        (404, failure(404, "Not Found", json!({})), "unauthorized"),
        (403, failure(403, "Forbidden: bot was blocked", json!({})), "forbidden Forbidden: bot was blocked"),
        (429, wait(7), "wait 7s"),
        (429, wait(0), "wait 1s"),
        (429, wait(u64::MAX), "wait 86400s"),
        (429, failure(429, "Too Many Requests", json!({})), "wait 1s"),
        (500, failure(500, "Internal Server Error: restart", json!({})), "failed 500"),
        (502, json!("<html>"), "failed 502"),
        // Another server's words are no verdict of Telegram: the chat is not lost for a proxy's mistake.
        (403, json!("<html>"), "failed 403"),
        (404, json!("<html>"), "failed 404"),
        (302, json!(""), "failed 302"),
    ] {
        api.answer_next("sendMessage", Reply::of(status, body.clone()));
        let result = client.send_message(&token(), &hello(7, "hello")).await;
        assert_eq!(said(result), expected, "{status} {body}");
    }
}

#[tokio::test]
async fn a_cut_connection_leaves_it_open_whether_the_message_went_out() {
    let api = BotApi::start();
    api.answer_next("sendMessage", Reply::cut());
    assert_eq!(said(client(&api).send_message(&token(), &hello(7, "hello")).await), "uncertain");
}

#[tokio::test]
async fn so_does_an_answer_that_comes_too_late() {
    let api = BotApi::start();
    let (reply, _hand) = Reply::ok(json!({"message_id": 1})).held();
    api.answer_next("sendMessage", reply);
    let client = client_at(&api.url(), Duration::from_millis(50));
    assert_eq!(said(client.send_message(&token(), &hello(7, "hello")).await), "timed out");
}

#[tokio::test]
async fn a_server_that_is_not_there_has_done_nothing() {
    let client = client_at(&format!("http://{}", ports::free()), Duration::from_secs(5));
    assert_eq!(said(client.send_message(&token(), &hello(7, "hello")).await), "failed");
}

#[tokio::test]
async fn an_edit_that_changes_nothing_is_recognised() {
    let api = BotApi::start();
    let client = client(&api);
    let message_id = client.send_message(&token(), &hello(7, "hello")).await.unwrap();
    let edit = |text: &'static str| EditMessageText {
        chat_id: ChatId(7),
        message_id,
        text: text.into(),
        parse_mode: None,
        reply_markup: None,
    };
    client.edit_message_text(&token(), &edit("other")).await.unwrap();
    let error = client.edit_message_text(&token(), &edit("other")).await.unwrap_err();
    assert!(error.is_not_modified(), "{error}");
    client.delete_message(&token(), &DeleteMessage { chat_id: ChatId(7), message_id }).await.unwrap();
    assert_eq!(api.messages(7), []);

    api.answer_next("editMessageText", Reply::refused(400, "Bad Request: message to edit not found"));
    assert!(!client.edit_message_text(&token(), &edit("x")).await.unwrap_err().is_not_modified());
}

#[tokio::test]
async fn no_error_shows_the_token() {
    let api = BotApi::start();
    let working = client(&api);
    let gone = client_at(&format!("http://{}", ports::free()), Duration::from_secs(5));
    let hasty = client_at(&api.url(), Duration::from_millis(50));
    let message = hello(7, "hello");
    let (held, _hand) = Reply::ok(json!({})).held();
    let mut errors = vec![gone.send_message(&token(), &message).await.unwrap_err()];
    for reply in [
        Reply::refused(400, &format!("Bad Request: no such path /bot{TOKEN}/sendMessage")),
        Reply::refused(403, &format!("Forbidden: {TOKEN}")),
        Reply::cut(),
        Reply::of(200, json!(TOKEN)),
    ] {
        api.answer_next("sendMessage", reply);
        errors.push(working.send_message(&token(), &message).await.unwrap_err());
    }
    api.answer_next("sendMessage", held);
    errors.push(hasty.send_message(&token(), &message).await.unwrap_err());
    for error in errors {
        let mut text = format!("{error} {error:?} {working:?}");
        let mut below = std::error::Error::source(&error);
        while let Some(error) = below {
            text += &format!(" {error} {error:?}");
            below = error.source();
        }
        assert!(!text.contains("very_secret"), "{text}");
    }
}
