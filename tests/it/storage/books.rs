//! What commits write beside their chats: the ledger, what was said. Payments have a file of their own.

use super::store::{GATHERING, Store};
use super::words::*;
use futures::future::join_all;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use std::collections::HashMap;
use tapgate::clock::Timestamp;
use tapgate::flow::books::{Books, Entry, EntryKind, Memory, Payment, Role, Turn};
use tapgate::flow::chat::Version;
use tapgate::flow::decision::{Change, Place};
use tapgate::storage::{
    Commit, End, Gathering, Key, Lane, NewJob, Outcome, Reach, Settled, Settlement, Storage, Stored, TASKS_MAX,
};
use tapgate::telegram::answer::Answer;
use tapgate::telegram::id::{BotId, ChatId};

on_every_backend! {
    a_balance_is_the_sum_of_its_ledger_whatever_happens
    the_ledger_is_read_newest_first
    a_commit_that_does_not_apply_writes_no_books
    members_of_a_batch_with_and_without_books_all_get_their_own
    a_chat_comes_back_with_what_it_paid_for_and_whether_it_is_reached
    what_was_delivered_is_spent_by_who_holds_the_job
    a_commit_that_ends_a_job_writes_its_books_with_it
    what_was_said_is_kept_in_order_and_only_the_last_of_it
    what_was_said_goes_when_it_is_to_be_forgotten
}

pub fn entry(kind: EntryKind, amount: i64, reference: &str) -> Entry {
    Entry { kind, amount, reference: reference.into() }
}

pub fn payment(charge: &str, messages: i64) -> Payment {
    Payment {
        charge: charge.into(),
        product: Some("messages".into()),
        payload: "p:messages".into(),
        currency: "XTR".into(),
        amount: 50,
        messages,
        premium_days: 30,
        refunded: false,
    }
}

/// What `update` makes of a chat whose balance changes as its books say.
pub fn booked(stored: Option<&Stored>, key: Key, update: i64, books: Books) -> Commit {
    let mut commit = commit_on(stored, key, update);
    let before = stored.map_or(0, |stored| stored.chat.balance);
    commit.chat.balance = before + books.entries.iter().map(|entry| entry.amount).sum::<i64>();
    Commit { books, ..commit }
}

pub async fn book(storage: &Storage, key: Key, update: i64, books: Books) -> Outcome {
    let stored = loaded(storage, key).await;
    storage.commit(&booked(stored.as_ref(), key, update, books)).await.unwrap()
}

pub fn paid(charge: &str, messages: i64) -> Books {
    Books {
        entries: vec![entry(EntryKind::Paid, messages, charge)],
        payment: Some(payment(charge, messages)),
        ..Books::default()
    }
}

pub fn said(texts: &[&str], turns_max: u32) -> Books {
    let turn = |text: &&str| Turn { role: Role::User, text: (*text).to_owned() };
    Books { memory: Memory::Continued { turns: texts.iter().map(turn).collect(), turns_max }, ..Books::default() }
}

/// All that stands in the tables of the books, and in those that a commit writes.
pub async fn dump(store: &Store) -> Vec<Vec<String>> {
    let mut all = Vec::new();
    for table in ["chats", "jobs", "ledger", "payments", "turns"] {
        all.push(store.dump(table).await);
    }
    all
}

/// What can happen to one of a few chats.
#[derive(Clone, Debug)]
enum Step {
    /// The balance changes, for reasons or without a word.
    Change { chat: i64, amounts: Vec<i64>, unsaid: i64 },
    /// The same on a version that is not the last one.
    Late { chat: i64, amount: i64 },
    /// One of a few payments comes.
    Pay { chat: i64, charge: u8, messages: i64 },
    /// It is given back.
    Refund { chat: i64, charge: u8 },
    /// A generation is delivered.
    Deliver { chat: i64 },
}

