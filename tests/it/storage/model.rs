//! What users, workers, Telegram and operators may do in any order, with deaths, repeats and late comers: whatever it is,
//! the books are right.

use super::store::Store;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;
use tapgate::clock::{self, Timestamp};
use tapgate::ending::{self, Ended};
use tapgate::flow::Flow;
use tapgate::flow::books::EntryKind;
use tapgate::flow::chat::Shown;
use tapgate::flow::content::Content;
use tapgate::flow::decision::Decision;
use tapgate::flow::definition::Sources;
use tapgate::flow::event::{Event, Happened, Purchase};
use tapgate::flow::order::Order;
use tapgate::flow::output::{Output, Piece, Words};
use tapgate::storage::{
    Allowed, Commit, End, Key, Lane, LeasedJob, Outcome, Reach, Settled, Settlement, Storage, Work,
};
use tapgate::telegram::id::{BotId, ChatId, MessageId, UpdateId};
use tapgate::telegram::update::DeliveryQueue;

const DEFINITION: &str = r#"
start = "home"
locales = ["en"]
free_balance = 4
memory = 4

[interrupts]
insufficient_messages = "shop"
generation_busy = "home"

[products.ten]
stars = 5
messages = 10

[products.month]
stars = 50
premium_days = 30

[commands.start]
go = "home"
[commands.paysupport]
go = "home"
[commands.cancel]
cancel = true
go = "home"
[commands.draw]
generate = { lane = "image", cost = 3 }
go = "waiting"

[screens.home]
text = { generate = { lane = "text", cost = 1 }, go = "waiting" }
keyboard = [[{ name = "shop", go = "shop" }]]
[screens.waiting]
[screens.shop]
keyboard = [[{ name = "ten", buy = "ten" }, { name = "month", buy = "month" }]]
"#;

const TEXTS: &str = "
home = Home, { $balance }
    .shop = Shop
waiting = { $place } { $progress }…
shop = Shop
    .ten = Ten
    .month = Month
product-ten = Ten
    .description = Ten messages
product-month = Month
    .description = A month
command-start = x
command-paysupport = x
command-cancel = x
command-draw = x
notice-suspended = x
notice-unknown-command = x
notice-old-button = x
notice-failed = x
notice-not-sold = x
notice-payment-unassigned = x
error = x
";

const LANES: [Lane; 5] = [Lane::Text, Lane::TextPriority, Lane::Image, Lane::ImagePriority, Lane::Default];
const ATTEMPTS_MAX: u32 = 3;
/// A lease that nothing outlasts, and one that has run out when it begins.
const LONG: Duration = Duration::from_secs(600);
const DEAD: Duration = Duration::ZERO;

