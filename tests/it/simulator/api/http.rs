//! The HTTP of the Bot API: paths, tokens, the four ways to pass parameters, headers, a connection that is cut.

use super::Stand;
use super::stand::TOKEN;
use std::net::SocketAddr;
use tapgate::sandbox::faults::{ApiFault, Lasts};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

async fn serve(stand: &Stand) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    stand.api.serve(listener, &stand.tasks);
    address
}

/// Sends one request on a connection of its own; all that comes back.
async fn exchange(address: SocketAddr, request: &str) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    stream.shutdown().await.unwrap();
    let mut answer = String::new();
    let _ = stream.read_to_string(&mut answer).await;
    answer
}

async fn get(address: SocketAddr, path: &str) -> String {
    exchange(address, &format!("GET {path} HTTP/1.1\r\nHost: x\r\n\r\n")).await
}

async fn post(address: SocketAddr, path: &str, content_type: &str, body: &str) -> String {
    let length = body.len();
    let head =
        format!("POST {path} HTTP/1.1\r\nHost: x\r\nContent-Type: {content_type}\r\nContent-Length: {length}\r\n\r\n");
    exchange(address, &format!("{head}{body}")).await
}

#[tokio::test]
async fn wrong_paths_and_tokens_are_told_apart() {
    let stand = Stand::new();
    let address = serve(&stand).await;
    let me = format!("/bot{TOKEN}/getMe");
    for (path, expected) in [
        ("/", r#"{"ok":false,"error_code":404,"description":"Not Found"}"#),
        ("/botgetMe", r#"{"ok":false,"error_code":404,"description":"Not Found"}"#),
        ("/botX/getMe", r#"{"ok":false,"error_code":401,"description":"Unauthorized: invalid token specified"}"#),
        ("/bot0123:x/getMe", r#"{"ok":false,"error_code":401,"description":"Unauthorized: invalid token specified"}"#),
        ("/bot4100000001:wrong/getMe", r#"{"ok":false,"error_code":401,"description":"Unauthorized"}"#),
        ("/bot5:x/getMe", r#"{"ok":false,"error_code":401,"description":"Unauthorized"}"#),
        (&format!("/bot{TOKEN}/dance"), r#"{"ok":false,"error_code":404,"description":"Not Found: method not found"}"#),
        (
            &me,
            r#"{"ok":true,"result":{"id":4100000001,"is_bot":true,"first_name":"Helper","username":"helper_bot","can_join_groups":true,"can_read_all_group_messages":true,"supports_inline_queries":false,"can_connect_to_business":false,"has_main_web_app":false}}"#,
        ),
        (
            &me.to_uppercase()
                .replace("BOT4100000001", "bot4100000001")
                .replace(&TOKEN[10..].to_uppercase(), &TOKEN[10..]),
            "{\"ok\":true",
        ),
    ] {
        let answer = get(address, path).await;
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        assert!(body.starts_with(expected), "{path}: {answer}");
        let code = serde_json::from_str::<serde_json::Value>(body).unwrap()["error_code"].as_u64().unwrap_or(200);
        assert!(head.starts_with(&format!("HTTP/1.1 {code} ")), "{head}");
        assert!(head.contains("Connection: keep-alive\r\nContent-Type: application/json\r\n"), "{head}");
    }
}

#[tokio::test]
async fn parameters_come_in_four_ways() {
    let stand = Stand::new();
    let address = serve(&stand).await;
    let (path, ann) = (format!("/bot{TOKEN}/sendMessage"), stand.ann);
    let keyboard = r#"{"inline_keyboard":[[{"text":"a","callback_data":"b"}]]}"#;
    let multipart = format!(
        "--x\r\nContent-Disposition: form-data; name=\"chat_id\"\r\n\r\n{ann}\r\n--x\r\nContent-Disposition: form-data; \
         name=\"text\"\r\n\r\nby multipart\r\n--x--\r\n"
    );
    get(address, &format!("{path}?chat_id={ann}&text=by%20query")).await;
    post(address, &path, "application/x-www-form-urlencoded", &format!("chat_id={ann}&text=by+form")).await;
    post(
        address,
        &path,
        "application/json",
        &format!(r#"{{"chat_id":{ann},"text":"by json","reply_markup":{keyboard}}}"#),
    )
    .await;
    post(address, &path, "multipart/form-data; boundary=x", &multipart).await;
    // In JSON null is a word.
    post(address, &path, "application/json", &format!(r#"{{"chat_id":{ann},"text":null}}"#)).await;
    assert_eq!(stand.seen(), ["/start", "by query", "by form", "by json", "by multipart", "null"]);
    assert_eq!(stand.chat().messages[3].keyboard.len(), 1);
}

#[tokio::test]
async fn a_wait_is_told_in_a_header_too() {
    let stand = Stand::new();
    let address = serve(&stand).await;
    stand.faults.strike_api(
        ApiFault::Flood { chat: stand.ann, retry_after: std::time::Duration::from_secs(5) },
        Lasts::Standing,
    );
    let answer = get(address, &format!("/bot{TOKEN}/sendMessage?chat_id={}&text=x", stand.ann)).await;
    assert!(answer.starts_with("HTTP/1.1 429 Too Many Requests\r\n"), "{answer}");
    assert!(answer.contains("\r\nRetry-After: 5\r\n"), "{answer}");
}

#[tokio::test]
async fn a_lost_answer_cuts_the_connection_after_the_call_was_done() {
    let stand = Stand::new();
    let address = serve(&stand).await;
    stand.faults.strike_api(ApiFault::LoseAnswer, Lasts::Times(1));
    let path = format!("/bot{TOKEN}/sendMessage?chat_id={}&text=done", stand.ann);
    assert_eq!(get(address, &path).await, "");
    assert_eq!(stand.seen(), ["/start", "done"]);
    assert!(get(address, &path).await.starts_with("HTTP/1.1 200 OK"));
}
