//! The people behind the updates: what they do becomes an update of the right form.
//! The order of fields is that of tdlib/telegram-bot-api, `Client.cpp`.

use super::update::{Update, string};
use super::{Bot, fresh_id};
use tapgate::clock;

/// Somebody with a private chat to the bot; the chat's id is the user's.
#[derive(Clone, Debug)]
pub struct User {
    /// Their id.
    pub id: i64,
    first_name: String,
    language: String,
}

impl User {
    /// Somebody new, whose Telegram speaks English.
    pub fn named(first_name: &str) -> Self {
        Self { id: fresh_id(), first_name: first_name.to_owned(), language: "en".to_owned() }
    }

    /// The same with another language of their Telegram.
    #[must_use]
    pub fn speaking(self, language: &str) -> Self {
        Self { language: language.to_owned(), ..self }
    }

    /// Writes a text or a command to the bot.
    pub fn says(&self, text: &str) -> Update {
        Update::new("message", &self.message(&self.chat(), text))
    }

    /// Writes in a group where the bot is.
    pub fn says_in_group(&self, group: i64, text: &str) -> Update {
        let chat = format!(r#"{{"id":{group},"title":"Friends","type":"supergroup"}}"#);
        Update::new("message", &self.message(&chat, text))
    }

    /// Sends a photo with a caption.
    pub fn sends_photo(&self, caption: &str) -> Update {
        let head = self.head(fresh_id(), &self.chat());
        let photo = r#"[{"file_id":"AgAD","file_unique_id":"AQAD","file_size":1234,"width":90,"height":90}]"#;
        Update::new("message", &format!(r#"{{{head},"photo":{photo},"caption":{}}}"#, string(caption)))
    }

    /// Taps the button that carries `data` under the bot's message `message`.
    pub fn taps(&self, data: &str, message: i64) -> Update {
        let below = format!(
            r#"{{"message_id":{message},"from":{{"id":1,"is_bot":true,"first_name":"Bot","username":"a_bot"}},"chat":{},"date":{},"text":"screen"}}"#,
            self.chat(),
            now(),
        );
        self.press(&below, data)
    }

    /// Taps a button under a message so old that Telegram no longer shows it to bots.
    pub fn taps_inaccessible(&self, data: &str, message: i64) -> Update {
        self.press(&format!(r#"{{"message_id":{message},"chat":{},"date":0}}"#, self.chat()), data)
    }

    /// Is about to pay.
    pub fn checks_out(&self, payload: &str, stars: i64) -> Update {
        let (from, payload) = (self.user(), string(payload));
        Update::new(
            "pre_checkout_query",
            &format!(
                r#"{{"id":"{}","from":{from},"currency":"XTR","total_amount":{stars},"invoice_payload":{payload}}}"#,
                fresh_id()
            ),
        )
    }

    /// Has paid.
    pub fn pays(&self, payload: &str, stars: i64, charge: &str) -> Update {
        let head = self.head(fresh_id(), &self.chat());
        let payment = payment(payload, stars, charge);
        Update::new("message", &format!(r#"{{{head},"successful_payment":{payment}}}"#))
    }

    /// Got their Stars back, which the bot tells of in its own name.
    pub fn is_refunded(&self, bot: &Bot, payload: &str, stars: i64, charge: &str) -> Update {
        let (id, chat, date, payment) = (fresh_id(), self.chat(), now(), payment(payload, stars, charge));
        let from = format!(r#"{{"id":{},"is_bot":true,"first_name":"Bot","username":"a_bot"}}"#, bot.id);
        Update::new(
            "message",
            &format!(r#"{{"message_id":{id},"from":{from},"chat":{chat},"date":{date},"refunded_payment":{payment}}}"#),
        )
    }

    /// Blocks the bot.
    pub fn blocks(&self, bot: &Bot) -> Update {
        self.membership(bot, r#""status":"member""#, r#""status":"kicked","until_date":0"#)
    }

    /// Lets the bot write again.
    pub fn unblocks(&self, bot: &Bot) -> Update {
        self.membership(bot, r#""status":"kicked","until_date":0"#, r#""status":"member""#)
    }

    fn press(&self, message: &str, data: &str) -> Update {
        let (id, instance, from, data) = (fresh_id(), fresh_id(), self.user(), string(data));
        Update::new(
            "callback_query",
            &format!(r#"{{"id":"{id}","from":{from},"message":{message},"chat_instance":"{instance}","data":{data}}}"#),
        )
    }

    fn membership(&self, bot: &Bot, old: &str, new: &str) -> Update {
        let (chat, from, date) = (self.chat(), self.user(), now());
        let bot = format!(r#"{{"id":{},"is_bot":true,"first_name":"Bot","username":"a_bot"}}"#, bot.id);
        Update::new(
            "my_chat_member",
            &format!(
                r#"{{"chat":{chat},"from":{from},"date":{date},"old_chat_member":{{"user":{bot},{old}}},"new_chat_member":{{"user":{bot},{new}}}}}"#
            ),
        )
    }

    fn message(&self, chat: &str, text: &str) -> String {
        let head = self.head(fresh_id(), chat);
        let entities = match text.strip_prefix('/') {
            Some(command) => {
                let length = 1 + command.split(char::is_whitespace).next().unwrap_or_default().encode_utf16().count();
                format!(r#","entities":[{{"offset":0,"length":{length},"type":"bot_command"}}]"#)
            }
            None => String::new(),
        };
        format!(r#"{{{head},"text":{}{entities}}}"#, string(text))
    }

    fn head(&self, message: i64, chat: &str) -> String {
        format!(r#""message_id":{message},"from":{},"chat":{chat},"date":{}"#, self.user(), now())
    }

    fn user(&self) -> String {
        let (id, name, language) = (self.id, string(&self.first_name), string(&self.language));
        format!(r#"{{"id":{id},"is_bot":false,"first_name":{name},"language_code":{language}}}"#)
    }

    fn chat(&self) -> String {
        format!(r#"{{"id":{},"first_name":{},"type":"private"}}"#, self.id, string(&self.first_name))
    }
}

fn payment(payload: &str, stars: i64, charge: &str) -> String {
    let (payload, charge) = (string(payload), string(charge));
    format!(
        r#"{{"currency":"XTR","total_amount":{stars},"invoice_payload":{payload},"telegram_payment_charge_id":{charge},"provider_payment_charge_id":""}}"#
    )
}

/// Telegram's clock, in whole seconds.
fn now() -> i64 {
    clock::now().unix_millis() / 1000
}
