//! deleteMessage, sendChatAction.

use super::{Context, Outcome};
use crate::sandbox::api::outcome::{Done, Failure};

pub(super) fn delete_message(context: Context<'_>) -> Outcome {
    let arguments = context.arguments;
    let message = arguments.message("message_id");
    if arguments.text("chat_id").is_empty() {
        return Err(Failure::bad("Chat identifier is not specified"));
    }
    if message.0 == 0 {
        return Err(Failure::bad("Message identifier is not specified"));
    }
    context.bot.world.delete(arguments.chat()?, message)?;
    Ok(Done::yes())
}

pub(super) fn action(context: Context<'_>) -> Outcome {
    let arguments = context.arguments;
    let action = match arguments.text("action").to_ascii_lowercase().as_str() {
        "cancel" => None,
        "typing" => Some("typing"),
        "record_video" => Some("recording a video"),
        "upload_video" => Some("sending a video"),
        "record_audio" | "record_voice" => Some("recording a voice message"),
        "upload_audio" | "upload_voice" => Some("sending a voice message"),
        "upload_photo" => Some("sending a photo"),
        "upload_document" => Some("sending a file"),
        "choose_sticker" => Some("choosing a sticker"),
        "pick_up_location" | "find_location" => Some("choosing a location"),
        "record_video_note" => Some("recording a video message"),
        "upload_video_note" => Some("sending a video message"),
        _ => return Err(Failure::bad("Wrong parameter action in request")),
    };
    context.bot.world.act(arguments.chat()?, action)?;
    Ok(Done::yes())
}
