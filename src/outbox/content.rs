//! Sends what is sent once and stays: results, notices, invoices. Never edits anything.

use super::message::Message as Sending;
use super::{Delivered, Lost, STORE_PAUSE, Shared};
use crate::bot_api::Error;
use crate::flow::content::{Content, Invoice, Message, PhotoSource};
use crate::flow::definition::{Photo, Picture};
use crate::roster::Known;
use crate::storage::{LeasedJob, Reach};
use crate::telegram::id::ChatId;
use crate::telegram::keyboard::InlineKeyboard;
use crate::telegram::method::{LabeledPrice, ParseMode, STARS, SendInvoice};
use crate::telegram::text::plain;
use crate::telemetry::metrics;
use std::borrow::Cow;
use std::sync::Arc;
use tracing::{debug, error};

/// A forwarded copy of an invoice leads to the bot with it: `https://t.me/BOT?start=…`.
const START_PARAMETER: &str = "invoice";

/// Why a photo is not there.
enum NoPhoto {
    /// The store does not answer.
    Yet,
    /// Its file is gone.
    Ever,
}

impl Shared {
    pub(super) async fn send_content(&self, known: &Known, job: &LeasedJob, content: Content) -> Delivered {
        let Content { message, reservation } = content;
        let photo = match self.photo(job, &message).await {
            Ok(photo) => photo,
            Err(NoPhoto::Yet) => return Delivered::again(STORE_PAUSE),
            Err(NoPhoto::Ever) => {
                return Delivered::Never { lost: Lost::Content(reservation), reach: Reach::Reachable };
            }
        };
        let sent = match &message {
            Message::Text { text, keyboard } => {
                self.send_html(known, job.key.chat, None, text, keyboard.as_ref()).await
            }
            Message::Photo { caption, keyboard, .. } => {
                let caption = caption.as_deref().unwrap_or_default();
                self.send_html(known, job.key.chat, photo.as_ref(), caption, keyboard.as_ref()).await
            }
            Message::Invoice(invoice) => self.send_invoice(known, job.key.chat, invoice).await,
        };
        match sent {
            Ok(()) => {
                self.accept(known);
                self.discard(job, &message).await;
                Delivered::Sent { spent: reservation.map(|reservation| reservation.generation) }
            }
            Err(error) => {
                if let Error::Uncertain(_) = &error {
                    metrics::outbound_uncertain();
                }
                let delivered = self.judge(known, job, Lost::Content(reservation), &error);
                if let Delivered::Never { .. } = &delivered {
                    self.discard(job, &message).await;
                }
                delivered
            }
        }
    }

    /// What Telegram does not take as HTML goes once more as plain text.
    async fn send_html(
        &self,
        known: &Known,
        chat: ChatId,
        photo: Option<&Photo>,
        html: &str,
        keyboard: Option<&InlineKeyboard>,
    ) -> Result<(), Error> {
        let bot = &known.bot;
        let marked =
            Sending { bot, chat, photo, text: Cow::Borrowed(html), parse_mode: Some(ParseMode::Html), keyboard };
        match self.send_whole(&marked).await {
            Err(error) if error.is_unparsable() => {
                metrics::note(metrics::MARKUP_REFUSED);
                error!(bot = %bot.name, error = %error, "Telegram does not take the markup of a message: mend who wrote it");
                self.send_whole(&Sending { text: plain(html).into(), parse_mode: None, ..marked }).await
            }
            sent => sent,
        }
    }

    async fn send_invoice(&self, known: &Known, chat_id: ChatId, invoice: &Invoice) -> Result<(), Error> {
        let Invoice { title, description, payload, stars } = invoice;
        let send = SendInvoice {
            chat_id,
            title: title.into(),
            description: description.into(),
            payload: payload.into(),
            provider_token: "",
            currency: STARS,
            prices: [LabeledPrice { label: title.into(), amount: *stars }],
            start_parameter: START_PARAMETER,
        };
        self.client.send_invoice(&known.bot.token, &send).await.map(drop)
    }

    /// The photo of `message`, with its file if a worker has uploaded it.
    async fn photo(&self, job: &LeasedJob, message: &Message) -> Result<Option<Photo>, NoPhoto> {
        let Message::Photo { photo, .. } = message else { return Ok(None) };
        let id = match photo {
            PhotoSource::Url(url) => return Ok(Some(Photo::Url(url.clone()))),
            PhotoSource::File(id) => id,
        };
        match self.storage.file(job.key.bot, id).await {
            Ok(Some(file)) => Ok(Some(Photo::File(Arc::new(Picture::new(id, file))))),
            Ok(None) => {
                error!(bot = %job.key.bot, "the file of a photo is gone, the photo is not sent");
                Err(NoPhoto::Ever)
            }
            Err(error) => {
                error!(error = &error as &dyn std::error::Error, "the file of a photo cannot be read, it waits");
                Err(NoPhoto::Yet)
            }
        }
    }

    /// A file that was sent, or never will be, is of no use any more. One that stays here is swept away later.
    async fn discard(&self, job: &LeasedJob, message: &Message) {
        if let Message::Photo { photo: PhotoSource::File(id), .. } = message
            && let Err(error) = self.storage.drop_file(job.key.bot, id).await
        {
            debug!(error = &error as &dyn std::error::Error, "the file of a photo stays for a while");
        }
    }
}
