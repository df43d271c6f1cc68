//! Stars for messages: the offer, the checkout, the payment that is credited once, and the way back.

use super::{count, on_both_profiles, sees_a_screen, starts, writes_flow};
use crate::harness::bot_api::Message;
use crate::harness::deployment::Deployment;
use crate::harness::server::Server;
use crate::harness::telegram::{Bot, User};
use serde_json::{Value, json};

on_both_profiles!(
    a_product_is_offered_checked_out_paid_once_and_refunded,
    what_is_not_sold_for_that_is_refused_at_the_checkout_and_recorded_if_it_is_paid_all_the_same,
    a_refund_of_a_payment_that_nobody_knows_is_recorded_and_changes_nothing,
);

const FLOW: &str = r#"
start = "home"
locales = ["en"]
free_balance = 1

[products.ten]
stars = 50
messages = 10
thanks = "thanks"

[commands.start]
go = "home"
[commands.paysupport]
go = "home"

[screens.home]
keyboard = [[{ name = "ten", buy = "ten" }]]

[screens.thanks]
keyboard = [[{ name = "home", go = "home" }]]
"#;

const TEXTS: &str = "\
home = You have { $balance }{ $premium ->
    [yes] , and are premium
   *[no] { \"\" }
  }
    .ten = Buy ten
thanks = Thank you, you have { $balance }
    .home = Home
product-ten = Ten messages
    .description = Ten more <messages>
command-start = Start
command-paysupport = Help with payments
notice-suspended = Suspended
notice-unknown-command = Unknown
notice-old-button = Old
notice-not-sold = This is <b>not</b> sold any more.
notice-payment-unassigned = We do not know what you paid for, and look after it.
error = Error
";

/// A server with a bot that sells, and Ann, who sees what it sells.
async fn ann_comes(deployment: &mut Deployment) -> (Server, Bot, User, Message) {
    writes_flow(deployment, &[("flow.toml", FLOW.as_bytes()), ("en.ftl", TEXTS.as_bytes())]);
    let bot = deployment.adds_bot("shop").await;
    let server = deployment.serves().await;
    let ann = User::named("Ann");
    let home = starts(deployment, &server, &bot, &ann).await;
    (server, bot, ann, home)
}

async fn shown(deployment: &Deployment, ann: &User) -> Value {
    let id = ann.id.to_string();
    serde_json::from_str(&deployment.botctl(&["chat", "show", "--chat", &id, "--json"]).await).unwrap()
}

async fn payments(deployment: &Deployment) -> Value {
    serde_json::from_str(&deployment.botctl(&["payments", "list", "--json"]).await).unwrap()
}