fn step() -> impl Strategy<Value = Step> {
    let chat = 1..=3_i64;
    prop_oneof![
        4 => (chat.clone(), vec(-50..=50_i64, 0..3), -5..=5_i64)
            .prop_map(|(chat, amounts, unsaid)| Step::Change { chat, amounts, unsaid }),
        1 => (chat.clone(), -50..=50_i64).prop_map(|(chat, amount)| Step::Late { chat, amount }),
        3 => (chat.clone(), 0..4_u8, 1..=100_i64)
            .prop_map(|(chat, charge, messages)| Step::Pay { chat, charge, messages }),
        2 => (chat.clone(), 0..4_u8).prop_map(|(chat, charge)| Step::Refund { chat, charge }),
        1 => chat.prop_map(|chat| Step::Deliver { chat }),
    ]
}

/// What is expected of the chats and charges of one case.
#[derive(Default)]
struct Model {
    balances: HashMap<i64, i64>,
    /// By charge: whether it was refunded.
    charges: HashMap<u8, bool>,
}

async fn a_balance_is_the_sum_of_its_ledger_whatever_happens(store: Store) {
    let storage = &store.storage;
    let mut runner = TestRunner::deterministic();
    for case in 0..12 {
        let steps = vec(step(), 1..25).new_tree(&mut runner).unwrap().current();
        let mut model = Model::default();
        let mut update = 0;
        for step in &steps {
            update += 1;
            happen(storage, BotId(100 + case), step, update, &mut model).await;
            for chat in 1..=3 {
                let key = Key { bot: BotId(100 + case), chat: ChatId(chat) };
                let balance = loaded(storage, key).await.map_or(0, |stored| stored.chat.balance);
                let expected = model.balances.get(&chat).copied().unwrap_or(0);
                let sums = (balance, storage.ledger_sum(key).await.unwrap());
                assert_eq!(sums, (expected, expected), "chat {chat} after {step:?} of {steps:?}");
            }
        }
    }
}

async fn happen(storage: &Storage, bot: BotId, step: &Step, update: i64, model: &mut Model) {
    let (chat, books, unsaid) = match step {
        Step::Change { chat, amounts, unsaid } => {
            let entries = amounts.iter().map(|amount| entry(EntryKind::Granted, *amount, "")).collect();
            (*chat, Books { entries, ..Books::default() }, *unsaid)
        }
        Step::Late { chat, amount } => {
            (*chat, Books { entries: vec![entry(EntryKind::Granted, *amount, "")], ..Books::default() }, 0)
        }
        Step::Pay { chat, charge, messages } => (*chat, paid(&charge.to_string(), *messages), 0),
        Step::Refund { chat, charge } => {
            let charge = charge.to_string();
            let entries = vec![entry(EntryKind::Refunded, -1, &charge)];
            (*chat, Books { entries, refunded: Some(charge), ..Books::default() }, 0)
        }
        Step::Deliver { chat } => (*chat, Books::default(), 0),
    };
    let key = Key { bot, chat: ChatId(chat) };
    let stored = loaded(storage, key).await.unwrap_or_default();
    let commit = booked(Some(&stored), key, update, books);
    let mut changed = commit.chat.clone();
    changed.balance += unsaid;
    let balance = changed.balance;
    let change = Change { chat: changed, jobs: vec![], books: commit.books };
    let mut commit = Commit::of(key, stored.chat.balance, change, commit.fence, commit.update, commit.at);
    let expected = match step {
        Step::Late { .. } => {
            commit.chat.version = Version(commit.chat.version.0 + 1);
            Outcome::Stale
        }
        Step::Pay { charge, .. } if model.charges.contains_key(charge) => Outcome::Duplicate { answer: Answer::EMPTY },
        Step::Pay { charge, .. } => {
            model.charges.insert(*charge, false);
            Outcome::Applied
        }
        Step::Refund { charge, .. } => match model.charges.get_mut(charge) {
            Some(refunded @ false) => {
                *refunded = true;
                Outcome::Applied
            }
            Some(true) | None => Outcome::Duplicate { answer: Answer::EMPTY },
        },
        Step::Change { .. } => Outcome::Applied,
        Step::Deliver { .. } => {
            commit.jobs = vec![task("content")];
            Outcome::Applied
        }
    };
    assert_eq!(storage.commit(&commit).await.unwrap(), expected, "{step:?}");
    if expected == Outcome::Applied {
        model.balances.insert(chat, balance);
    }
    if let Step::Deliver { .. } = step {
        let job = lease_one(storage).await;
        let settlement = Settlement { spent: Some("1.0".into()), ..Settlement::of(&job, DONE) };
        assert_eq!(storage.settle(&settlement).await.unwrap(), Settled::Ended);
    }
}

