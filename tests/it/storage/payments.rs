//! Payments: each recorded, each credited once, and given back once.

use super::books::{all_books, book, booked, dump, entry, paid, payment};
use super::store::{GATHERING, Store};
use super::words::*;
use futures::future::join_all;
use tapgate::clock::Timestamp;
use tapgate::flow::books::{Books, EntryKind, Payment};
use tapgate::storage::{Gathering, Key, Outcome, RecordedPayment};
use tapgate::telegram::answer::Answer;
use tapgate::telegram::id::{BotId, ChatId};

on_every_backend! {
    a_payment_is_recorded_as_it_was_made
    a_charge_that_is_known_makes_its_commit_a_duplicate
    a_charge_that_comes_for_many_chats_at_once_is_credited_to_one
    a_payment_of_a_commit_that_is_stale_is_not_recorded
    an_update_that_was_applied_gets_its_answer_whatever_is_known_of_its_charge
    a_refund_is_written_once
    a_payment_known_only_by_its_refund_is_not_credited_later
    payments_are_listed_newest_first
}

async fn a_payment_is_recorded_as_it_was_made(store: Store) {
    let storage = &store.storage;
    let unassigned = Payment { product: None, messages: 0, premium_days: 0, ..payment("b", 0) };
    assert_eq!(book(storage, key(1), 1, paid("a", 100)).await, Outcome::Applied, "of a user who never came");
    let books = Books { payment: Some(unassigned.clone()), ..Books::default() };
    assert_eq!(book(storage, key(1), 2, books).await, Outcome::Applied);
    let expected = |payment: Payment, update: i64| RecordedPayment {
        payment,
        chat: ChatId(1),
        at: Timestamp::from_unix_millis(1_700_000_000_000 + update),
        refunded_at: None,
    };
    let bot = key(1).bot;
    assert_eq!(storage.payment(bot, "a").await.unwrap(), Some(expected(payment("a", 100), 1)));
    assert_eq!(storage.payment(bot, "b").await.unwrap(), Some(expected(unassigned, 2)));
    assert_eq!(storage.payment(BotId(8), "a").await.unwrap(), None);
    assert_eq!(loaded(storage, key(1)).await.unwrap().chat.balance, 100);
}

async fn a_charge_that_is_known_makes_its_commit_a_duplicate(store: Store) {
    let storage = &store.storage;
    assert_eq!(book(storage, key(1), 1, paid("a", 100)).await, Outcome::Applied);
    apply(storage, key(2), 1, vec![]).await;
    let before = dump(&store).await;
    let duplicate = Outcome::Duplicate { answer: Answer::EMPTY };
    for chat in [1, 2, 3] {
        assert_eq!(book(storage, key(chat), 9, all_books("a")).await, duplicate, "chat {chat}");
    }
    assert_eq!(dump(&store).await, before, "nothing of them was written");
    let of_another_bot = Key { bot: BotId(8), chat: ChatId(1) };
    assert_eq!(book(storage, of_another_bot, 1, paid("a", 100)).await, Outcome::Applied, "charges are a bot's own");
}

async fn a_charge_that_comes_for_many_chats_at_once_is_credited_to_one(store: Store) {
    let storage = &store.storage;
    let (ours, our_tasks) = store.gathered(Gathering { committers: 1, ..GATHERING }).await;
    let (theirs, their_tasks) = store.gathered(GATHERING).await;
    for chat in (2..=20).step_by(2) {
        apply(storage, key(chat), 1, vec![]).await;
    }
    // Those with a row and those without; in one batch, and in batches of two processes that cross.
    let mut commits = Vec::new();
    for chat in 1..=20 {
        let commit = booked(loaded(storage, key(chat)).await.as_ref(), key(chat), 7, paid("a", 100));
        commits.push(ours.commit(commit.clone(), soon()));
        commits.push(theirs.commit(commit, soon()));
    }
    let outcomes: Vec<_> = join_all(commits).await.into_iter().map(Result::unwrap).collect();
    let applied = outcomes.iter().filter(|outcome| **outcome == Outcome::Applied).count();
    assert_eq!(applied, 1, "{outcomes:?}");
    let winner = storage.payment(key(1).bot, "a").await.unwrap().unwrap().chat;
    for chat in 1..=20 {
        let expected = if ChatId(chat) == winner { 100 } else { 0 };
        assert_eq!(storage.ledger_sum(key(chat)).await.unwrap(), expected, "chat {chat}");
    }
    our_tasks.stop().await;
    their_tasks.stop().await;
}

