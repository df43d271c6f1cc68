//! What users see: the messages of each chat after the calls that succeeded.

use super::call::Call;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A message as its user sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// Its id within the chat.
    pub id: i64,
    /// Its text as it was sent, with markup.
    pub text: String,
    /// Its photo, as the call named it.
    pub photo: Option<String>,
    /// Its keyboard; null without one.
    pub reply_markup: Value,
}

impl Message {
    /// The data of the button whose label contains `label`.
    pub fn button(&self, label: &str) -> String {
        self.buttons().find(|(text, _)| text.contains(label)).map(|(_, data)| data).unwrap_or_else(|| {
            panic!("no button {label:?} among {:?}", self.buttons().collect::<Vec<_>>());
        })
    }

    /// Labels and data of all buttons.
    pub fn buttons(&self) -> impl Iterator<Item = (String, String)> {
        let rows = self.reply_markup["inline_keyboard"].as_array().into_iter().flatten();
        rows.filter_map(Value::as_array).flatten().map(|button| {
            let word = |name: &str| button[name].as_str().unwrap_or_default().to_owned();
            (word("text"), word("callback_data"))
        })
    }
}

/// Status and body of an answer.
type Answer = (u16, Value);

/// Every chat.
#[derive(Debug, Default)]
pub(super) struct Chats {
    messages: BTreeMap<i64, BTreeMap<i64, Message>>,
    last_id: i64,
}

impl Chats {
    /// The messages of a chat, oldest first.
    pub(super) fn messages(&self, chat: i64) -> Vec<Message> {
        self.messages.get(&chat).into_iter().flat_map(|messages| messages.values().cloned()).collect()
    }

    /// Does what a call says and answers as Telegram would. A message of unknown id counts as sent before.
    pub(super) fn apply(&mut self, call: &Call) -> Answer {
        let chat = call.chat().unwrap_or_default();
        match call.method.to_ascii_lowercase().as_str() {
            "sendmessage" | "sendphoto" | "sendinvoice" => {
                self.last_id += 1;
                self.put(chat, self.last_id, call)
            }
            "editmessagetext" | "editmessagecaption" | "editmessagemedia" | "editmessagereplymarkup" => {
                self.put(chat, call.number("message_id").unwrap_or_default(), call)
            }
            "deletemessage" => {
                let id = call.number("message_id").unwrap_or_default();
                self.messages.entry(chat).or_default().remove(&id);
                ok(json!(true))
            }
            "getme" => {
                let id: i64 = call.bot.parse().unwrap_or_default();
                ok(json!({"id": id, "is_bot": true, "first_name": "Tapgate", "username": format!("bot{id}_bot")}))
            }
            "getwebhookinfo" => ok(json!({"url": "", "has_custom_certificate": false, "pending_update_count": 0})),
            "setwebhook" => (200, json!({"ok": true, "result": true, "description": "Webhook was set"})),
            "deletewebhook" => (200, json!({"ok": true, "result": true, "description": "Webhook was deleted"})),
            _ => ok(json!(true)),
        }
    }

    fn put(&mut self, chat: i64, id: i64, call: &Call) -> Answer {
        // In a form an object is written as its JSON.
        let media: Value = match &call.params["media"] {
            Value::String(json) => serde_json::from_str(json).unwrap_or_default(),
            media => media.clone(),
        };
        let words = [&call.params["text"], &call.params["caption"], &media["caption"]];
        let text = words.into_iter().find_map(Value::as_str).unwrap_or_default();
        let reply_markup = match &call.params["reply_markup"] {
            Value::String(json) => serde_json::from_str(json).unwrap_or_default(),
            markup => markup.clone(),
        };
        let photo = [&call.params["photo"], &media["media"]].into_iter().find_map(Value::as_str).map(str::to_owned);
        let message = Message { id, text: text.to_owned(), photo: photo.clone(), reply_markup };
        let old = self.messages.entry(chat).or_default().insert(id, message.clone());
        if old.as_ref() == Some(&message) {
            let description = "Bad Request: message is not modified: specified new message content and reply markup \
                               are exactly the same as a current content and reply markup of the message";
            return (400, json!({"ok": false, "error_code": 400, "description": description}));
        }
        let bot: i64 = call.bot.parse().unwrap_or_default();
        let mut sent = json!({
            "message_id": id, "from": {"id": bot, "is_bot": true, "first_name": "Tapgate"},
            "chat": {"id": chat, "first_name": "Ann", "type": "private"}, "date": 1_790_000_000,
        });
        match photo {
            None => sent["text"] = text.into(),
            Some(_) => {
                sent["caption"] = text.into();
                let size = |name: &str| json!({"file_id": format!("{name}-of-{bot}"), "width": 1, "height": 1});
                sent["photo"] = json!([size("small"), size("large")]);
            }
        }
        ok(sent)
    }
}

fn ok(result: Value) -> Answer {
    (200, json!({"ok": true, "result": result}))
}
