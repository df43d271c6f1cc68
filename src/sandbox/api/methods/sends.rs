//! sendMessage, sendPhoto, and what all sending has in common.

use super::{Context, Outcome};
use crate::sandbox::api::file;
use crate::sandbox::api::markup::{self, Under};
use crate::sandbox::api::outcome::{Done, Failure};
use crate::sandbox::api::text;
use crate::sandbox::fields::Fields;
use crate::sandbox::world::{Body, Draft, Refused};
use crate::telegram::id::{ChatId, MessageId};
use serde_json::Value;

pub(super) async fn message(context: Context<'_>) -> Outcome {
    let text = text::text(context.arguments)?;
    send(context, Under::Message, |_| Ok(Body::Text(text::kept_text(&text)?))).await
}

pub(super) async fn photo(context: Context<'_>) -> Outcome {
    let arguments = context.arguments;
    let input = file::input(arguments, "photo", arguments.text("photo"))
        .ok_or_else(|| Failure::bad("There is no photo in the request"))?;
    let caption = text::caption(arguments)?;
    send(context, Under::Message, |context| {
        let caption = text::kept_caption(&caption)?;
        Ok(Body::Photo { photo: file::photo(&context.bot.world, &input)?, caption })
    })
    .await
}

/// Sends what `body` makes, once it is known that the chat and all that is beside it are in order.
pub(super) async fn send(
    context: Context<'_>,
    under: Under,
    body: impl FnOnce(Context<'_>) -> Result<Body, Failure>,
) -> Outcome {
    let Context { api, bot, arguments } = context;
    let reply = reply(context)?;
    let markup = markup::read(arguments)?;
    if !arguments.text("business_connection_id").is_empty() {
        return Err(Failure::bad("Business connection not found"));
    }
    let chat = arguments.chat()?;
    bot.world.knows(chat)?;
    let reply_to = reply.find(context, chat)?;
    if arguments.message("message_thread_id").0 != 0 {
        return Err(Failure::bad("Message thread not found"));
    }
    let markup = markup::judge(markup, under)?;
    let body = body(context)?;
    if !arguments.text("message_effect_id").is_empty() {
        return Err(Failure::bad("EFFECT_ID_INVALID"));
    }
    // Paid broadcasts are for bots with more Stars and users than a sandbox has.
    if arguments.flag("allow_paid_broadcast") {
        return Err(Failure::bad("FLOODSKIP_NOT_ALLOWED"));
    }
    bot.flood.pass(chat, &api.0.setup.clock).await?;
    Ok(Done::json(bot.world.send(chat, Draft { body, markup, reply_to })?))
}

/// What a message is to be a reply to.
struct Reply {
    to: MessageId,
    or_not: bool,
}

/// `reply_parameters`, or the parameters that were there before them.
fn reply(context: Context<'_>) -> Result<Reply, Failure> {
    let arguments = context.arguments;
    match arguments.json("reply_parameters", "reply parameters")? {
        None => Ok(Reply {
            to: arguments.message("reply_to_message_id"),
            or_not: arguments.flag("allow_sending_without_reply"),
        }),
        Some(Value::Object(object)) => {
            let fields = Fields(&object);
            let to = MessageId(fields.integer("message_id")?.max(0));
            Ok(Reply { to, or_not: fields.flag("allow_sending_without_reply")? })
        }
        Some(_) => Err(Failure::bad("Object expected as reply parameters")),
    }
}

impl Reply {
    fn find(&self, context: Context<'_>, chat: ChatId) -> Result<Option<MessageId>, Failure> {
        if self.to.0 == 0 {
            return Ok(None);
        }
        match context.bot.world.sees(chat, self.to, "message to be replied") {
            Ok(()) => Ok(Some(self.to)),
            Err(Refused::MessageNotFound(_)) if self.or_not => Ok(None),
            Err(refused) => Err(refused.into()),
        }
    }
}
