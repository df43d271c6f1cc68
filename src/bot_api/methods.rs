//! The methods that Tapgate calls, one function each.

use super::{Client, Error};
use crate::secret::Secret;
use crate::telegram::id::MessageId;
use crate::telegram::menu::SetMyCommands;
use crate::telegram::method::{
    DeleteMessage, EditMessageMedia, EditMessageText, PHOTO_FIELD, RefundStarPayment, SendInvoice, SendMessage,
    SendPhoto,
};
use crate::telegram::webhook::{DeleteWebhook, Me, SetWebhook, WebhookInfo};
use serde::Deserialize;
use serde::de::IgnoredAny;

/// All that is read of a message that was sent.
#[derive(Debug, Deserialize)]
pub struct Sent {
    /// Its id.
    pub message_id: MessageId,
    /// The sizes in which Telegram keeps its photo, the largest last.
    #[serde(default)]
    photo: Vec<Size>,
}

impl Sent {
    /// The id under which Telegram keeps its photo.
    pub fn photo_id(&self) -> Option<String> {
        self.photo.last().map(|size| size.file_id.clone())
    }
}

#[derive(Debug, Deserialize)]
struct Size {
    file_id: String,
}

#[derive(serde::Serialize)]
struct Nothing {}

/// Each fails as [`Error`] says.
#[expect(clippy::missing_errors_doc, reason = "said once, above")]
impl Client {
    /// Who the token belongs to.
    pub async fn get_me(&self, bot_token: &Secret) -> Result<Me, Error> {
        self.call(bot_token, "getMe", &Nothing {}).await
    }

    /// Tells Telegram where updates go, with a PEM certificate of one's own if the server has one.
    /// A refusal leaves the bot without any webhook.
    pub async fn set_webhook(
        &self,
        bot_token: &Secret,
        webhook: &SetWebhook<Secret>,
        certificate: Option<Vec<u8>>,
    ) -> Result<(), Error> {
        let IgnoredAny = match certificate {
            None => self.call(bot_token, "setWebhook", webhook).await?,
            Some(pem) => self.call_with_file(bot_token, "setWebhook", webhook, "certificate", pem).await?,
        };
        Ok(())
    }

    /// Tells Telegram that updates go nowhere.
    pub async fn delete_webhook(&self, bot_token: &Secret, params: DeleteWebhook) -> Result<(), Error> {
        let IgnoredAny = self.call(bot_token, "deleteWebhook", &params).await?;
        Ok(())
    }

    /// What Telegram knows of the webhook.
    pub async fn get_webhook_info(&self, bot_token: &Secret) -> Result<WebhookInfo, Error> {
        self.call(bot_token, "getWebhookInfo", &Nothing {}).await
    }

    /// Sets one menu of commands.
    pub async fn set_my_commands(&self, bot_token: &Secret, menu: &SetMyCommands) -> Result<(), Error> {
        let IgnoredAny = self.call(bot_token, "setMyCommands", menu).await?;
        Ok(())
    }

    /// Sends a text.
    pub async fn send_message(&self, bot_token: &Secret, params: &SendMessage<'_>) -> Result<MessageId, Error> {
        self.call(bot_token, "sendMessage", params).await.map(|Sent { message_id, .. }| message_id)
    }

    /// Changes a text that was sent. [`Error::is_not_modified`] is as good as a success.
    pub async fn edit_message_text(&self, bot_token: &Secret, params: &EditMessageText<'_>) -> Result<(), Error> {
        let IgnoredAny = self.call(bot_token, "editMessageText", params).await?;
        Ok(())
    }

    /// Sends a photo, with its file if it is uploaded.
    pub async fn send_photo(
        &self,
        bot_token: &Secret,
        params: &SendPhoto<'_>,
        upload: Option<Vec<u8>>,
    ) -> Result<Sent, Error> {
        self.call_with_photo(bot_token, "sendPhoto", params, upload).await
    }

    /// Puts another photo into a message, with its file if it is uploaded.
    /// [`Error::is_not_modified`] is as good as a success.
    pub async fn edit_message_media(
        &self,
        bot_token: &Secret,
        params: &EditMessageMedia<'_>,
        upload: Option<Vec<u8>>,
    ) -> Result<Sent, Error> {
        self.call_with_photo(bot_token, "editMessageMedia", params, upload).await
    }

    async fn call_with_photo(
        &self,
        bot_token: &Secret,
        method: &'static str,
        params: &impl serde::Serialize,
        upload: Option<Vec<u8>>,
    ) -> Result<Sent, Error> {
        match upload {
            None => self.call(bot_token, method, params).await,
            Some(file) => self.call_with_file(bot_token, method, params, PHOTO_FIELD, file).await,
        }
    }

    /// Sends an invoice.
    pub async fn send_invoice(&self, bot_token: &Secret, params: &SendInvoice<'_>) -> Result<MessageId, Error> {
        self.call(bot_token, "sendInvoice", params).await.map(|Sent { message_id, .. }| message_id)
    }

    /// Gives the payer their Stars back.
    pub async fn refund_star_payment(&self, bot_token: &Secret, params: &RefundStarPayment<'_>) -> Result<(), Error> {
        let IgnoredAny = self.call(bot_token, "refundStarPayment", params).await?;
        Ok(())
    }

    /// Removes a message.
    pub async fn delete_message(&self, bot_token: &Secret, params: &DeleteMessage) -> Result<(), Error> {
        let IgnoredAny = self.call(bot_token, "deleteMessage", params).await?;
        Ok(())
    }
}