async fn the_ledger_is_read_newest_first(store: Store) {
    let storage = &store.storage;
    let lines =
        [entry(EntryKind::Free, 10, ""), entry(EntryKind::Reserved, -3, "2.0"), entry(EntryKind::Spent, 0, "2.0")];
    book(storage, key(1), 1, Books { entries: lines[..2].to_vec(), ..Books::default() }).await;
    book(storage, key(1), 2, Books { entries: lines[2..].to_vec(), ..Books::default() }).await;
    book(storage, key(2), 3, Books { entries: vec![entry(EntryKind::Free, 10, "")], ..Books::default() }).await;
    let ledger = storage.ledger(key(1), 10).await.unwrap();
    let read: Vec<_> = ledger.iter().map(|line| line.entry.clone()).collect();
    assert_eq!(read, [lines[2].clone(), lines[1].clone(), lines[0].clone()]);
    assert_eq!(ledger[0].at, Timestamp::from_unix_millis(1_700_000_000_002));
    assert_eq!(storage.ledger(key(1), 1).await.unwrap(), ledger[..1]);
    assert_eq!((storage.ledger_sum(key(1)).await.unwrap(), storage.ledger_sum(key(9)).await.unwrap()), (7, 0));
}

pub fn all_books(charge: &str) -> Books {
    Books { cancelled: Some("1.0".into()), memory: said(&["hello"], 5).memory, ..paid(charge, 10) }
}

async fn a_commit_that_does_not_apply_writes_no_books(store: Store) {
    let storage = &store.storage;
    apply(storage, key(1), 1, vec![NewJob::Task { lane: Lane::Text, payload: "{}".into() }]).await;
    let seen = loaded(storage, key(1)).await;
    apply(storage, key(1), 2, vec![]).await;
    let before = dump(&store).await;

    let without_payment = Books { payment: None, ..all_books("c") };
    for books in [all_books("c"), without_payment] {
        let late = booked(seen.as_ref(), key(1), 3, books.clone());
        assert_eq!(storage.commit(&late).await.unwrap(), Outcome::Stale);
        let repeated = booked(seen.as_ref(), key(1), 2, books.clone());
        assert_eq!(storage.commit(&repeated).await.unwrap(), Outcome::Duplicate { answer: answer(2) });
        let mut refused = booked(loaded(storage, key(1)).await.as_ref(), key(1), 3, books);
        refused.jobs = vec![task("{}"); TASKS_MAX + 1];
        assert!(storage.commit(&refused).await.is_err());
        let too_many = said(&["turn"; TASKS_MAX + 1], 5);
        refused = Commit { books: too_many, jobs: vec![], ..refused };
        assert!(storage.commit(&refused).await.is_err());
    }
    assert_eq!(dump(&store).await, before);
}