async fn a_product_is_offered_checked_out_paid_once_and_refunded(mut deployment: Deployment) {
    let (server, bot, ann, home) = ann_comes(&mut deployment).await;
    let telegram = server.telegram(&bot);

    // The offer, and once: the client repeats the press as another update.
    let buy = home.button("Buy ten");
    telegram.posts(&ann.taps(&buy, home.id)).await;
    telegram.posts(&ann.taps(&buy, home.id)).await;
    let invoice = deployment.bot_api.wait_for(1, "sendInvoice").await.remove(0);
    assert_eq!((invoice.text("title"), invoice.text("description")), ("Ten messages", "Ten more <messages>"));
    assert_eq!((invoice.text("currency"), invoice.text("provider_token")), ("XTR", ""));
    assert_eq!(invoice.params["prices"], json!([{"label": "Ten messages", "amount": 50}]));
    assert!(!invoice.text("start_parameter").is_empty(), "a forwarded copy links to the bot");

    let payload = invoice.text("payload");
    let checkout = ann.checks_out(payload, 50);
    let answer = telegram.posts(&checkout).await.json();
    assert_eq!((&answer["method"], &answer["ok"]), (&json!("answerPreCheckoutQuery"), &json!(true)));
    assert!(answer.get("error_message").is_none());

    let payment = ann.pays(payload, 50, "charge-1");
    telegram.posts(&payment).await;
    let thanks = deployment.bot_api.wait_for_text(ann.id, "Thank you, you have 11").await;
    assert!(thanks.id > home.id, "below what was paid for");
    // The same update again, and the same charge in another one.
    telegram.posts(&payment).await;
    telegram.posts(&ann.pays(payload, 50, "charge-1")).await;
    assert_eq!(shown(&deployment, &ann).await["balance"], 11);
    assert_eq!(deployment.bot_api.calls_of("sendInvoice").len(), 1, "the second press was one of an old button");
    assert_eq!(server.metric("tapgate_payments_total", r#"result="credited""#).await, 1.0);

    // The way back: the operator asks Telegram, whose update takes back what is left.
    let said = deployment.botctl(&["payments", "refund", "charge-1", "--yes"]).await;
    assert!(said.contains("50 XTR"), "{said}");
    let refund = deployment.bot_api.calls_of("refundStarPayment").remove(0);
    assert_eq!((refund.number("user_id"), refund.text("telegram_payment_charge_id")), (Some(ann.id), "charge-1"));
    deployment.botctl(&["chat", "grant", "--chat", &ann.id.to_string(), "--amount=-4"]).await;
    let told = ann.is_refunded(&bot, payload, 50, "charge-1");
    telegram.posts(&told).await;
    telegram.posts(&ann.is_refunded(&bot, payload, 50, "charge-1")).await;
    let chat = shown(&deployment, &ann).await;
    assert_eq!(chat["balance"], 0, "ten were to be taken back of seven");
    let line = |kind: &str| {
        let lines = chat["ledger"].as_array().unwrap().iter().filter(|line| line["kind"] == kind);
        lines.map(|line| line["amount"].as_i64().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!((line("refunded"), line("written_off")), (vec![-10], vec![3]));
    let listed = payments(&deployment).await;
    assert_eq!((&listed[0]["charge"], listed[0]["refunded_at"].is_null()), (&json!("charge-1"), false));
    assert!(deployment.tries_botctl(&["payments", "refund", "charge-1", "--yes"]).await.status.code() == Some(1));
}

async fn what_is_not_sold_for_that_is_refused_at_the_checkout_and_recorded_if_it_is_paid_all_the_same(
    mut deployment: Deployment,
) {
    let (server, bot, ann, _) = ann_comes(&mut deployment).await;
    let telegram = server.telegram(&bot);
    for (payload, stars) in [("ten", 49), ("eleven", 50), ("", 50)] {
        let answer = telegram.posts(&ann.checks_out(payload, stars)).await.json();
        assert_eq!((&answer["ok"], &answer["error_message"]), (&json!(false), &json!("This is not sold any more.")));
    }
    telegram.posts(&ann.pays("eleven", 50, "charge-2")).await;
    deployment.bot_api.wait_for_text(ann.id, "We do not know what you paid for").await;
    sees_a_screen(&deployment, &ann).await;
    assert_eq!(shown(&deployment, &ann).await["balance"], 1, "nothing is given for it");
    let listed: Value =
        serde_json::from_str(&deployment.botctl(&["payments", "list", "--unassigned", "--json"]).await).unwrap();
    assert_eq!((&listed[0]["charge"], &listed[0]["payload"]), (&json!("charge-2"), &json!("eleven")));
    assert_eq!(server.metric("tapgate_payments_total", r#"result="unassigned""#).await, 1.0);
    assert!(server.log().contains("botctl payments list"), "a person is told");

    // Suspended meanwhile: the checkout is refused, and what was paid before is credited.
    deployment.botctl(&["chat", "ban", "--chat", &ann.id.to_string()]).await;
    let answer = telegram.posts(&ann.checks_out("ten", 50)).await.json();
    assert_eq!((&answer["ok"], &answer["error_message"]), (&json!(false), &json!("Suspended")));
    telegram.posts(&ann.pays("ten", 50, "charge-3")).await;
    assert_eq!(shown(&deployment, &ann).await["balance"], 11);
}

async fn a_refund_of_a_payment_that_nobody_knows_is_recorded_and_changes_nothing(mut deployment: Deployment) {
    let (server, bot, ann, _) = ann_comes(&mut deployment).await;
    server.telegram(&bot).posts(&ann.is_refunded(&bot, "ten", 50, "charge-4")).await;
    assert_eq!(shown(&deployment, &ann).await["balance"], 1);
    let listed = payments(&deployment).await;
    assert_eq!((&listed[0]["charge"], &listed[0]["messages"]), (&json!("charge-4"), &json!(0)));
    assert!(!listed[0]["refunded_at"].is_null());
    assert_eq!(count(&deployment, "SELECT count(*) FROM payments").await, 1);
}

/// The screen was decided on while there was premium, and is sent when there is none any more.
#[tokio::test]
async fn a_screen_does_not_say_what_has_lapsed_before_it_is_sent() {
    let mut deployment = Deployment::embedded();
    writes_flow(&mut deployment, &[("flow.toml", FLOW.as_bytes()), ("en.ftl", TEXTS.as_bytes())]);
    let bot = deployment.adds_bot("shop").await;
    let users = [
        (User::named("Ann"), "1", "You have 1"),
        (User::named("Ben"), "99999999999999", "You have 1, and are premium"),
    ];
    let mut receiving = Server::start(&deployment.server_environment(&[]), &["--no-sender"]).await;
    for (user, until, _) in &users {
        assert_eq!(receiving.telegram(&bot).posts(&user.says("/start")).await.status, 200);
        deployment.executes(&format!("UPDATE chats SET premium_until = {until} WHERE chat_id = {}", user.id)).await;
    }
    assert!(receiving.stops().await.success());
    let _sending = Server::start_sender(&deployment.server_environment(&[])).await;
    for (user, _, seen) in &users {
        assert_eq!(sees_a_screen(&deployment, user).await.text, *seen);
    }
}
