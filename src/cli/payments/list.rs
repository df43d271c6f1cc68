//! `botctl payments list`.

use crate::cli::{Failure, output, store};
use crate::clock::Timestamp;
use crate::config::Config;
use crate::storage::RecordedPayment;
use crate::telegram::id::ChatId;
use clap::Args;
use serde::Serialize;

/// List a bot's payments, the last first
#[derive(Args, Debug)]
#[command(after_help = "\
An unassigned payment is one for something that the flow does not sell for that price: nothing was given for it. Look at \
it, then `botctl chat grant`, or `botctl payments refund`.

Examples:
  botctl payments list --bot shop
  botctl payments list --unassigned --json | jq '.[].charge'")]
pub(in crate::cli) struct List {
    /// The bot's name; may be left out when there is one bot
    #[arg(long, value_name = "NAME")]
    bot: Option<String>,
    /// Of this chat only
    #[arg(long, value_name = "ID")]
    chat: Option<ChatId>,
    /// Only those for which nothing was given and which were not refunded
    #[arg(long)]
    unassigned: bool,
    /// At most so many
    #[arg(long, value_name = "N", default_value_t = 100)]
    limit: usize,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct View<'a> {
    charge: &'a str,
    chat: ChatId,
    at: Timestamp,
    /// None: unassigned.
    product: Option<&'a str>,
    payload: &'a str,
    currency: &'a str,
    amount: i64,
    messages: i64,
    premium_days: i64,
    refunded_at: Option<Timestamp>,
}

pub(super) async fn run(config: &Config, arguments: &List) -> Result<(), Failure> {
    let storage = store::open(config).await?;
    let bot = store::bot(&storage, arguments.bot.as_deref()).await?;
    let is_unassigned =
        |recorded: &RecordedPayment| recorded.payment.product.is_none() && recorded.refunded_at.is_none();
    let wanted = |recorded: &RecordedPayment| {
        arguments.chat.is_none_or(|chat| recorded.chat == chat) && (!arguments.unassigned || is_unassigned(recorded))
    };
    // One more than is shown says that there are more; what is looked for may be anywhere.
    let is_whole = arguments.chat.is_none() && !arguments.unassigned;
    let looked_at = if is_whole { arguments.limit.saturating_add(1) } else { usize::MAX };
    let mut payments: Vec<_> = storage.payments(bot.id, looked_at).await?.into_iter().filter(wanted).collect();
    let more = payments.len() > arguments.limit;
    payments.truncate(arguments.limit);
    if arguments.json {
        return output::json(&payments.iter().map(View::of).collect::<Vec<_>>());
    }
    if payments.is_empty() {
        return output::line("no payments");
    }
    let mut rows = vec![["CHARGE", "CHAT", "WHEN", "PRODUCT", "PAID", "GAVE", "STANDS"].map(str::to_owned)];
    rows.extend(payments.iter().map(row));
    output::table(&rows)?;
    if more { output::line("and more: --limit shows them") } else { Ok(()) }
}

impl<'a> View<'a> {
    fn of(recorded: &'a RecordedPayment) -> Self {
        let payment = &recorded.payment;
        Self {
            charge: &payment.charge,
            chat: recorded.chat,
            at: recorded.at,
            product: payment.product.as_deref(),
            payload: &payment.payload,
            currency: &payment.currency,
            amount: payment.amount,
            messages: payment.messages,
            premium_days: payment.premium_days,
            refunded_at: recorded.refunded_at,
        }
    }
}

fn row(recorded: &RecordedPayment) -> [String; 7] {
    let payment = &recorded.payment;
    let stands = match (recorded.refunded_at, &payment.product) {
        (Some(_), _) => "refunded",
        (None, Some(_)) => "credited",
        (None, None) => "unassigned",
    };
    let gave = match payment.premium_days {
        0 => format!("{} messages", payment.messages),
        days => format!("{} messages, {days} days", payment.messages),
    };
    [
        payment.charge.clone(),
        recorded.chat.to_string(),
        output::moment(recorded.at),
        payment.product.clone().unwrap_or_else(|| "-".to_owned()),
        format!("{} {}", payment.amount, payment.currency),
        gave,
        stands.to_owned(),
    ]
}
