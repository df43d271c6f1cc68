//! `botctl payments refund`: Telegram gives the Stars back and says so in an update, which takes back what was given.
//! Never changes a balance itself.

use crate::bot_api::Error;
use crate::cli::confirm::{Ask, agreed};
use crate::cli::{Failure, output, store, webhook};
use crate::config::Config;
use crate::telegram::method::RefundStarPayment;
use anyhow::anyhow;
use clap::Args;
use serde_json::json;

/// Give the Stars of a payment back
#[derive(Args, Debug)]
#[command(after_help = "\
What was given for it is taken back, as far as it is still there, when Telegram's update about it arrives.

Examples:
  botctl payments refund stxAbc… --bot shop
  botctl payments refund stxAbc… --yes --json")]
pub(in crate::cli) struct Refund {
    /// The payment's charge, as `botctl payments list` has it
    #[arg(value_name = "CHARGE")]
    charge: String,
    /// The bot's name; may be left out when there is one bot
    #[arg(long, value_name = "NAME")]
    bot: Option<String>,
    /// Do not ask before giving back
    #[arg(long)]
    yes: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) async fn run(config: &Config, arguments: &Refund) -> Result<(), Failure> {
    let Refund { charge, yes, json, .. } = arguments;
    let storage = store::open(config).await?;
    let bot = store::bot(&storage, arguments.bot.as_deref()).await?;
    let unknown = || anyhow!("{} knows no payment {charge}: `botctl payments list` shows them", bot.name);
    let recorded = storage.payment(bot.id, charge).await?.ok_or_else(unknown)?;
    if recorded.refunded_at.is_some() {
        return Err(anyhow!("payment {charge} was refunded already").into());
    }
    let what = format!("{} {} of chat {}", recorded.payment.amount, recorded.payment.currency, recorded.chat);
    agreed(&format!("{what} will be given back"), Ask::unless(*yes))?;
    let refund = RefundStarPayment { user_id: recorded.chat, telegram_payment_charge_id: charge };
    match webhook::client(config)?.refund_star_payment(&bot.token, &refund).await {
        Ok(()) => {}
        Err(error @ Error::Uncertain(_)) => {
            let text = "it may have been given back all the same: `botctl payments list` says so in a minute";
            return Err(anyhow!(error).context(text).into());
        }
        Err(error) => return Err(webhook::advice(error, "see what Telegram says")),
    }
    if *json {
        return output::json(&json!({"bot": bot.name, "charge": charge, "chat": recorded.chat, "refunded": true}));
    }
    output::line(&format!("Telegram gives {what} back; the balance follows with its update"))
}
