//! Shows what a chat desires: renders it now, not when it was queued, so that the newest always wins.

use super::message::Message;
use super::{Confirmed, Delivered, Lost, Shared};
use crate::bot::Bot;
use crate::bot_api::Error;
use crate::clock;
use crate::flow::chat::{Chat, Desired, Shown, Waiting};
use crate::flow::decision::Place;
use crate::flow::definition::Rendered;
use crate::roster::Known;
use crate::storage::{LeasedJob, Reach};
use crate::telegram::id::{ChatId, MessageId};
use crate::telegram::method::{DeleteMessage, ParseMode};
use crate::telegram::text::plain;
use crate::telemetry::metrics;
use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use tracing::{debug, error, warn};

impl Shared {
    pub(super) async fn send_screen(&self, known: &Known, job: &LeasedJob, place: Place, chat: &Chat) -> Delivered {
        let bot = &known.bot;
        let chat = &*chat.as_of(clock::now());
        let Some(Desired { revision, .. }) = chat.desired else { return Delivered::Nothing };
        let Some(flow) = self.library.dialogue(&bot.flow) else {
            error!(bot = %bot.name, flow = %bot.flow, "the flow of bot {} is not there, its screens wait", bot.name);
            return Delivered::again(self.settings.lease);
        };
        let waiting = match &chat.busy {
            Some(generation) => self.waiting(job, &generation.id).await,
            None => Waiting::default(),
        };
        let Ok(screen) = catch_unwind(AssertUnwindSafe(|| flow.render(chat, &waiting))) else {
            error!(bot = %bot.name, "a screen could not be rendered: its chat stays on the one before");
            return Delivered::Never { lost: Lost::Screen(revision), reach: Reach::Reachable };
        };
        let shown_in = chat.shown.as_ref().map(|shown| shown.message_id);
        let target = match place {
            Place::New => None,
            Place::Message(message) => Some(message),
            Place::Shown => shown_in,
        };
        match self.show(bot, job.key.chat, target, &screen).await {
            Ok(message_id) => {
                self.accept(known);
                let shown = Shown { view: screen.view, revision, message_id };
                // Sent anew: neither what showed the screen before nor what could not be edited is of use any more.
                let superfluous = match target {
                    Some(edited) if edited == message_id => Vec::new(),
                    _ => shown_in.into_iter().chain(target.filter(|target| shown_in != Some(*target))).collect(),
                };
                Delivered::Confirmed(Confirmed { shown, superfluous })
            }
            Err(error) => self.judge(known, job, Lost::Screen(revision), &error),
        }
    }

    /// How a generation stands; unknown is as good as begun.
    async fn waiting(&self, job: &LeasedJob, generation: &str) -> Waiting {
        match self.storage.waiting(job.key, generation).await {
            Ok(Some(standing)) => Waiting {
                place: if standing.leased { 0 } else { standing.ahead.saturating_add(1) },
                progress: standing.progress.unwrap_or_default(),
            },
            Ok(None) => Waiting::default(),
            Err(error) => {
                warn!(error = &error as &dyn std::error::Error, "how a generation stands cannot be read");
                Waiting::default()
            }
        }
    }

    /// Edits `target`, or sends anew where there is none or it can no longer be edited; says which message shows it.
    /// What Telegram does not take as HTML goes once more as plain text: better a screen without bold than none.
    async fn show(
        &self,
        bot: &Bot,
        chat: ChatId,
        target: Option<MessageId>,
        screen: &Rendered,
    ) -> Result<MessageId, Error> {
        match self.show_as(bot, chat, target, screen, Some(ParseMode::Html)).await {
            Err(error) if error.is_unparsable() => {
                metrics::note(metrics::MARKUP_REFUSED);
                error!(bot = %bot.name, error = %error, "Telegram does not take the markup of a screen: mend the flow's text");
                self.show_as(bot, chat, target, screen, None).await
            }
            shown => shown,
        }
    }

    async fn show_as(
        &self,
        bot: &Bot,
        chat: ChatId,
        target: Option<MessageId>,
        screen: &Rendered,
        parse_mode: Option<ParseMode>,
    ) -> Result<MessageId, Error> {
        let text: Cow<'_, str> = match parse_mode {
            Some(ParseMode::Html) => (&screen.text).into(),
            None => plain(&screen.text).into(),
        };
        let keyboard = screen.keyboard.as_ref();
        let message = Message { bot, chat, photo: screen.photo.as_ref(), text, parse_mode, keyboard };
        if let Some(message_id) = target {
            match self.edit(message_id, &message).await {
                Ok(()) => return Ok(message_id),
                Err(error) if error.is_not_modified() => return Ok(message_id),
                Err(error) if error.is_unparsable() => return Err(error),
                // Deleted, too old or of another kind: the screen is sent anew.
                Err(Error::Refused { code: 400, .. }) => debug!("a message cannot be edited, its screen is sent anew"),
                Err(error) => return Err(error),
            }
        }
        let sent = self.send_anew(&message).await;
        if let Err(Error::Uncertain(_)) = &sent {
            metrics::outbound_uncertain();
        }
        sent
    }

    /// Takes away the message that showed the screen before; best effort.
    pub(super) async fn remove(&self, bot: &Bot, chat: ChatId, message: MessageId) {
        let delete = DeleteMessage { chat_id: chat, message_id: message };
        if let Err(error) = self.client.delete_message(&bot.token, &delete).await {
            debug!(error = %error, "a message of an earlier screen stays");
        }
    }
}
