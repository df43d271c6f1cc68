//! answerCallbackQuery, answerPreCheckoutQuery.

use super::{Context, Outcome};
use crate::sandbox::api::arguments::digits;
use crate::sandbox::api::outcome::{Done, Failure};
use crate::sandbox::world::{PressAnswer, Shown, Verdict};
use crate::telegram::method::CALLBACK_ANSWER_MAX_CHARS;

pub(super) fn callback(context: Context<'_>) -> Outcome {
    let arguments = context.arguments;
    let text = arguments.text("text").trim();
    if text.chars().count() > CALLBACK_ANSWER_MAX_CHARS {
        return Err(Failure::bad("MESSAGE_TOO_LONG"));
    }
    let url = arguments.text("url");
    if !url.is_empty() && !url.starts_with("https://t.me/") {
        // Others are for games, of which the world has none.
        return Err(Failure::bad("URL_INVALID"));
    }
    let shown = if arguments.flag("show_alert") { Shown::Alert } else { Shown::Toast };
    let answer = PressAnswer { text: text.to_owned(), shown };
    context.bot.world.answer_press(digits(arguments.text("callback_query_id")), answer)?;
    Ok(Done::yes())
}

pub(super) fn checkout(context: Context<'_>) -> Outcome {
    let arguments = context.arguments;
    let verdict = if arguments.flag("ok") {
        Verdict::Proceed
    } else {
        Verdict::Refuse(arguments.required("error_message")?.to_owned())
    };
    context.bot.world.answer_checkout(digits(arguments.text("pre_checkout_query_id")), verdict)?;
    Ok(Done::yes())
}
