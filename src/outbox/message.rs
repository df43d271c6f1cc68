//! One message of a screen, a text or a photo with a caption: how it is sent and how another one becomes it.

use super::Shared;
use crate::bot::Bot;
use crate::bot_api::{Error, Sent};
use crate::flow::definition::Photo;
use crate::telegram::id::{ChatId, MessageId};
use crate::telegram::keyboard::InlineKeyboard;
use crate::telegram::method::{EditMessageMedia, EditMessageText, InputMediaPhoto, ParseMode, SendMessage, SendPhoto};
use std::borrow::Cow;
use tracing::{debug, error};

/// A message as it is to be.
pub(super) struct Message<'a> {
    pub(super) bot: &'a Bot,
    pub(super) chat: ChatId,
    pub(super) photo: Option<&'a Photo>,
    pub(super) text: Cow<'a, str>,
    pub(super) parse_mode: Option<ParseMode>,
    pub(super) keyboard: Option<&'a InlineKeyboard>,
}

impl Shared {
    /// Makes `message` of the one that is there. Telegram refuses to make a text of a photo.
    pub(super) async fn edit(&self, message_id: MessageId, message: &Message<'_>) -> Result<(), Error> {
        let &Message { bot, chat: chat_id, photo, ref text, parse_mode, keyboard } = message;
        let (text, reply_markup) = (Cow::Borrowed(&**text), keyboard.cloned());
        let Some(photo) = photo else {
            let edit = EditMessageText { chat_id, message_id, text, parse_mode, reply_markup };
            return self.client.edit_message_text(&bot.token, &edit).await;
        };
        let mut media = self.uploads.media(bot.id, photo);
        let upload = media.upload.take();
        let photo = InputMediaPhoto { media: Cow::Borrowed(&media.name), caption: text, parse_mode };
        let edit = EditMessageMedia { chat_id, message_id, media: photo, reply_markup };
        let edited = self.client.edit_message_media(&bot.token, &edit, upload).await?;
        self.uploads.remember(&media, edited.photo_id());
        Ok(())
    }

    /// Sends `message`, all of it or nothing.
    pub(super) async fn send_whole(&self, message: &Message<'_>) -> Result<(), Error> {
        match message.photo {
            Some(photo) => self.send_photo(message, photo).await.map(drop),
            None => self.send_text(message).await.map(drop),
        }
    }

    /// Sends `message`. A photo that Telegram does not take is left out: better a screen without its photo than none.
    pub(super) async fn send_anew(&self, message: &Message<'_>) -> Result<MessageId, Error> {
        if let Some(photo) = message.photo {
            match self.send_photo(message, photo).await {
                Err(error @ Error::Refused { code: 400 | 413, .. }) if may_be_of_the_photo(&error) => {
                    let bot = &message.bot.name;
                    error!(bot = %bot, error = %error, "Telegram does not take the photo of a screen: mend the flow");
                }
                sent => return sent.map(|sent| sent.message_id),
            }
        }
        self.send_text(message).await
    }

    async fn send_text(&self, message: &Message<'_>) -> Result<MessageId, Error> {
        let &Message { bot, chat: chat_id, ref text, parse_mode, keyboard, .. } = message;
        let (text, reply_markup) = (Cow::Borrowed(&**text), keyboard.cloned());
        self.client.send_message(&bot.token, &SendMessage { chat_id, text, parse_mode, reply_markup }).await
    }

    async fn send_photo(&self, message: &Message<'_>, photo: &Photo) -> Result<Sent, Error> {
        let &Message { bot, chat: chat_id, ref text, parse_mode, keyboard, .. } = message;
        loop {
            let mut media = self.uploads.media(bot.id, photo);
            let was_remembered = media.is_remembered();
            let upload = media.upload.take();
            let (photo, caption) = (Cow::Borrowed(&*media.name), Cow::Borrowed(&**text));
            let send = SendPhoto { chat_id, photo, caption, parse_mode, reply_markup: keyboard.cloned() };
            match self.client.send_photo(&bot.token, &send, upload).await {
                // Perhaps it is the id that no longer holds: the file itself is uploaded once more.
                Err(error @ Error::Refused { code: 400, .. }) if was_remembered && may_be_of_the_photo(&error) => {
                    debug!(error = %error, "the id of a photo is no longer taken");
                    self.uploads.forget(&media);
                }
                Err(error) => return Err(error),
                Ok(sent) => {
                    self.uploads.remember(&media, sent.photo_id());
                    return Ok(sent);
                }
            }
        }
    }
}

/// Whether another photo, or none, could help. Telegram has many words for what is wrong with one.
fn may_be_of_the_photo(refusal: &Error) -> bool {
    !refusal.is_unparsable() && !refusal.is_of_the_chat()
}
