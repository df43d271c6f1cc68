//! A method in the answer, and its oddities.

use super::stage::Stage;
use super::webhook::response;
use tapgate::sandbox::deliver::InlineCall;

/// What an answer of this type and body called.
async fn called(content_type: &str, body: &str) -> Vec<InlineCall> {
    let mut stage = Stage::new(1).await;
    stage.push("message", 1);
    let answer = response("200 OK", &format!("Content-Type: {content_type}\r\n"), body);
    stage.webhook.request().await.answers(answer);
    stage.delivering.quiet().await;
    assert_eq!(stage.around.updates.pending(), 0, "the update counts as delivered whatever the body: {body}");
    let calls = stage.calls.lock().unwrap().clone();
    assert_eq!(stage.last().inline, calls.first().map(|call| call.method.clone()));
    calls
}

/// The one call of an answer, as `name=value` lines.
async fn lines(content_type: &str, body: &str) -> String {
    let calls = called(content_type, body).await;
    let [call] = &calls[..] else { panic!("{} calls in {body}", calls.len()) };
    let values = call.parameters.values.iter().map(|(name, value)| format!("{name}={value}"));
    values.collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn json_that_is_no_text_is_taken_as_it_was_written() {
    let table = [
        (r#"{"method":"sendMessage","text":"a\n\u0410"}"#, "method=sendMessage\ntext=a\nА"),
        (r#"{"method":"sendMessage","chat_id":-100.50}"#, "method=sendMessage\nchat_id=-100.50"),
        (r#"{"method":"sendMessage","silent":true}"#, "method=sendMessage\nsilent=true"),
        (r#"{"method":"sendMessage","text":null}"#, "method=sendMessage\ntext=null"),
        (
            r#"{"method":"sendMessage","reply_markup":{"inline_keyboard": [[ {"text":"\u0410"} ]]}}"#,
            "method=sendMessage\nreply_markup={\"inline_keyboard\": [[ {\"text\":\"\\u0410\"} ]]}",
        ),
        (r#"{"method":"sendMessage","entities":[1, 2]}"#, "method=sendMessage\nentities=[1, 2]"),
    ];
    for (body, expected) in table {
        assert_eq!(lines("application/json", body).await, expected);
    }
}

#[tokio::test]
async fn broken_json_calls_the_method_with_what_came_before_the_break() {
    let table = [
        (r#"{"method":"sendMessage","chat_id":7,"text":"no end"#, "method=sendMessage\nchat_id=7"),
        (r#"{"method":"sendMessage","chat_id":7,oops}"#, "method=sendMessage\nchat_id=7"),
        (r#"{"method":"sendMessage","chat_id":7,}"#, "method=sendMessage\nchat_id=7"),
    ];
    for (body, expected) in table {
        assert_eq!(lines("application/json", body).await, expected);
    }
    assert_eq!(called("application/json", r#"{"chat_id":7,"text":oops,"method":"sendMessage"}"#).await.len(), 0);
}

#[tokio::test]
async fn one_call_at_most() {
    assert_eq!(called("application/json", r#"[{"method":"sendMessage"}]"#).await.len(), 0);
    let twice = called("application/json", r#"{"method":"sendMessage","method":"deleteMessage"}"#).await;
    assert_eq!(twice.iter().map(|call| call.method.as_str()).collect::<Vec<_>>(), ["sendmessage"]);
}

#[tokio::test]
async fn forms_and_parts_are_read_too() {
    assert_eq!(
        lines("application/x-www-form-urlencoded", "method=sendMessage&text=a+b").await,
        "method=sendMessage\ntext=a b"
    );
    let parts = "--x\r\nContent-Disposition: form-data; name=\"method\"\r\n\r\nsendPhoto\r\n\
                 --x\r\nContent-Disposition: form-data; name=\"photo\"; filename=\"a.png\"\r\n\r\nPNG\r\n--x--\r\n";
    let calls = called("multipart/form-data; boundary=x", parts).await;
    assert_eq!(calls[0].method, "sendphoto");
    assert_eq!(&calls[0].parameters.file("photo").unwrap().content[..], b"PNG");
}

#[tokio::test]
async fn other_types_call_nothing() {
    assert_eq!(called("text/plain", r#"{"method":"sendMessage"}"#).await.len(), 0);
    assert_eq!(called("text/json", r#"{"method":"sendMessage"}"#).await.len(), 0);
}

#[tokio::test]
async fn forbidden_methods_are_ignored_and_unknown_ones_handed_on() {
    for method in ["setWebhook", "deleteWebhook", "close", "logOut", "getMe", "GETfile"] {
        assert_eq!(called("application/json", &format!(r#"{{"method":"{method}"}}"#)).await.len(), 0, "{method}");
    }
    assert_eq!(called("application/json", r#"{"method":"NoSuchThing"}"#).await[0].method, "nosuchthing");
    assert_eq!(called("application/json", r#"{"Method":"sendMessage"}"#).await.len(), 0, "the key has its case");
}

#[tokio::test]
async fn an_answer_that_is_a_failure_calls_nothing() {
    let mut stage = Stage::new(1).await;
    stage.push("message", 1);
    let answer = response("500 x", "Content-Type: application/json\r\n", r#"{"method":"sendMessage"}"#);
    stage.webhook.request().await.answers(answer);
    let again = stage.webhook.request().await;
    assert_eq!(stage.calls.lock().unwrap().len(), 0);
    again.accepts();
}

#[tokio::test]
async fn compressed_answers_are_read() {
    use flate2::{Compression, write::GzEncoder};
    use std::io::Write;
    let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
    gzip.write_all(br#"{"method":"sendMessage"}"#).unwrap();
    let gzip = gzip.finish().unwrap();
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\nContent-Length: {}\r\n\r\n",
        gzip.len()
    );
    let mut stage = Stage::new(1).await;
    stage.push("message", 1);
    stage.webhook.request().await.answers([head.as_bytes(), &gzip].concat());
    stage.delivering.quiet().await;
    assert_eq!(stage.last().inline.as_deref(), Some("sendmessage"));
}
