//! editMessageText, editMessageCaption, editMessageMedia, editMessageReplyMarkup.

use super::{Context, Outcome};
use crate::sandbox::api::file;
use crate::sandbox::api::markup::{self, Under};
use crate::sandbox::api::outcome::{Done, Failure};
use crate::sandbox::api::text;
use crate::sandbox::fields::{Fields, Wanted};
use crate::sandbox::world::{Change, Markup};
use serde_json::Value;

pub(super) async fn text(context: Context<'_>) -> Outcome {
    let text = text::text(context.arguments)?;
    let markup = markup::read(context.arguments)?;
    edit(context, markup, |_| Ok(Change::Text(text::kept_text(&text)?))).await
}

pub(super) async fn caption(context: Context<'_>) -> Outcome {
    let markup = markup::read(context.arguments)?;
    let caption = text::caption(context.arguments)?;
    edit(context, markup, |_| Ok(Change::Caption(text::kept_caption(&caption)?))).await
}

pub(super) async fn reply_markup(context: Context<'_>) -> Outcome {
    let markup = markup::read(context.arguments)?;
    edit(context, markup, |_| Ok(Change::Keyboard)).await
}

pub(super) async fn media(context: Context<'_>) -> Outcome {
    let arguments = context.arguments;
    let markup = markup::read(arguments)?;
    arguments.required("media")?;
    let media = arguments.json("media", "input media")?.unwrap_or_default();
    let unreadable = |why: &str| Failure::bad(&format!("Can't parse InputMedia: {why}"));
    let Value::Object(object) = &media else { return Err(unreadable("expected an Object")) };
    let fields = Fields(object);
    let read = |name: &str, wanted| fields.text(name, wanted).map_err(|why| unreadable(&why));
    let caption = text::formatted(
        &read("caption", Wanted::Optional)?,
        &read("parse_mode", Wanted::Optional)?,
        fields.get("caption_entities"),
    )?;
    let name = read("media", Wanted::Optional)?;
    let input = file::input(arguments, "", &name).ok_or_else(|| unreadable("media not found"))?;
    let kind = read("type", Wanted::Required)?;
    if kind != "photo" {
        // The others are media too, but the sandbox has no pictures that move.
        return Err(unreadable(&format!("type \"{kind}\" is unsupported")));
    }
    edit(context, markup, |context| {
        let caption = text::kept_caption(&caption)?;
        Ok(Change::Media { photo: file::photo(&context.bot.world, &input)?, caption })
    })
    .await
}

async fn edit(
    context: Context<'_>,
    markup: Markup,
    change: impl FnOnce(Context<'_>) -> Result<Change, Failure>,
) -> Outcome {
    let Context { api, bot, arguments } = context;
    let message = arguments.message("message_id");
    if arguments.text("chat_id").is_empty() && message.0 == 0 {
        // Only the answers to inline queries have such ids, and the world has no inline queries.
        let inline = !arguments.text("inline_message_id").is_empty();
        return Err(Failure::bad(if inline { "MESSAGE_ID_INVALID" } else { "Message identifier is not specified" }));
    }
    if !arguments.text("business_connection_id").is_empty() {
        return Err(Failure::bad("Business connection not found"));
    }
    let chat = arguments.chat()?;
    bot.world.sees(chat, message, "message to edit")?;
    let change = change(context)?;
    bot.world.can_edit(chat, message, &change)?;
    let markup = markup::judge(markup, Under::Edited)?;
    bot.flood.pass(chat, &api.0.setup.clock).await?;
    Ok(Done::json(bot.world.edit(chat, message, change, markup)?))
}