#[derive(Clone, Debug)]
enum Step {
    Says(u8, &'static str),
    /// Telegram delivers the user's last update once more.
    Repeats(u8),
    Pays(u8, &'static str, i64),
    /// The user's last payment is told of in another update.
    PaysAgain(u8),
    Refunded(u8),
    Granted(u8, i64),
    Banned(u8, bool),
    /// A worker takes a job; one that dies leaves it to others.
    Leased(bool),
    /// A worker, perhaps one that is late, ends one of the jobs that were ever leased.
    Finished(usize),
    Failed(usize),
    Released(usize),
    Reaped,
    Taken(bool),
    Sent(usize, Sent),
}

#[derive(Clone, Copy, Debug)]
enum Sent {
    Confirmed,
    Refused,
    Unreachable,
    Again,
}

fn step() -> impl Strategy<Value = Step> {
    let user = 0..3_u8;
    let place = 0..8_usize;
    prop_oneof![
        6 => (user.clone(), prop::sample::select(vec!["hello", "/draw a cat", "/cancel", "/start", "hello"]))
            .prop_map(|(user, text)| Step::Says(user, text)),
        2 => user.clone().prop_map(Step::Repeats),
        2 => (user.clone(), prop::sample::select(vec![("ten", 5), ("month", 50), ("ten", 4), ("gone", 5)]))
            .prop_map(|(user, (product, stars))| Step::Pays(user, product, stars)),
        1 => user.clone().prop_map(Step::PaysAgain),
        1 => user.clone().prop_map(Step::Refunded),
        1 => (user.clone(), -6..6_i64).prop_map(|(user, amount)| Step::Granted(user, amount)),
        1 => (user, any::<bool>()).prop_map(|(user, banned)| Step::Banned(user, banned)),
        5 => any::<bool>().prop_map(Step::Leased),
        4 => place.clone().prop_map(Step::Finished),
        1 => place.clone().prop_map(Step::Failed),
        1 => place.clone().prop_map(Step::Released),
        2 => Just(Step::Reaped),
        6 => prop::bool::weighted(0.8).prop_map(Step::Taken),
        6 => (place, prop_oneof![
            5 => Just(Sent::Confirmed), 1 => Just(Sent::Refused), 1 => Just(Sent::Unreachable), 1 => Just(Sent::Again)
        ]).prop_map(|(place, sent)| Step::Sent(place, sent)),
    ]
}

struct Model<'a> {
    flow: &'a Flow,
    storage: &'a Storage,
    bot: BotId,
    last_update: i64,
    /// Each user's last update.
    updates: BTreeMap<i64, (UpdateId, Event<'static>)>,
    charges: BTreeMap<i64, Vec<(String, Purchase<'static>)>>,
    working: Vec<LeasedJob>,
    sending: Vec<LeasedJob>,
    messages: i64,
}

impl Model<'_> {
    fn key(&self, user: i64) -> Key {
        Key { bot: self.bot, chat: ChatId(user) }
    }

    async fn takes(&mut self, step: Step) {
        match step {
            Step::Says(user, text) => {
                let happened = match text.strip_prefix('/') {
                    None => Happened::Text(text.into()),
                    Some(command) => {
                        let (name, argument) = command.split_once(' ').unwrap_or((command, ""));
                        Happened::Command { name: name.into(), argument: argument.into() }
                    }
                };
                self.arrives(user, happened).await;
            }
            Step::Repeats(user) => {
                if let Some((update, event)) = self.updates.get(&user_id(user)).cloned() {
                    self.handle(update, &event).await;
                }
            }
            Step::Pays(user, product, stars) => {
                let charge = format!("charge-{}", self.last_update);
                let purchase = Purchase { currency: "XTR".into(), total_amount: stars, payload: product.into() };
                self.charges.entry(user_id(user)).or_default().push((charge.clone(), purchase.clone()));
                self.arrives(user, Happened::Paid { charge: charge.into(), purchase }).await;
            }
            Step::PaysAgain(user) => {
                if let Some((charge, purchase)) = self.last_charge(user) {
                    self.arrives(user, Happened::Paid { charge: charge.into(), purchase }).await;
                }
            }
            Step::Refunded(user) => {
                if let Some((charge, purchase)) = self.last_charge(user) {
                    self.arrives(user, Happened::Refunded { charge: charge.into(), purchase, payment: None }).await;
                }
            }
            Step::Granted(user, amount) => {
                self.commands(user, Happened::Granted { amount, reason: "because".into() }).await;
            }
            Step::Banned(user, banned) => {
                let key = self.key(user_id(user));
                let Some(stored) = super::words::loaded(self.storage, key).await else { return };
                let mut chat = stored.chat.clone();
                (chat.banned, chat.version) = (banned, chat.version.next());
                let change = tapgate::flow::decision::Change::of(chat);
                let commit = Commit::of(key, stored.chat.balance, change, stored.fence, None, clock::now());
                assert_eq!(self.storage.commit(&commit).await.unwrap(), Outcome::Applied);
            }
            Step::Leased(dies) => {
                let lease = if dies { DEAD } else { LONG };
                let jobs = self.storage.lease_work(&LANES, 1, lease, BotId(0), ATTEMPTS_MAX).await.unwrap();
                self.working.extend(jobs.into_iter().filter(|job| job.key.bot == self.bot));
            }
            Step::Finished(place) => {
                if let Some(job) = chosen(&self.working, place) {
                    self.finished(&job).await;
                }
            }
            Step::Failed(place) => {
                if let Some(job) = chosen(&self.working, place) {
                    self.failed(&job).await;
                }
            }
            Step::Released(place) => {
                if let Some(job) = chosen(&self.working, place) {
                    self.settles(&job, End::Again { after: Duration::ZERO, hold: false }, None).await;
                }
            }
            Step::Reaped => {
                for job in self.storage.exhausted(10, LONG, ATTEMPTS_MAX).await.unwrap() {
                    self.failed(&job).await;
                }
            }
            Step::Taken(lives) => {
                let lease = if lives { LONG } else { DEAD };
                let jobs = self.storage.lease_outbound(3, lease, &Allowed::default()).await.unwrap();
                self.sending.extend(jobs.into_iter().filter(|job| job.key.bot == self.bot));
            }
            Step::Sent(place, sent) => {
                if let Some(job) = chosen(&self.sending, place) {
                    self.sent(&job, sent).await;
                }
            }
        }
        self.check().await;
    }

    fn last_charge(&self, user: u8) -> Option<(String, Purchase<'static>)> {
        self.charges.get(&user_id(user))?.last().cloned()
    }

    async fn arrives(&mut self, user: u8, happened: Happened<'static>) {
        self.last_update += 1;
        let update = UpdateId(self.last_update);
        let event = Event { chat: ChatId(user_id(user)), language: None, happened };
        self.updates.insert(user_id(user), (update, event.clone()));
        self.handle(update, &event).await;
    }

    /// As the handler does.
    async fn handle(&mut self, update: UpdateId, event: &Event<'static>) {
        let key = self.key(event.chat.0);
        let stored = super::words::loaded(self.storage, key).await.unwrap_or_default();
        if stored.fence.recall(update).is_some() {
            return;
        }
        let mut event = event.clone();
        if let Happened::Refunded { charge, payment, .. } = &mut event.happened {
            *payment = self.storage.payment(self.bot, charge).await.unwrap().map(|recorded| recorded.payment);
        }
        let Decision { change, answer, .. } = self.decided(&stored.chat, &event);
        let Some(change) = change else { return };
        let fence = stored.fence.with(update, DeliveryQueue::Messages, &answer);
        let commit = Commit::of(key, stored.chat.balance, change, fence, Some(update), clock::now());
        assert!(!commit.books.entries.iter().any(|entry| entry.kind == EntryKind::Adjusted), "{commit:?}");
        let outcome = self.storage.commit(&commit).await.unwrap();
        assert!(matches!(outcome, Outcome::Applied | Outcome::Duplicate { .. }), "{outcome:?}");
    }

    /// As a command does.
    async fn commands(&mut self, user: u8, happened: Happened<'static>) {
        let event = Event { chat: ChatId(user_id(user)), language: None, happened };
        let key = self.key(event.chat.0);
        let stored = super::words::loaded(self.storage, key).await.unwrap_or_default();
        let Some(change) = self.decided(&stored.chat, &event).change else { return };
        let commit = Commit::of(key, stored.chat.balance, change, stored.fence, None, clock::now());
        assert_eq!(self.storage.commit(&commit).await.unwrap(), Outcome::Applied);
    }

    fn decided(&self, chat: &tapgate::flow::chat::Chat, event: &Event<'_>) -> Decision {
        tapgate::flow::decide(self.flow, chat, event, Timestamp::from_unix_seconds(1_700_000_000)).recorded(chat, event)
    }

    async fn finished(&mut self, job: &LeasedJob) {
        let words = Words::Text("made ".repeat(if job.id.0 % 3 == 0 { 1_500 } else { 3 }));
        let contents = vec![Piece { photo: None, words: Some(words), buttons: Vec::new() }];
        let output = Output { contents, ..Output::default() };
        let order = order(job);
        let (key, order, output) = (Cow::Owned(job.name.clone()), Cow::Owned(order), Cow::Owned(output));
        self.ends(job, Happened::Finished { key, order, output }, Reach::Reachable).await;
    }

    async fn failed(&mut self, job: &LeasedJob) {
        let happened = Happened::Failed { key: Cow::Owned(job.name.clone()), order: Cow::Owned(order(job)) };
        self.ends(job, happened, Reach::Reachable).await;
    }

    async fn ends(&mut self, job: &LeasedJob, happened: Happened<'_>, reach: Reach) {
        match ending::end(self.storage, self.flow, job, happened, reach).await.unwrap() {
            Ended::Applied | Ended::Lost => {}
            Ended::Unchanged => self.settles(job, End::Refused { reach }, None).await,
            Ended::Contended | Ended::Panicked => panic!("nobody else is here, and the flow is total"),
        }
    }

    async fn sent(&mut self, job: &LeasedJob, sent: Sent) {
        let reservation = match &job.work {
            Work::Screen(_) => None,
            Work::Task(payload) => serde_json::from_str::<Content>(payload).unwrap().reservation,
        };
        match sent {
            Sent::Confirmed => {
                let shown = self.shown(job).await;
                let spent = reservation.map(|reservation| reservation.generation);
                self.settles(job, End::Done { shown }, spent).await;
            }
            Sent::Again => self.settles(job, End::Again { after: Duration::ZERO, hold: false }, None).await,
            Sent::Refused | Sent::Unreachable => {
                let reach = if matches!(sent, Sent::Refused) { Reach::Reachable } else { Reach::Unreachable };
                match ending::undone(self.storage, job).await.unwrap() {
                    Some(happened) => self.ends(job, happened, reach).await,
                    None => self.settles(job, End::Refused { reach }, None).await,
                }
            }
        }
    }

    async fn shown(&mut self, job: &LeasedJob) -> Option<Shown> {
        let Work::Screen(_) = job.work else { return None };
        let desired = super::words::loaded(self.storage, job.key).await?.chat.desired?;
        self.messages += 1;
        Some(Shown { view: desired.view, revision: desired.revision, message_id: MessageId(self.messages) })
    }

    async fn settles(&mut self, job: &LeasedJob, end: End, spent: Option<String>) {
        let settled = self.storage.settle(&Settlement { spent, ..Settlement::of(job, end) }).await.unwrap();
        assert!(!matches!(settled, Settled::Busy), "nobody else is here");
    }

    /// What holds after every step.
    async fn check(&self) {
        let jobs = self.storage.jobs(self.bot, usize::MAX).await.unwrap();
        for user in 1..=3 {
            let key = self.key(user);
            let Some(stored) = super::words::loaded(self.storage, key).await else { continue };
            let chat = stored.chat;
            assert_eq!(
                chat.balance,
                self.storage.ledger_sum(key).await.unwrap(),
                "the balance is the sum of the ledger"
            );
            assert!(chat.balance >= 0, "nobody has less than nothing");
            let orders = jobs.iter().filter(|job| job.chat == key.chat && job.lane != Lane::Outbound).count();
            assert_eq!(chat.busy.is_some(), orders == 1, "a chat is busy with a job, and no job is without its chat");
        }
    }

    /// Everybody does what is left, and then every reservation has one end and every payment one credit.
    async fn rests(&mut self) {
        for job in std::mem::take(&mut self.working) {
            self.finished(&job).await;
        }
        for job in std::mem::take(&mut self.sending) {
            self.sent(&job, Sent::Confirmed).await;
        }
        loop {
            let done = self.storage.lease_work(&LANES, 10, LONG, BotId(0), u32::MAX >> 1).await.unwrap();
            let sent = self.storage.lease_outbound(50, LONG, &Allowed::default()).await.unwrap();
            if done.is_empty() && sent.is_empty() {
                break;
            }
            for job in &done {
                self.finished(job).await;
            }
            for job in &sent {
                self.sent(job, Sent::Confirmed).await;
            }
        }
        self.check().await;
        assert_eq!(self.storage.jobs(self.bot, 10).await.unwrap(), [], "nothing is left over");
        let mut credited = BTreeMap::<String, i64>::new();
        for user in 1..=3 {
            let lines = self.storage.ledger(self.key(user), usize::MAX).await.unwrap();
            let of = |kinds: &[EntryKind]| {
                let mut references: Vec<_> = lines
                    .iter()
                    .filter(|line| kinds.contains(&line.entry.kind))
                    .map(|line| line.entry.reference.clone())
                    .collect();
                references.sort();
                references
            };
            let ended = of(&[EntryKind::Spent, EntryKind::Returned]);
            assert_eq!(of(&[EntryKind::Reserved]), ended, "what was reserved is spent or given back, once");
            for charge in of(&[EntryKind::Paid]) {
                *credited.entry(charge).or_default() += 1;
            }
        }
        let known = self.storage.payments(self.bot, usize::MAX).await.unwrap();
        let told: BTreeSet<&String> = self.charges.values().flatten().map(|(charge, _)| charge).collect();
        assert_eq!(known.iter().map(|it| &it.payment.charge).collect::<BTreeSet<_>>(), told, "each is recorded, once");
        let sold = known.iter().filter(|it| it.payment.messages > 0);
        assert_eq!(credited, sold.map(|it| (it.payment.charge.clone(), 1)).collect(), "each is credited, once");
    }
}

fn user_id(user: u8) -> i64 {
    i64::from(user) + 1
}

fn chosen(jobs: &[LeasedJob], place: usize) -> Option<LeasedJob> {
    jobs.iter().rev().nth(place).cloned()
}

fn order(job: &LeasedJob) -> Order {
    let Work::Task(payload) = &job.work else { panic!("a worker has a task: {job:?}") };
    serde_json::from_str(payload).unwrap()
}

fn flow() -> Flow {
    let texts = vec![("en".to_owned(), TEXTS.to_owned())];
    let sources = Sources { name: "model".to_owned(), definition: DEFINITION.to_owned(), texts, pictures: Vec::new() };
    Flow::parse(&sources).unwrap_or_else(|problems| panic!("{problems}"))
}

on_every_backend! {
    whatever_happens_in_whatever_order_the_books_are_right
}

async fn whatever_happens_in_whatever_order_the_books_are_right(store: Store) {
    let (flow, next_bot) = (flow(), AtomicI64::new(1));
    let runtime = tokio::runtime::Handle::current();
    tokio::task::block_in_place(|| {
        let mut runner = TestRunner::new(Config { cases: 24, failure_persistence: None, ..Config::default() });
        let ran = runner.run(&prop::collection::vec(step(), 1..80), |steps| {
            let mut model = Model {
                flow: &flow,
                storage: &store.storage,
                bot: BotId(next_bot.fetch_add(1, Ordering::Relaxed)),
                last_update: 0,
                updates: BTreeMap::new(),
                charges: BTreeMap::new(),
                working: Vec::new(),
                sending: Vec::new(),
                messages: 0,
            };
            runtime.block_on(async {
                for step in steps {
                    model.takes(step).await;
                }
                model.rests().await;
            });
            Ok(())
        });
        ran.unwrap_or_else(|failed| panic!("{failed}"));
    });
}
