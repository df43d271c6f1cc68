//! Payments in Stars, from the invoice to the refund.

use super::Stand;
use super::stand::id;
use std::time::Duration;
use tapgate::sandbox::world::{CHECKOUT_WINDOW, Content, Impossible, Payment};
use tapgate::telegram::id::MessageId;

const PRICES: &str = r#"[{"label":"Fifty","amount":50}]"#;

fn invoice(chat: &str) -> Vec<(&str, &str)> {
    vec![
        ("chat_id", chat),
        ("title", "Messages"),
        ("description", "Fifty of them"),
        ("payload", "fifty"),
        ("currency", "XTR"),
        ("prices", PRICES),
    ]
}

/// Sends an invoice, lets Ann pay it, and returns it with the id of the checkout.
async fn checkout(stand: &Stand) -> (MessageId, String) {
    let message = id(&stand.done("sendInvoice", &invoice(&stand.ann.to_string())).await);
    stand.world.pays(stand.ann, message).unwrap();
    let (kind, object) = stand.last_update();
    assert_eq!(kind, "pre_checkout_query");
    let query = serde_json::from_str::<serde_json::Value>(&object).unwrap()["id"].as_str().unwrap().to_owned();
    (message, query)
}

fn state(stand: &Stand, message: MessageId) -> Payment {
    let held = stand.chat().messages.into_iter().find(|held| held.id == message).unwrap();
    match held.content {
        Content::Invoice(invoice) => invoice.payment,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_payment_goes_from_the_invoice_to_the_refund() {
    let stand = Stand::new();
    let (message, query) = checkout(&stand).await;
    assert_eq!(state(&stand, message), Payment::Waiting);
    assert_eq!(stand.world.pays(stand.ann, message), Err(Impossible::NotPayable(message)));
    let (_, object) = stand.last_update();
    assert!(
        object.ends_with(r#""language_code":"en"},"currency":"XTR","total_amount":50,"invoice_payload":"fifty"}"#),
        "{object}"
    );
    assert_eq!(stand.pending().pop().unwrap().queue, stand.ann.0 + 4 * (1 << 33));

    stand.done("answerPreCheckoutQuery", &[("pre_checkout_query_id", &query), ("ok", "true")]).await;
    let Payment::Paid { charge } = state(&stand, message) else { panic!("not paid") };
    let (kind, object) = stand.last_update();
    assert_eq!(kind, "message");
    let paid = format!(
        r#""successful_payment":{{"currency":"XTR","total_amount":50,"invoice_payload":"fifty","telegram_payment_charge_id":"{charge}","provider_payment_charge_id":"#
    );
    assert!(object.contains(&paid), "{object}");
    assert_eq!(stand.world.pays(stand.ann, message), Err(Impossible::NotPayable(message)));

    let ann = stand.ann.to_string();
    for (values, expected) in [
        (vec![], "Bad Request: invalid user_id specified"),
        (vec![("user_id", &*ann)], "Bad Request: parameter \"telegram_payment_charge_id\" is required"),
        (vec![("user_id", "5"), ("telegram_payment_charge_id", &*charge)], "Bad Request: user not found"),
        (vec![("user_id", &*ann), ("telegram_payment_charge_id", "x")], "Bad Request: CHARGE_ID_INVALID"),
    ] {
        assert_eq!(stand.refusal("refundStarPayment", &values).await, expected, "{values:?}");
    }
    let refund = [("user_id", &*ann), ("telegram_payment_charge_id", &*charge)];
    stand.done("refundStarPayment", &refund).await;
    assert_eq!(state(&stand, message), Payment::Refunded);
    let (_, object) = stand.last_update();
    assert!(object.contains(r#""refunded_payment":{"currency":"XTR""#), "{object}");
    assert_eq!(stand.refusal("refundStarPayment", &refund).await, "Bad Request: CHARGE_ALREADY_REFUNDED");
}

#[tokio::test]
async fn a_checkout_that_is_refused_can_be_tried_again() {
    let stand = Stand::new();
    let (message, query) = checkout(&stand).await;
    let no = [("pre_checkout_query_id", &*query), ("ok", "no")];
    assert_eq!(
        stand.refusal("answerPreCheckoutQuery", &no).await,
        "Bad Request: parameter \"error_message\" is required"
    );
    stand.done("answerPreCheckoutQuery", &[no[0], no[1], ("error_message", "Sold out")]).await;
    assert_eq!(state(&stand, message), Payment::Failed { reason: "Sold out".to_owned() });
    stand.world.pays(stand.ann, message).unwrap();
    assert_eq!(state(&stand, message), Payment::Waiting);
}

#[tokio::test]
async fn a_checkout_that_is_not_answered_in_ten_seconds_fails_by_itself() {
    let stand = Stand::new();
    let (message, query) = checkout(&stand).await;
    let mut changed = stand.world.changed();
    changed.borrow_and_update();
    stand.clock.advance(CHECKOUT_WINDOW + Duration::from_millis(1));
    changed.changed().await.unwrap();
    assert_eq!(state(&stand, message), Payment::Failed { reason: "BOT_PRECHECKOUT_TIMEOUT".to_owned() });
    assert_eq!(
        stand.refusal("answerPreCheckoutQuery", &[("pre_checkout_query_id", &query), ("ok", "true")]).await,
        "Bad Request: query is too old and response timeout expired or query ID is invalid"
    );
}

#[tokio::test]
async fn invoices_that_telegram_refuses_are_refused() {
    let stand = Stand::new();
    let ann = stand.ann.to_string();
    let long = ["x".repeat(33), "x".repeat(256), "x".repeat(129)];
    for (name, value, expected) in [
        ("title", "", "Bad Request: parameter \"title\" is required"),
        ("description", "", "Bad Request: parameter \"description\" is required"),
        ("payload", "", "Bad Request: parameter \"payload\" is required"),
        ("currency", "", "Bad Request: parameter \"currency\" is required"),
        ("prices", "", "Bad Request: parameter \"prices\" is required"),
        ("prices", "{", "Bad Request: can't parse prices JSON object"),
        ("prices", "{}", "Bad Request: expected an Array of labeled prices"),
        ("prices", "[]", "Bad Request: there must be at least one price"),
        (
            "prices",
            r#"[{"label":"","amount":1}]"#,
            "Bad Request: can't parse labeled price: LabeledPrice label must be non-empty",
        ),
        ("prices", r#"[{"label":"a"}]"#, "Bad Request: can't parse labeled price: Can't find field \"amount\""),
        ("prices", r#"[{"label":"a","amount":1},{"label":"b","amount":1}]"#, "Bad Request: STARS_INVOICE_INVALID"),
        ("prices", r#"[{"label":"a","amount":0}]"#, "Bad Request: CURRENCY_TOTAL_AMOUNT_INVALID"),
        ("provider_token", "123:TEST", "Bad Request: PAYMENT_PROVIDER_INVALID"),
        ("title", &*long[0], "Bad Request: INVOICE_TITLE_INVALID"),
        ("description", &*long[1], "Bad Request: INVOICE_DESCRIPTION_INVALID"),
        ("payload", &*long[2], "Bad Request: INVOICE_PAYLOAD_INVALID"),
        (
            "reply_markup",
            r#"{"inline_keyboard":[[{"text":"a","callback_data":"b"}]]}"#,
            "Bad Request: REPLY_MARKUP_BUY_EMPTY",
        ),
        (
            "reply_markup",
            r#"{"inline_keyboard":[[{"text":"a","callback_data":"b"},{"text":"Pay","pay":true}]]}"#,
            "Bad Request: BUTTON_POS_INVALID",
        ),
    ] {
        let mut values = invoice(&ann);
        values.retain(|(known, _)| *known != name);
        values.push((name, value));
        assert_eq!(stand.refusal("sendInvoice", &values).await, expected, "{name} {value}");
    }
}
