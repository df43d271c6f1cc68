//! A dialogue that is written in Rust: the example `counter`, from its bot's row to the message on Telegram.

use crate::counter::Counter;
use crate::harness::deployment::Deployment;
use crate::harness::ports;
use crate::harness::server::Environment;
use crate::harness::telegram::{Bot, Destination, Telegram, User};
use std::ffi::OsString;
use tapgate::app::{Running, Server, Stopped};
use tapgate::cli::{Failure, Program};
use tapgate::clock::Timestamp;
use tapgate::config::{self, Sources};
use tapgate::flow::Dialogue;
use tapgate::flow::chat::{Chat, Waiting};
use tapgate::flow::decision::{Change, Decision};
use tapgate::flow::definition::Rendered;
use tapgate::flow::event::Event;
use tapgate::library::Dialogues;
use tapgate::sandbox::Sandbox;
use tapgate::sandbox::options::Options;
use tapgate::sandbox::script::{BEGINNING, Script, run};

/// Runs a command of the example's program.
async fn runs(environment: &Environment, arguments: &[&str]) -> Result<(), Failure> {
    let environment = environment.clone();
    let arguments: Vec<OsString> = ["counter"].iter().chain(arguments).map(Into::into).collect();
    let program = Program::new().dialogue("counter", Counter);
    let run = move || program.run(arguments, &|name| environment.get(name).cloned());
    tokio::task::spawn_blocking(run).await.unwrap()
}

/// A program's server in this process, and Telegram before it.
async fn serves(deployment: &Deployment, bot: &Bot, dialogue: impl Dialogue) -> (Running, Telegram) {
    let address = ports::free();
    let environment = deployment.server_environment(&[("TAPGATE_LISTEN", &address.to_string())]);
    let sources = Sources { environment: &|name| environment.get(name).cloned(), ..Sources::NONE };
    let dialogues = Dialogues::default().and("counter", dialogue);
    let running = Server::new(config::load(&sources).unwrap()).dialogues(dialogues).start().await.unwrap();
    (running, Telegram::of(bot, Destination::Tcp(address)))
}

/// Adds a bot whose flow is the counter.
async fn adds_bot(deployment: &Deployment) -> Bot {
    let bot = Bot::new("counter");
    let add = ["bot", "add", "--name", &bot.name, "--token", &bot.token, "--secret", &bot.secret, "--offline"];
    let add = [&add[..], &["--flow", "counter"]].concat();
    assert!(!deployment.tries_botctl(&add).await.status.success(), "`botctl` alone has no such flow");
    runs(deployment.environment(), &add).await.unwrap();
    bot
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dialogue_written_in_rust_is_served_as_one_that_is_data() {
    let deployment = Deployment::embedded();
    let bot = adds_bot(&deployment).await;
    runs(deployment.environment(), &["check", "counter"]).await.unwrap();
    let (running, telegram) = serves(&deployment, &bot, Counter).await;
    let ann = User::named("Ann");
    let counted = |count: i64| format!("I have counted to <b>{count}</b>.");

    assert_eq!(telegram.posts(&ann.says("/start")).await.status, 200);
    let screen = deployment.bot_api.wait_for_text(ann.id, &counted(0)).await;
    let press = ann.taps(&screen.button("+ 1"), screen.id);
    let answer = telegram.posts(&press).await;
    assert_eq!((answer.status, &answer.json()["method"]), (200, &"answerCallbackQuery".into()));
    assert_eq!(telegram.posts(&press).await.body, answer.body, "a repeat");
    assert_eq!(deployment.bot_api.wait_for_text(ann.id, &counted(1)).await.id, screen.id);

    telegram.posts(&ann.says(" 41 ")).await;
    let below = deployment.bot_api.wait_for_text(ann.id, &counted(41)).await;
    assert!(below.id > screen.id);
    for data in ["count:more", "count:gone", "elsewhere:more", "?"] {
        assert_eq!(telegram.posts(&ann.taps(data, below.id)).await.status, 200);
    }
    deployment.bot_api.wait_for_text(ann.id, &counted(42)).await;
    telegram.posts(&ann.blocks(&bot)).await;
    assert_eq!(running.stop().await, Stopped::Clean);
    let chat = deployment.chat(&bot, ann.id).await;
    assert_eq!((&chat["vars"]["count"], &chat["blocked"]), (&"42".into(), &true.into()), "{chat}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dialogue_written_in_rust_can_be_played_in_the_sandbox() {
    let script = "ann: /start\nann: [+ 1] 2 times\nfault twice\nann: [+ 1]\nann sees \"counted to 3\"\n";
    let script = Script::parse("counter.script", script).unwrap();
    let dialogues = Dialogues::default().and("counter", Counter);
    let options = Options { dialogues, from: Some(BEGINNING), ..Options::default() };
    let sandbox = Sandbox::start(options).await.unwrap();
    let passed = run(&script, &sandbox, &mut |_| {}).await;
    sandbox.stop().await;
    passed.unwrap_or_else(|problem| panic!("{problem}"));
}

/// A dialogue that forgets what a change is.
#[derive(Debug)]
struct Careless;

impl Dialogue for Careless {
    fn decide(&self, chat: &Chat, _: &Event<'_>, _: Timestamp) -> Decision {
        Decision { change: Some(Change::of(chat.clone())), ..Decision::default() }
    }

    fn render(&self, chat: &Chat, waiting: &Waiting) -> Rendered {
        Counter.render(chat, waiting)
    }

    fn error_text(&self, _: Option<&str>) -> String {
        "Sorry".to_owned()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_change_that_is_not_the_next_version_does_not_come_again_for_ever() {
    let deployment = Deployment::embedded();
    let bot = adds_bot(&deployment).await;
    let (running, telegram) = serves(&deployment, &bot, Careless).await;
    let start = User::named("Ann").says("/start");
    let mut answers = Vec::new();
    for _ in 0..3 {
        answers.push(telegram.posts(&start).await);
    }
    assert_eq!(answers.iter().map(|answer| answer.status).collect::<Vec<_>>(), [503, 503, 200]);
    assert_eq!(answers[2].json()["text"], "Sorry");
    assert_eq!(running.stop().await, Stopped::Clean);
}
