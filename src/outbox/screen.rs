//! Shows what a chat desires: renders it now, not when it was queued, so that the newest always wins.

use super::verdict::verdict;
use super::{Delivered, Shared};
use crate::bot::Bot;
use crate::bot_api::Error;
use crate::flow::chat::{Chat, Desired, Shown};
use crate::flow::decision::Place;
use crate::flow::definition::Rendered;
use crate::storage::{End, LeasedJob};
use crate::telegram::id::{ChatId, MessageId};
use crate::telegram::method::{DeleteMessage, EditMessageText, ParseMode, SendMessage};
use crate::telemetry::metrics;
use serde::Deserialize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use tracing::{debug, error};

/// What is read of a sent message.
#[derive(Deserialize)]
struct Sent {
    message_id: MessageId,
}

impl Shared {
    pub(super) async fn send_screen(&self, bot: &Bot, job: &LeasedJob, place: Place, chat: &Chat) -> Delivered {
        let Some(desired) = &chat.desired else { return End::Done { shown: None }.into() };
        let Some(flow) = self.library.get(&bot.flow) else {
            error!(bot = %bot.name, flow = %bot.flow, "the flow of bot {} is not there, its screens wait", bot.name);
            return End::Again { after: self.settings.lease, hold: false }.into();
        };
        let Ok(screen) = catch_unwind(AssertUnwindSafe(|| flow.render(chat))) else {
            error!(bot = %bot.name, "a screen could not be rendered, it waits for the chat's next one");
            return End::Parked.into();
        };
        let shown_in = chat.shown.as_ref().map(|shown| shown.message_id);
        let target = match place {
            Place::New => None,
            Place::Message(message) => Some(message),
            Place::Shown => shown_in,
        };
        match self.show(bot, job.key.chat, target, &screen).await {
            Ok(message_id) => {
                let Desired { revision, .. } = *desired;
                let shown = Shown { view: screen.view, revision, message_id };
                let superfluous = shown_in.filter(|old| *old != message_id && target.is_none_or(|t| t == *old));
                Delivered { end: End::Done { shown: Some(shown) }, superfluous }
            }
            Err(error) => verdict(&error, job.attempts, &bot.name).into(),
        }
    }

    /// Edits `target`, or sends anew where there is none or it can no longer be edited; says which message shows it.
    async fn show(
        &self,
        bot: &Bot,
        chat: ChatId,
        target: Option<MessageId>,
        screen: &Rendered,
    ) -> Result<MessageId, Error> {
        if let Some(message) = target {
            match self.edit(bot, chat, message, screen).await {
                Ok(()) => return Ok(message),
                Err(error) if error.is_not_modified() => return Ok(message),
                // Deleted, too old or of another kind: the screen is sent anew.
                Err(Error::Refused { code: 400, .. }) => debug!("a message cannot be edited, its screen is sent anew"),
                Err(error) => return Err(error),
            }
        }
        let message = SendMessage {
            chat_id: chat,
            text: (&screen.text).into(),
            parse_mode: Some(ParseMode::Html),
            reply_markup: screen.keyboard.clone(),
        };
        let sent: Result<Sent, Error> = self.client.call(&bot.token, "sendMessage", &message).await;
        if let Err(Error::Uncertain(_)) = &sent {
            metrics::outbound_uncertain();
        }
        sent.map(|sent| sent.message_id)
    }

    async fn edit(&self, bot: &Bot, chat: ChatId, message: MessageId, screen: &Rendered) -> Result<(), Error> {
        let edit = EditMessageText {
            chat_id: chat,
            message_id: message,
            text: (&screen.text).into(),
            parse_mode: Some(ParseMode::Html),
            reply_markup: screen.keyboard.clone(),
        };
        self.client.call::<serde::de::IgnoredAny>(&bot.token, "editMessageText", &edit).await.map(drop)
    }

    /// Takes away the message that showed the screen before; best effort.
    pub(super) async fn remove(&self, bot: &Bot, chat: ChatId, message: MessageId) {
        let delete = DeleteMessage { chat_id: chat, message_id: message };
        let gone: Result<serde::de::IgnoredAny, Error> = self.client.call(&bot.token, "deleteMessage", &delete).await;
        if let Err(error) = gone {
            debug!(error = %error, "a message of an earlier screen stays");
        }
    }
}