async fn members_of_a_batch_with_and_without_books_all_get_their_own(store: Store) {
    let storage = &store.storage;
    let (gathered, tasks) = store.gathered(Gathering { committers: 1, ..GATHERING }).await;
    apply(storage, key(5), 1, vec![]).await;
    let late = booked(None, key(5), 2, paid("late", 5));
    let commits = (1..=40).map(|chat| match chat {
        5 => late.clone(),
        _ => {
            let books = match chat % 4 {
                0 => Books::default(),
                1 => Books { entries: vec![entry(EntryKind::Reserved, -chat, "1.0")], ..Books::default() },
                2 => said(&["hello", "there"], 5),
                _ => paid(&format!("charge of {chat}"), chat),
            };
            booked(None, key(chat), chat, books)
        }
    });
    let outcomes = join_all(commits.map(|commit| gathered.commit(commit, soon()))).await;
    for (chat, outcome) in (1..).zip(outcomes) {
        let expected = if chat == 5 { Outcome::Stale } else { Outcome::Applied };
        assert_eq!(outcome.unwrap(), expected, "chat {chat}");
        let balance = loaded(storage, key(chat)).await.unwrap().chat.balance;
        if chat != 5 {
            assert_eq!(storage.ledger_sum(key(chat)).await.unwrap(), balance, "chat {chat}");
        }
        assert_eq!(storage.turns(key(chat), 9).await.unwrap().len(), if chat % 4 == 2 { 2 } else { 0 });
        let charge = storage.payment(key(1).bot, &format!("charge of {chat}")).await.unwrap();
        assert_eq!(charge.map(|payment| payment.chat), (chat % 4 == 3).then_some(ChatId(chat)));
    }
    assert_eq!(storage.payment(key(1).bot, "late").await.unwrap(), None);
    tasks.stop().await;
}

async fn a_chat_comes_back_with_what_it_paid_for_and_whether_it_is_reached(store: Store) {
    let storage = &store.storage;
    let until = Timestamp::from_unix_millis(1_800_000_000_123);
    for (update, premium_until, paid) in [(1, None, false), (2, Some(until), true), (3, None, true)] {
        let mut commit = commit_on(loaded(storage, key(1)).await.as_ref(), key(1), update);
        (commit.chat.premium_until, commit.chat.paid) = (premium_until, paid);
        assert_eq!(storage.commit(&commit).await.unwrap(), Outcome::Applied);
        assert_eq!(loaded(storage, key(1)).await.unwrap().chat, commit.chat);
    }
    assert_eq!(loaded(storage, key(1)).await.unwrap().unreachable, None);
    apply(storage, key(1), 4, vec![task("content")]).await;
    settle(storage, &lease_one(storage).await, End::Refused { reach: Reach::Unreachable }).await;
    assert_eq!(loaded(storage, key(1)).await.unwrap().unreachable, Some(Version(4)));
}

async fn what_was_delivered_is_spent_by_who_holds_the_job(store: Store) {
    let storage = &store.storage;
    let settle_spending = async |job, end| {
        let settlement = Settlement { spent: Some("1.0".into()), ..Settlement::of(job, end) };
        storage.settle(&settlement).await.unwrap()
    };
    let spent =
        async || storage.ledger(key(1), 10).await.unwrap().into_iter().map(|line| line.entry).collect::<Vec<_>>();
    apply(storage, key(1), 1, vec![task("result")]).await;
    let late = lease_one(storage).await;
    store.time_passes().await;
    let job = lease_one(storage).await;
    assert_eq!(settle_spending(&late, DONE).await, Settled::Lost);
    assert_eq!(settle_spending(&job, again(std::time::Duration::ZERO)).await, Settled::Ended);
    assert_eq!(spent().await, [], "it is not delivered yet");
    let job = lease_one(storage).await;
    assert_eq!(settle_spending(&job, DONE).await, Settled::Ended);
    assert_eq!(spent().await, [entry(EntryKind::Spent, 0, "1.0")]);
    assert_eq!(settle_spending(&job, DONE).await, Settled::Lost);

    apply(storage, key(1), 2, vec![task("refused")]).await;
    let job = lease_one(storage).await;
    assert_eq!(settle_spending(&job, End::Refused { reach: Reach::Unreachable }).await, Settled::Ended);
    apply(storage, key(1), 3, vec![NewJob::Screen(Place::New)]).await;
    let job = lease_one(storage).await;
    apply(storage, key(1), 4, vec![NewJob::Screen(Place::New)]).await;
    assert_eq!(settle_spending(&job, DONE).await, Settled::Renewed);
    assert_eq!(spent().await.len(), 1, "nothing was delivered once more");
}