async fn a_payment_of_a_commit_that_is_stale_is_not_recorded(store: Store) {
    let storage = &store.storage;
    apply(storage, key(1), 1, vec![]).await;
    let late = booked(None, key(1), 2, paid("a", 100));
    assert_eq!(storage.commit(&late).await.unwrap(), Outcome::Stale);
    assert_eq!(storage.payment(key(1).bot, "a").await.unwrap(), None);
    assert_eq!(book(storage, key(1), 2, paid("a", 100)).await, Outcome::Applied, "decided again, it is new");
}

async fn an_update_that_was_applied_gets_its_answer_whatever_is_known_of_its_charge(store: Store) {
    let storage = &store.storage;
    let commit = booked(None, key(1), 1, paid("a", 100));
    assert_eq!(storage.commit(&commit).await.unwrap(), Outcome::Applied);
    let before = dump(&store).await;
    assert_eq!(storage.commit(&commit).await.unwrap(), Outcome::Duplicate { answer: answer(1) });
    assert_eq!(dump(&store).await, before);
}

async fn a_refund_is_written_once(store: Store) {
    let storage = &store.storage;
    let bot = key(1).bot;
    let refund = Books {
        entries: vec![entry(EntryKind::Refunded, -60, "a"), entry(EntryKind::WrittenOff, 0, "a")],
        refunded: Some("a".into()),
        ..Books::default()
    };
    let duplicate = Outcome::Duplicate { answer: Answer::EMPTY };
    assert_eq!(book(storage, key(1), 1, refund.clone()).await, duplicate, "nothing is known of it");
    assert_eq!(book(storage, key(1), 1, paid("a", 100)).await, Outcome::Applied);
    assert_eq!(book(storage, key(1), 2, refund.clone()).await, Outcome::Applied);
    let recorded = storage.payment(bot, "a").await.unwrap().unwrap();
    assert_eq!(recorded.refunded_at, Some(Timestamp::from_unix_millis(1_700_000_000_002)));
    assert_eq!(recorded.payment, Payment { refunded: true, ..payment("a", 100) });
    let before = dump(&store).await;
    assert_eq!(book(storage, key(1), 3, refund).await, duplicate);
    assert_eq!(dump(&store).await, before);
    assert_eq!(storage.ledger_sum(key(1)).await.unwrap(), 40);
}

async fn a_payment_known_only_by_its_refund_is_not_credited_later(store: Store) {
    let storage = &store.storage;
    let only_refunded = Payment { product: None, messages: 0, premium_days: 0, refunded: true, ..payment("a", 0) };
    let books = Books { payment: Some(only_refunded.clone()), ..Books::default() };
    assert_eq!(book(storage, key(1), 1, books).await, Outcome::Applied);
    let recorded = storage.payment(key(1).bot, "a").await.unwrap().unwrap();
    assert_eq!((recorded.payment, recorded.refunded_at), (only_refunded, Some(recorded.at)));
    let duplicate = Outcome::Duplicate { answer: Answer::EMPTY };
    assert_eq!(book(storage, key(1), 2, paid("a", 100)).await, duplicate);
    let refund = Books { refunded: Some("a".into()), ..Books::default() };
    assert_eq!(book(storage, key(1), 3, refund).await, duplicate);
}

async fn payments_are_listed_newest_first(store: Store) {
    let storage = &store.storage;
    for (update, charge) in (1..).zip(["a", "c", "b"]) {
        book(storage, key(update), update, paid(charge, 1)).await;
    }
    let charges = async |limit| {
        let payments = storage.payments(key(1).bot, limit).await.unwrap();
        payments.into_iter().map(|recorded| recorded.payment.charge).collect::<Vec<_>>()
    };
    assert_eq!(charges(10).await, ["b", "c", "a"]);
    assert_eq!(charges(2).await, ["b", "c"]);
    assert_eq!(storage.payments(BotId(8), 10).await.unwrap(), []);
}
