//! Ann, who talks to a bot: what she does is an update as Telegram writes it, what she sees is what would be sent, and what
//! a worker does for her is an event.

use serde_json::{Value, json};
use std::fmt::Write;
use tapgate::clock::Timestamp;
use tapgate::flow::books::{EntryKind, Memory, Turn};
use tapgate::flow::chat::{Chat, Shown, Waiting};
use tapgate::flow::content::{Content, Message};
use tapgate::flow::decision::{Change, Decision, Job, Place, Urgency, task_key};
use tapgate::flow::definition::Lane;
use tapgate::flow::event::{Event, Happened, Reading, read};
use tapgate::flow::order::Order;
use tapgate::flow::output::{Output, Piece, Words};
use tapgate::flow::{Flow, decide};
use tapgate::telegram::id::{ChatId, MessageId};
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
    pub now: Timestamp,
    /// What workers are asked for.
    pub asked: Vec<Asked>,
    /// Messages to her that are no screen.
    pub got: Vec<Content>,
    /// What the last event came to in her ledger.
    pub booked: Vec<(EntryKind, i64)>,
    pub remembered: Vec<Turn>,
    last_message: i64,
}

/// What a worker is asked for.
#[derive(Clone, Debug)]
pub struct Asked {
    pub key: String,
    pub lane: Lane,
    pub urgency: Urgency,
    pub order: Order,
}

/// What a worker makes who writes `text`.
pub fn writes(text: &str) -> Output {
    Output { contents: vec![piece(Words::Text(text.to_owned()))], ..Output::default() }
}

/// A message of words alone.
pub fn piece(words: Words) -> Piece {
    Piece { photo: None, words: Some(words), buttons: Vec::new() }
}

impl<'a> Ann<'a> {
    pub fn new(flow: &'a Flow, language: &'static str) -> Self {
        Self {
            flow,
            language,
            chat: Chat::default(),
            waiting: Waiting::default(),
            now: Timestamp::default(),
            asked: Vec::new(),
            got: Vec::new(),
            booked: Vec::new(),
            remembered: Vec::new(),
            last_message: 0,
        }
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

    /// A worker makes this of what it is asked for first.
    pub fn is_made(&mut self, output: &Output) -> Decision {
        let Asked { key, order, .. } = self.asked.remove(0);
        self.happens(Happened::Finished {
            key: key.into(),
            order: std::borrow::Cow::Owned(order),
            output: std::borrow::Cow::Owned(output.clone()),
        })
    }

    /// Nobody makes what is asked for first.
    pub fn is_not_made(&mut self) -> Decision {
        let Asked { key, order, .. } = self.asked.remove(0);
        self.happens(Happened::Failed { key: key.into(), order: std::borrow::Cow::Owned(order) })
    }

    /// The texts that she got beside the screen.
    pub fn texts(&self) -> Vec<&str> {
        let texts = self.got.iter().filter_map(|content| match &content.message {
            Message::Text { text, .. } => Some(text.as_str()),
            Message::Photo { .. } | Message::Invoice(_) => None,
        });
        texts.collect()
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
        self.lives(&event)
    }

    /// Something happens that is no update.
    pub fn happens(&mut self, happened: Happened<'_>) -> Decision {
        self.lives(&Event { chat: ChatId(ANN), language: None, happened })
    }

    fn lives(&mut self, event: &Event<'_>) -> Decision {
        let decision = decide(self.flow, &self.chat, event, self.now);
        self.booked.clear();
        if let Some(change) = &decision.change {
            self.commit(change);
        }
        decision
    }

    fn commit(&mut self, Change { chat, jobs, books }: &Change) {
        assert_eq!(chat.version, self.chat.version.next(), "every change adds one to the version");
        assert_eq!(chat.shown, self.chat.shown, "what is shown is not the handler's to write");
        self.booked.extend(books.entries.iter().map(|entry| (entry.kind, entry.amount)));
        let said: i64 = self.booked.iter().map(|(_, amount)| amount).sum();
        assert_eq!(chat.balance - self.chat.balance, said, "the books say why the balance changes");
        match &books.memory {
            Memory::Kept => {}
            Memory::Forgotten => self.remembered.clear(),
            Memory::Continued { turns, turns_max } => {
                self.remembered.extend(turns.iter().cloned());
                let surplus = self.remembered.len().saturating_sub(usize::try_from(*turns_max).unwrap());
                self.remembered.drain(..surplus);
            }
        }
        if let Some(cancelled) = &books.cancelled {
            assert_eq!(
                self.chat.busy.as_ref().map(|busy| &busy.id),
                Some(cancelled),
                "what is cancelled is waited for"
            );
            self.asked.retain(|asked| asked.key != *cancelled);
        }
        self.chat = chat.clone();
        for (ordinal, job) in jobs.iter().enumerate() {
            let key = task_key(chat.version, ordinal);
            match job {
                Job::Screen(place) => self.show(*place),
                Job::Content(content) => self.got.push(content.clone()),
                Job::Order { lane, urgency, order } => {
                    self.asked.push(Asked { key, lane: *lane, urgency: *urgency, order: order.clone() });
                }
            }
        }
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
