//! sendInvoice and refundStarPayment, for Stars: the sandbox has no payment provider.
//! Source: tdlib/telegram-bot-api `Client.cpp` (`get_input_message_invoice`, `get_labeled_price_parts`). Lengths are checked
//! by Telegram's own side, with codes of its own.

use super::sends::send;
use super::{Context, Outcome};
use crate::sandbox::api::markup::Under;
use crate::sandbox::api::outcome::{Done, Failure};
use crate::sandbox::fields::{Fields, Wanted};
use crate::sandbox::world::{Body, InvoiceDraft};
use serde_json::Value;

/// Longest title, in characters; so is the description, and the payload in bytes (Bot API, sendInvoice).
const TITLE_MAX_CHARS: usize = 32;
const DESCRIPTION_MAX_CHARS: usize = 255;
const PAYLOAD_MAX_BYTES: usize = 128;

pub(super) async fn send_invoice(context: Context<'_>) -> Outcome {
    let arguments = context.arguments;
    let title = arguments.required("title")?;
    let description = arguments.required("description")?;
    let payload = arguments.required("payload")?;
    let currency = arguments.required("currency")?;
    arguments.required("prices")?;
    let amounts = prices(&arguments.json("prices", "prices")?.unwrap_or_default())?;
    let invoice = InvoiceDraft {
        title: title.to_owned(),
        description: description.to_owned(),
        payload: payload.to_owned(),
        start_parameter: arguments.text("start_parameter").to_owned(),
        amount: amounts.iter().fold(0, |sum, amount| sum.saturating_add(*amount)),
    };
    send(context, Under::Invoice, |_| {
        let code = if title.chars().count() > TITLE_MAX_CHARS {
            "INVOICE_TITLE_INVALID"
        } else if description.chars().count() > DESCRIPTION_MAX_CHARS {
            "INVOICE_DESCRIPTION_INVALID"
        } else if payload.len() > PAYLOAD_MAX_BYTES {
            "INVOICE_PAYLOAD_INVALID"
        } else if currency != "XTR" || !arguments.text("provider_token").is_empty() {
            "PAYMENT_PROVIDER_INVALID"
        } else if amounts.len() != 1 {
            // Stars are one price, not a sum of parts.
            "STARS_INVOICE_INVALID"
        } else if invoice.amount < 1 {
            "CURRENCY_TOTAL_AMOUNT_INVALID"
        } else {
            return Ok(Body::Invoice(invoice));
        };
        Err(Failure::bad(code))
    })
    .await
}

fn prices(list: &Value) -> Result<Vec<i64>, Failure> {
    let Value::Array(list) = list else { return Err(Failure::bad("Expected an Array of labeled prices")) };
    if list.is_empty() {
        return Err(Failure::bad("There must be at least one price"));
    }
    let price = |value| price(value).map_err(|why| Failure::bad(&format!("Can't parse labeled price: {why}")));
    list.iter().map(price).collect()
}

fn price(value: &Value) -> Result<i64, String> {
    let Value::Object(object) = value else { return Err("LabeledPrice must be an Object".to_owned()) };
    let fields = Fields(object);
    if fields.text("label", Wanted::Required)?.is_empty() {
        return Err("LabeledPrice label must be non-empty".to_owned());
    }
    fields.integer("amount")
}

pub(super) fn refund(context: Context<'_>) -> Outcome {
    let arguments = context.arguments;
    let user = arguments.user("user_id")?;
    let charge = arguments.required("telegram_payment_charge_id")?;
    context.bot.world.refund(user, charge)?;
    Ok(Done::yes())
}
