//! Ann, who talks to a bot: what she does is an update as Telegram writes it, what she sees is what would be sent.

use serde_json::{Value, json};
use std::fmt::Write;
use tapgate::clock::Timestamp;
use tapgate::flow::chat::{Chat, Shown, Waiting};
use tapgate::flow::decision::{Decision, Job, Place};
use tapgate::flow::event::{Reading, read};
use tapgate::flow::{Flow, decide};
use tapgate::telegram::id::MessageId;
use tapgate::telegram::keyboard::ButtonAction;
use tapgate::telegram::update::parse;

/// Her id, and that of her chat.
pub const ANN: i64 = 5;

/// A user, with her chat as the stores would keep it.
pub struct Ann<'a> {
    flow: &'a Flow,
    language: &'static str,
    pub chat: Chat,
    pub waiting: Waiting,
    last_message: i64,
}

impl<'a> Ann<'a> {
    pub fn new(flow: &'a Flow, language: &'static str) -> Self {
        Self { flow, language, chat: Chat::default(), waiting: Waiting::default(), last_message: 0 }
    }

    /// She sends a text or a command.
    pub fn says(&mut self, text: &str) -> Decision {
        self.last_message += 1;
        let message =
            json!({ "message_id": self.last_message, "from": self.user(), "chat": chat(), "date": 1, "text": text });
        self.gets("message", &message)
    }

    /// She sends a sticker.
    pub fn sends_a_sticker(&mut self) -> Decision {
        self.last_message += 1;
        let message =
            json!({ "message_id": self.last_message, "from": self.user(), "chat": chat(), "date": 1, "sticker": {} });
        self.gets("message", &message)
    }

    /// She presses the button with that payload under that message.
    pub fn presses(&mut self, message: i64, data: &str) -> Decision {
        let under = json!({ "message_id": message, "chat": chat(), "date": 1 });
        self.gets("callback_query", &json!({ "id": "q", "from": self.user(), "message": under, "data": data }))
    }

    /// She presses the button that says `label` under the message she sees last.
    pub fn taps(&mut self, label: &str) -> Decision {
        let keyboard = self.flow.render(&self.chat, &self.waiting).keyboard.expect("the screen has buttons");
        let button = keyboard.inline_keyboard.iter().flatten().find(|button| button.text == label);
        let button = button.unwrap_or_else(|| panic!("no button says {label:?}: {keyboard:?}"));
        let ButtonAction::CallbackData(data) = &button.action else { panic!("{label:?} opens something") };
        let message = self.chat.shown.as_ref().expect("she has seen the screen").message_id;
        self.presses(message.0, &data.clone())
    }

    /// The bot is blocked, or no longer.
    pub fn membership(&mut self, status: &str) -> Decision {
        let change = json!({ "chat": chat(), "from": self.user(), "date": 1, "new_chat_member": { "status": status } });
        self.gets("my_chat_member", &change)
    }

    /// What would be on her phone, and what the row holds.
    pub fn sees(&self) -> String {
        let rendered = self.flow.render(&self.chat, &self.waiting);
        let mut seen = String::new();
        if let Some(photo) = &rendered.photo {
            writeln!(seen, "({photo:?})").unwrap();
        }
        writeln!(seen, "{}", rendered.text).unwrap();
        for row in rendered.keyboard.iter().flat_map(|keyboard| &keyboard.inline_keyboard) {
            let labels: Vec<_> = row.iter().map(|button| format!("[ {} ]", button.text)).collect();
            writeln!(seen, "{}", labels.join(" ")).unwrap();
        }
        seen
    }

    /// The screen she is on, with the way back.
    pub fn stands(&self) -> String {
        let Some(desired) = &self.chat.desired else { return "nowhere".to_owned() };
        let stack = desired.view.stack.iter().map(|frame| frame.screen.as_str());
        stack.chain([desired.view.top.screen.as_str()]).collect::<Vec<_>>().join(" > ")
    }

    fn user(&self) -> Value {
        json!({ "id": ANN, "is_bot": false, "first_name": "Ann", "language_code": self.language })
    }

    /// The update is decided, committed, and its screen sent.
    fn gets(&mut self, kind: &str, content: &Value) -> Decision {
        let body = json!({ "update_id": 1, kind: content }).to_string();
        let Reading::Event(_, event) = read(parse(body.as_bytes()).unwrap(), None) else { panic!("no event: {body}") };
        let decision = decide(self.flow, &self.chat, &event, Timestamp::default());
        if let Some(change) = &decision.change {
            assert_eq!(change.chat.version, self.chat.version.next(), "every change adds one to the version");
            assert_eq!(change.chat.shown, self.chat.shown, "what is shown is not the handler's to write");
            self.chat = change.chat.clone();
            for job in &change.jobs {
                if let Job::Screen(place) = job {
                    self.show(*place);
                }
            }
        }
        decision
    }

    /// What the sender does.
    fn show(&mut self, place: Place) {
        let desired = self.chat.desired.clone().expect("a screen job has a screen");
        let message_id = match (place, &self.chat.shown) {
            (Place::Message(id), _) => id,
            (Place::Shown, Some(shown)) => shown.message_id,
            (Place::New, _) | (Place::Shown, None) => {
                self.last_message += 1;
                MessageId(self.last_message)
            }
        };
        self.chat.shown = Some(Shown { view: desired.view, revision: desired.revision, message_id });
    }
}

fn chat() -> Value {
    json!({ "id": ANN, "first_name": "Ann", "type": "private" })
}
