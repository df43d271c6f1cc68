//! Every status, and that it is exactly as promised.

use super::client::Post;
use super::stand::{SECRET, Stand, answered, bot, edge, quiet};
use std::time::Duration;
use tapgate::bot::Bot;
use tapgate::clock;
use tapgate::config::TrustedProxies;
use tapgate::secret::Secret;
use tapgate::telegram::id::UpdateId;
use tapgate::telegram::update::Kind;
use tapgate::telemetry::metrics::Outcome;
use tapgate::webhook::{Delivery, Edge};

const UPDATE: &str = "{\"update_id\":7,\n\"message\":{}}";

#[tokio::test]
async fn an_update_reaches_the_handler_and_its_answer_telegram() {
    let bot = bot();
    let id = bot.id;
    let stand = Stand::start(edge(vec![bot]), move |delivery: Delivery| {
        assert_eq!(delivery.bot.bot.id, id);
        assert_eq!((delivery.update, delivery.kind), (Some(UpdateId(7)), Kind::Message));
        assert_eq!(delivery.body, UPDATE);
        Box::pin(async { answered(r#"{"method":"sendMessage"}"#, Outcome::Applied) })
    })
    .await;

    let answer = stand.post(&Post::to(id.0, SECRET, UPDATE)).await;

    assert_eq!(answer.status, 200);
    assert_eq!(answer.body, r#"{"method":"sendMessage"}"#);
    let expected = [("content-type", "application/json"), ("content-length", "24")];
    assert_eq!(answer.headers, expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
}

#[tokio::test]
async fn an_empty_answer_has_neither_body_nor_type() {
    let bot = bot();
    let id = bot.id.0;
    let stand = Stand::start(edge(vec![bot]), quiet).await;

    let answer = stand.post(&Post::to(id, SECRET, UPDATE)).await;

    assert_eq!((answer.status, answer.body.as_str()), (200, ""));
    assert_eq!(answer.headers, [("content-length".to_owned(), "0".to_owned())]);
}

#[tokio::test]
async fn any_other_path_or_method_is_404_and_costs_no_look_at_who_asks() {
    let bot = bot();
    let id = bot.id.0;
    let nobody_comes_in = Edge { subnets: vec![], ..edge(vec![bot]) };
    let stand = Stand::start(nobody_comes_in, quiet).await;
    let right = Post::to(id, SECRET, UPDATE);

    for (method, path) in [
        ("POST", "/"),
        ("POST", "/telegram/webhook"),
        ("POST", "/telegram/webhook/"),
        ("POST", "/metrics"),
        ("GET", right.path.as_str()),
        ("PUT", right.path.as_str()),
        ("OPTIONS", "*"),
    ] {
        let answer = stand.post(&right.clone().method(method).path(path)).await;
        assert_eq!((answer.status, answer.body.as_str()), (404, ""), "{method} {path}");
        assert_eq!(answer.header("content-type"), None);
    }
    assert_eq!(stand.calls(), 0);
}

#[tokio::test]
async fn a_stranger_is_403_whatever_it_knows() {
    let bot = bot();
    let id = bot.id.0;
    let only_telegram = Edge { subnets: vec!["149.154.160.0/20".parse().unwrap()], ..edge(vec![bot]) };
    let stand = Stand::start(only_telegram, quiet).await;
    let post = Post::to(id, SECRET, UPDATE);

    for post in [post.clone(), post.clone().header("X-Forwarded-For", "149.154.167.220"), post.without_headers()] {
        let answer = stand.post(&post).await;
        assert_eq!((answer.status, answer.body.as_str()), (403, ""));
    }
    assert_eq!(stand.calls(), 0);
}

#[tokio::test]
async fn a_trusted_proxy_says_who_asks() {
    let bot = bot();
    let id = bot.id.0;
    let behind_proxy = Edge {
        subnets: vec!["149.154.160.0/20".parse().unwrap()],
        trusted_proxies: TrustedProxies { networks: vec!["127.0.0.0/8".parse().unwrap()], unix: false },
        ..edge(vec![bot])
    };
    let stand = Stand::start(behind_proxy, quiet).await;
    let from = |client: &str| Post::to(id, SECRET, UPDATE).header("X-Forwarded-For", client);

    assert_eq!(stand.post(&from("149.154.167.220")).await.status, 200);
    assert_eq!(stand.post(&from("junk, 149.154.167.220:443, 127.0.0.1")).await.status, 200);
    assert_eq!(stand.post(&from("1.1.1.1").header("X-Forwarded-For", "149.154.167.220")).await.status, 200);
    assert_eq!(stand.post(&from("149.154.167.220").header("X-Forwarded-For", "1.1.1.1")).await.status, 403);
    assert_eq!(stand.post(&from("149.154.167.220, unknown")).await.status, 403);
    assert_eq!(stand.post(&from(&"x".repeat(10_000))).await.status, 403);
    // Without the header the proxy speaks for itself.
    assert_eq!(stand.post(&Post::to(id, SECRET, UPDATE)).await.status, 403);
    assert_eq!(stand.calls(), 3);
}

#[tokio::test]
async fn unknown_bot_missing_short_and_wrong_secret_get_one_and_the_same_answer() {
    let bot = bot();
    let id = bot.id.0;
    let stand = Stand::start(edge(vec![bot]), quiet).await;
    let right = Post::to(id, SECRET, UPDATE);

    let wrong = stand.post(&Post::to(id, "the-wrong-secret", UPDATE)).await;

    assert_eq!((wrong.status, wrong.body.as_str()), (401, r#"{"error":"Access denied"}"#));
    assert_eq!(wrong.header("content-type"), Some("application/json"));
    for other in [
        Post::to(id + 1, SECRET, UPDATE),
        Post::to(id, "", UPDATE),
        Post::to(id, "short", UPDATE),
        Post::to(id, &"long".repeat(1000), UPDATE),
        Post::to(id, &SECRET.to_uppercase(), UPDATE),
        right.clone().without_headers(),
        right.clone().path("/telegram/webhook/abc"),
        right.clone().path(&format!("/telegram/webhook/+{id}")),
        right.path("/telegram/webhook/99999999999999999999"),
    ] {
        assert_eq!(stand.post(&other).await, wrong, "{} {:?}", other.path, other.headers);
    }
    assert_eq!(stand.calls(), 0);
}

#[tokio::test]
async fn two_bots_never_accept_each_others_secret() {
    let one = Bot { secret: Secret::new("secret-of-one"), ..bot() };
    let two = Bot { secret: Secret::new("secret-of-two"), ..bot() };
    let (first, second) = (one.id.0, two.id.0);
    let stand = Stand::start(edge(vec![one, two]), quiet).await;

    assert_eq!(stand.post(&Post::to(first, "secret-of-one", UPDATE)).await.status, 200);
    assert_eq!(stand.post(&Post::to(second, "secret-of-two", UPDATE)).await.status, 200);
    assert_eq!(stand.post(&Post::to(first, "secret-of-two", UPDATE)).await.status, 401);
    assert_eq!(stand.post(&Post::to(second, "secret-of-one", UPDATE)).await.status, 401);
}

#[tokio::test]
async fn the_previous_secret_counts_until_its_time_is_over_and_a_new_list_counts_at_once() {
    let soon = clock::now().plus(Duration::from_secs(3600));
    let rotated = Bot { previous_secret: Some((Secret::new("old"), soon)), ..bot() };
    let id = rotated.id.0;
    let over = Bot { previous_secret: Some((Secret::new("old"), clock::now())), ..rotated.clone() };
    let edge = edge(vec![rotated]);
    let roster = edge.roster.clone();
    let stand = Stand::start(edge, quiet).await;

    assert_eq!(stand.post(&Post::to(id, "old", UPDATE)).await.status, 200);
    assert_eq!(stand.post(&Post::to(id, SECRET, UPDATE)).await.status, 200);

    roster.replace(vec![over]);
    assert_eq!(stand.post(&Post::to(id, "old", UPDATE)).await.status, 401);
    assert_eq!(stand.post(&Post::to(id, SECRET, UPDATE)).await.status, 200);
}

#[tokio::test]
async fn a_paused_bot_is_503_for_those_who_know_its_secret() {
    let paused = Bot { paused: true, ..bot() };
    let id = paused.id.0;
    let stand = Stand::start(edge(vec![paused]), quiet).await;

    let answer = stand.post(&Post::to(id, SECRET, UPDATE)).await;
    assert_eq!((answer.status, answer.header("retry-after"), answer.body.as_str()), (503, Some("2"), ""));
    assert_eq!(stand.post(&Post::to(id, "wrong", UPDATE)).await.status, 401);
    assert_eq!(stand.calls(), 0);
}

#[tokio::test]
async fn a_refusal_before_the_body_keeps_the_connection() {
    let bot = bot();
    let id = bot.id.0;
    let stand = Stand::start(edge(vec![bot]), quiet).await;
    let mut connection = stand.connect().await;

    let wrong = Post::to(id, "wrong", format!("{{\"update_id\":1,\"message\":\"{}\"}}", "x".repeat(2000)));
    for _ in 0..3 {
        let mut whole = wrong.head().into_bytes();
        whole.extend_from_slice(&wrong.body);
        connection.send(&whole).await;
        assert_eq!(connection.answer().await.status, 401);
    }
    assert_eq!(connection.post(&Post::to(id, SECRET, UPDATE)).await.status, 200);
}

#[tokio::test]
async fn a_body_over_a_mebibyte_is_413_and_whoever_wrote_it_sees_that() {
    let bot = bot();
    let id = bot.id.0;
    let stand = Stand::start(edge(vec![bot]), quiet).await;
    let sized = |bytes: usize| Post::to(id, SECRET, format!("{{\"update_id\":1}}{}", " ".repeat(bytes - 15)));

    let mut connection = stand.connect().await;
    assert_eq!(connection.post(&sized(1 << 20)).await.status, 200);
    for bytes in [(1 << 20) + 1, 6 << 20, 8 << 20] {
        let answer = connection.post(&sized(bytes)).await;
        assert_eq!((answer.status, answer.body.as_str()), (413, ""), "{bytes}");
    }
    assert_eq!(connection.post(&sized(20)).await.status, 200);
    assert_eq!(stand.calls(), 2);
}

#[tokio::test]
async fn what_is_no_update_reaches_the_handler_without_an_id() {
    let bot = bot();
    let id = bot.id.0;
    let stand = Stand::start(edge(vec![bot]), |delivery: Delivery| {
        assert_eq!((delivery.update, delivery.kind), (None, Kind::Unreadable));
        Box::pin(async { answered("", Outcome::Dead) })
    })
    .await;

    for body in [&b""[..], b"\xff\xfe", b"[]", b"{\"message\":{}}", b"{\"update_id\":\"x\"}"] {
        assert_eq!(stand.post(&Post::to(id, SECRET, body)).await.status, 200, "{body:?}");
    }
}

#[tokio::test]
async fn a_panic_is_503_and_the_next_update_is_answered() {
    let bot = bot();
    let id = bot.id.0;
    let stand = Stand::start(edge(vec![bot]), |delivery: Delivery| {
        assert_ne!(delivery.update, Some(UpdateId(13)), "the thirteenth");
        quiet(delivery)
    })
    .await;
    let mut connection = stand.connect().await;

    let answer = connection.post(&Post::to(id, SECRET, "{\"update_id\":13}")).await;
    assert_eq!((answer.status, answer.header("retry-after")), (503, Some("2")));
    assert_eq!(connection.post(&Post::to(id, SECRET, "{\"update_id\":14}")).await.status, 200);
}
