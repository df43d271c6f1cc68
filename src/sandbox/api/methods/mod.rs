//! The methods of the Bot API that the sandbox knows, by their names in small letters.

mod answers;
mod chats;
mod commands;
mod edits;
mod invoices;
mod menu;
mod sends;
mod updates;
mod webhooks;

use super::Api;
use super::arguments::Arguments;
use super::bot::Bot;
use super::outcome::{Done, Failure};
use std::sync::Arc;

/// What a method needs.
#[derive(Clone, Copy)]
pub(super) struct Context<'a> {
    api: &'a Api,
    bot: &'a Arc<Bot>,
    arguments: &'a Arguments<'a>,
}

type Outcome = Result<Done, Failure>;

pub(super) async fn run(api: &Api, bot: &Arc<Bot>, method: &str, arguments: &Arguments<'_>) -> Outcome {
    let context = Context { api, bot, arguments };
    match method {
        "getme" => Ok(Done::json(bot.world.me())),
        "setwebhook" => webhooks::set(context).await,
        "deletewebhook" => webhooks::delete(context).await,
        "getwebhookinfo" => webhooks::info(context).await,
        "getupdates" => updates::get(context).await,
        "sendmessage" => sends::message(context).await,
        "sendphoto" => sends::photo(context).await,
        "sendinvoice" => invoices::send_invoice(context).await,
        "refundstarpayment" => invoices::refund(context),
        "editmessagetext" => edits::text(context).await,
        "editmessagecaption" => edits::caption(context).await,
        "editmessagemedia" => edits::media(context).await,
        "editmessagereplymarkup" => edits::reply_markup(context).await,
        "deletemessage" => chats::delete_message(context),
        "sendchataction" => chats::action(context),
        "answercallbackquery" => answers::callback(context),
        "answerprecheckoutquery" => answers::checkout(context),
        "setmycommands" => commands::set(context),
        "getmycommands" => commands::get(context),
        "deletemycommands" => commands::delete(context),
        "setchatmenubutton" => menu::set(context),
        "getchatmenubutton" => menu::get(context),
        _ => Err(Failure::unknown_method()),
    }
}
