//! One bot in a world where time stands still, and Ann, who has started it.

use serde_json::Value;
use tapgate::clock::Timestamp;
use tapgate::sandbox::api::{Answer, Api, Mode, Setup};
use tapgate::sandbox::clock::{Clock, Speed};
use tapgate::sandbox::faults::Faults;
use tapgate::sandbox::parameters::{File, Parameters};
use tapgate::sandbox::seed::Seed;
use tapgate::sandbox::updates::{Pending, Updates};
use tapgate::sandbox::wire::Wire;
use tapgate::sandbox::world::{Bot, ChatView, Content, World};
use tapgate::secret::Secret;
use tapgate::shutdown::Tasks;
use tapgate::telegram::id::{BotId, ChatId, MessageId, UpdateId};

pub const TOKEN: &str = "4100000001:AAsandbox_token-of-thirty-five-chars";
/// 2026-05-28 20:26:40 UTC.
pub const START: Timestamp = Timestamp::from_unix_seconds(1_780_000_000);

pub const NOT_MODIFIED: &str = "Bad Request: message is not modified: specified new message content and reply markup are \
                                exactly the same as a current content and reply markup of the message";

pub struct Stand {
    pub clock: Clock,
    pub updates: Updates,
    pub wire: Wire,
    pub faults: Faults,
    pub world: World,
    pub api: Api,
    pub bot: BotId,
    pub tasks: Tasks,
    pub ann: ChatId,
}

impl Stand {
    pub fn new() -> Self {
        Self::with(Mode::Local)
    }

    pub fn with(mode: Mode) -> Self {
        let (clock, seed, tasks) = (Clock::new(START, Speed::STILL), Seed::new(1), Tasks::new("a stand"));
        let (wire, faults) = (Wire::default(), Faults::default());
        let updates = Updates::new(clock.clone(), seed, "helper_bot");
        let id = BotId(4_100_000_001);
        let bot = Bot { id, first_name: "Helper".to_owned(), username: "helper_bot".to_owned() };
        let world = World::new(bot, updates.clone(), clock.clone(), seed, &tasks);
        let setup = Setup { clock: clock.clone(), wire: wire.clone(), faults: faults.clone(), seed, mode };
        let api = Api::new(setup, &tasks);
        let bot = api.add_bot(Secret::new(TOKEN), world.clone(), updates.clone());
        let ann = world.add_user("Ann", Some("en"));
        world.says(ann, "/start").unwrap();
        Self { clock, updates, wire, faults, world, api, bot, tasks, ann }
    }

    pub async fn answer(&self, method: &str, parameters: Parameters) -> Answer {
        self.api.call(self.bot, method, parameters).await
    }

    /// The whole answer to a call.
    pub async fn call(&self, method: &str, values: &[(&str, &str)]) -> Value {
        serde_json::from_str(&self.answer(method, parameters(values)).await.body).unwrap()
    }

    /// The result of a call that has to succeed.
    pub async fn done(&self, method: &str, values: &[(&str, &str)]) -> Value {
        let answer = self.call(method, values).await;
        assert_eq!(answer["ok"], true, "{method} {values:?}: {answer}");
        answer["result"].clone()
    }

    /// The description of a call that has to fail.
    pub async fn refusal(&self, method: &str, values: &[(&str, &str)]) -> String {
        let answer = self.answer(method, parameters(values)).await;
        let body: Value = serde_json::from_str(&answer.body).unwrap();
        assert_eq!(body["ok"], false, "{method} {values:?}: {body}");
        assert_eq!(body["error_code"], answer.status, "the status is the code");
        body["description"].as_str().unwrap().to_owned()
    }

    /// Sends a text to Ann.
    pub async fn sent(&self, text: &str) -> MessageId {
        id(&self.done("sendMessage", &[("chat_id", &self.ann.to_string()), ("text", text)]).await)
    }

    pub fn chat(&self) -> ChatView {
        self.world.chat(self.ann).unwrap()
    }

    /// What Ann sees of the messages.
    pub fn seen(&self) -> Vec<String> {
        let show = |content| match content {
            Content::Text(rich) => rich.html,
            Content::Photo { caption, .. } => format!("[photo] {}", caption.html),
            Content::Invoice(invoice) => format!("[invoice] {} {:?}", invoice.title, invoice.payment),
            Content::Service { text } => format!("[service] {text}"),
            Content::Other { what } => format!("[{what}]"),
        };
        self.chat().messages.into_iter().map(|message| show(message.content)).collect()
    }

    pub fn pending(&self) -> Vec<Pending> {
        self.updates.load(UpdateId(0), 1000)
    }

    /// The last update's kind and text.
    pub fn last_update(&self) -> (&'static str, String) {
        let last = self.pending().pop().expect("there is an update");
        (last.kind, String::from_utf8(last.object.to_vec()).unwrap())
    }
}

pub fn parameters(values: &[(&str, &str)]) -> Parameters {
    let values = values.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Parameters { values, files: Vec::new() }
}

pub fn file(field: &str, content: &'static [u8]) -> File {
    File {
        field: field.to_owned(),
        name: "file".to_owned(),
        content_type: String::new(),
        content: bytes::Bytes::from_static(content),
    }
}

pub fn id(message: &Value) -> MessageId {
    MessageId(message["message_id"].as_i64().expect("a message has an id"))
}