async fn a_commit_that_ends_a_job_writes_its_books_with_it(store: Store) {
    let storage = &store.storage;
    apply(storage, key(1), 1, vec![NewJob::Task { lane: Lane::Text, payload: "{}".into() }]).await;
    let leased = storage.lease_work(&[Lane::Text], 1, LEASE, BotId(0), 3).await.unwrap().remove(0);
    let books = Books {
        entries: vec![entry(EntryKind::Returned, 3, "1.0")],
        memory: said(&["question", "reply"], 10).memory,
        ..Books::default()
    };
    let before = dump(&store).await;
    let stale = booked(None, key(1), 2, books.clone());
    let ends = leased.ends(Reach::Reachable);
    assert_eq!(storage.commit_and_end(&stale, ends).await.unwrap(), Outcome::Stale);
    assert_eq!(dump(&store).await, before);

    let stored = loaded(storage, key(1)).await;
    let commit = booked(stored.as_ref(), key(1), 2, books);
    assert_eq!(storage.commit_and_end(&commit, ends).await.unwrap(), Outcome::Applied);
    assert_eq!(storage.ledger_sum(key(1)).await.unwrap(), 3);
    assert_eq!(storage.turns(key(1), 10).await.unwrap().len(), 2);
    let after = dump(&store).await;
    let again = booked(loaded(storage, key(1)).await.as_ref(), key(1), 3, all_books("a"));
    let outcome = storage.commit_and_end(&again, ends).await.unwrap();
    assert_eq!(outcome, Outcome::Duplicate { answer: Answer::EMPTY }, "it ended already");
    assert_eq!(dump(&store).await, after);
}

async fn texts(storage: &Storage, key: Key, limit: usize) -> Vec<String> {
    storage.turns(key, limit).await.unwrap().into_iter().map(|turn| turn.text).collect()
}

async fn what_was_said_is_kept_in_order_and_only_the_last_of_it(store: Store) {
    let storage = &store.storage;
    assert_eq!(storage.turns(key(1), 10).await.unwrap(), []);
    book(storage, key(1), 1, said(&["1", "2"], 4)).await;
    book(storage, key(2), 1, said(&["of another chat"], 4)).await;
    book(storage, key(1), 2, said(&["3"], 4)).await;
    book(storage, key(1), 3, Books::default()).await;
    assert_eq!(texts(storage, key(1), 10).await, ["1", "2", "3"]);
    assert_eq!(texts(storage, key(1), 2).await, ["2", "3"], "the last, the oldest of them first");
    book(storage, key(1), 4, said(&["4", "5"], 4)).await;
    assert_eq!(texts(storage, key(1), 10).await, ["2", "3", "4", "5"]);
    book(storage, key(1), 5, said(&["6"], 2)).await;
    assert_eq!(texts(storage, key(1), 10).await, ["5", "6"], "fewer are kept from now on");
    book(storage, key(1), 6, said(&["7", "8", "9"], 2)).await;
    assert_eq!(texts(storage, key(1), 10).await, ["8", "9"]);
    book(storage, key(1), 7, said(&["10"], 0)).await;
    assert_eq!(texts(storage, key(1), 10).await, [""; 0]);
    assert_eq!(texts(storage, key(2), 10).await, ["of another chat"]);
}

async fn what_was_said_goes_when_it_is_to_be_forgotten(store: Store) {
    let storage = &store.storage;
    let mut turns = said(&["1", "2"], 9);
    if let Memory::Continued { turns, .. } = &mut turns.memory {
        turns[1].role = Role::Assistant;
    }
    book(storage, key(1), 1, turns).await;
    let roles: Vec<_> = storage.turns(key(1), 9).await.unwrap().into_iter().map(|turn| turn.role).collect();
    assert_eq!(roles, [Role::User, Role::Assistant]);
    book(storage, key(2), 1, said(&["of another chat"], 9)).await;
    book(storage, key(1), 2, Books { memory: Memory::Forgotten, ..Books::default() }).await;
    assert_eq!(texts(storage, key(1), 9).await, [""; 0]);
    assert_eq!(texts(storage, key(2), 9).await, ["of another chat"]);
}
