//! A user who is forgotten, a bot that is removed.

use super::store::Store;
use super::words::*;
use tapgate::bot::Bot;
use tapgate::clock::Timestamp;
use tapgate::flow::books::{Books, Entry, EntryKind, Memory, Payment, Role, Turn};
use tapgate::flow::decision::Place;
use tapgate::secret::Secret;
use tapgate::storage::{End, Failure, Forgotten, Holdings, Key, NewJob, Outcome, Settled, Settlement, Storage};
use tapgate::telegram::id::{BotId, ChatId, UpdateId};

on_every_backend! {
    a_user_is_forgotten_with_all_there_is_of_them_and_nobody_else_is
    forgetting_nobody_removes_nothing
    what_is_in_flight_of_a_forgotten_user_brings_nothing_back
    a_bot_is_cleared_in_portions_and_the_others_keep_what_they_have
}

const AT: Timestamp = Timestamp::from_unix_millis(1_700_000_000_000);

fn failure(bot: i64, update: i64) -> Failure {
    Failure { bot: BotId(bot), update: Some(UpdateId(update)), reason: "panic", body: b"{}".to_vec(), at: AT }
}

/// How many rows chats, jobs, failures, ledger, turns, payments and files have.
async fn rows(store: &Store) -> [i64; 7] {
    let mut rows = [0; 7];
    let tables = ["chats", "jobs", "dead_updates", "ledger", "turns", "payments", "files"];
    for (rows, table) in rows.iter_mut().zip(tables) {
        *rows = store.number(&format!("SELECT count(*) FROM {table}")).await;
    }
    rows
}

/// The first commit of a chat, with `jobs`, two lines in the ledger, a turn and a payment.
async fn begin(storage: &Storage, key: Key, jobs: Vec<NewJob>) {
    let line = |amount| Entry { kind: EntryKind::Granted, amount, reference: String::new() };
    let payment = Payment {
        charge: format!("of {}", key.chat),
        product: None,
        payload: String::new(),
        currency: "XTR".into(),
        amount: 1,
        messages: 0,
        premium_days: 0,
        refunded: false,
    };
    let turn = Turn { role: Role::User, text: "hello".into() };
    let mut commit = with_jobs(commit_on(None, key, 1), jobs);
    commit.books = Books {
        entries: vec![line(3), line(-2)],
        payment: Some(payment),
        memory: Memory::Continued { turns: vec![turn], turns_max: 5 },
        ..Books::default()
    };
    assert_eq!(storage.commit(&commit).await.unwrap(), Outcome::Applied);
}

async fn a_user_is_forgotten_with_all_there_is_of_them_and_nobody_else_is(store: Store) {
    let storage = &store.storage;
    let other_bot = Key { bot: BotId(8), chat: ChatId(1) };
    for key in [key(1), key(2), other_bot] {
        begin(storage, key, vec![task("content"), NewJob::Screen(Place::New)]).await;
    }
    for failure in [failure(7, 10), failure(7, 11), failure(8, 10)] {
        storage.bury(&failure).await.unwrap();
    }

    let forgotten = storage.forget(key(1), &["10".into(), "12".into()]).await.unwrap();

    assert_eq!(forgotten, Forgotten { chats: 1, jobs: 2, failures: 1, ledger: 2, turns: 1 });
    assert_eq!(loaded(storage, key(1)).await, None);
    assert!(loaded(storage, key(2)).await.is_some() && loaded(storage, other_bot).await.is_some());
    assert_eq!(rows(&store).await, [2, 4, 2, 4, 2, 3, 0], "the payment stays");
    assert_eq!(storage.payment(key(1).bot, "of 1").await.unwrap().unwrap().chat, key(1).chat, "and a refund finds it");
    assert_eq!((storage.ledger_sum(key(1)).await.unwrap(), storage.turns(key(1), 9).await.unwrap()), (0, vec![]));
    assert_eq!((storage.ledger_sum(key(2)).await.unwrap(), storage.turns(key(2), 9).await.unwrap().len()), (1, 1));

    let commit = commit_on(None, key(1), 2);
    assert_eq!(storage.commit(&commit).await.unwrap(), Outcome::Applied, "they come back as a newcomer");
}

async fn forgetting_nobody_removes_nothing(store: Store) {
    apply(&store.storage, key(1), 1, vec![task("content")]).await;
    assert_eq!(store.storage.forget(key(2), &[]).await.unwrap(), Forgotten::default());
    assert_eq!(rows(&store).await, [1, 1, 0, 0, 0, 0, 0]);
}

async fn what_is_in_flight_of_a_forgotten_user_brings_nothing_back(store: Store) {
    let storage = &store.storage;
    apply(storage, key(1), 1, vec![NewJob::Screen(Place::New)]).await;
    let (before, sent) = (loaded(storage, key(1)).await, lease_one(storage).await);
    let mut late = commit_on(before.as_ref(), key(1), 2);
    late.books.entries = vec![Entry { kind: EntryKind::Granted, amount: 3, reference: String::new() }];

    storage.forget(key(1), &[]).await.unwrap();

    assert_eq!(storage.commit(&late).await.unwrap(), Outcome::Stale);
    let end = End::Done { shown: Some(shown("menu", 1, 9)) };
    let settlement = Settlement { spent: Some("1.0".into()), ..Settlement::of(&sent, end) };
    assert_eq!(storage.settle(&settlement).await.unwrap(), Settled::Lost);
    assert_eq!(rows(&store).await, [0; 7]);
}

async fn a_bot_is_cleared_in_portions_and_the_others_keep_what_they_have(store: Store) {
    let storage = &store.storage;
    for (id, name) in [(7, "shop"), (8, "other")] {
        let bot = Bot {
            id: BotId(id),
            name: name.into(),
            username: None,
            token: Secret::new("token"),
            secret: Secret::new("secret"),
            previous_secret: None,
            max_connections: 40,
            base_url: None,
            flow: "companion".into(),
            paused: false,
        };
        storage.add_bot(&bot, AT).await.unwrap();
        storage.bury(&failure(id, 1)).await.unwrap();
        for chat in 1..=3 {
            begin(storage, Key { bot: BotId(id), chat: ChatId(chat) }, vec![task("content")]).await;
            storage.keep_file(BotId(id), &chat.to_string(), b"photo", AT).await.unwrap();
        }
    }
    let all = Holdings { chats: 3, jobs: 3, failures: 1, ledger: 6, turns: 3, payments: 3, files: 3 };
    assert_eq!(storage.holdings(BotId(7)).await.unwrap(), all);

    let mut portions = Vec::new();
    while portions.last() != Some(&0) {
        portions.push(storage.clear_bot(BotId(7), 2).await.unwrap());
    }

    assert_eq!(portions, [13, 7, 2, 0], "two of each at once");
    assert_eq!(storage.holdings(BotId(7)).await.unwrap(), Holdings::default());
    assert_eq!(storage.holdings(BotId(8)).await.unwrap(), all);
    assert!(storage.remove_bot(BotId(7)).await.unwrap());
    assert!(!storage.remove_bot(BotId(7)).await.unwrap());
    assert_eq!(storage.bots().await.unwrap().len(), 1);
}
