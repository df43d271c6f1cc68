//! Updates that fail: counted, and given up.

use super::store::Store;
use tapgate::clock::Timestamp;
use tapgate::storage::Failure;
use tapgate::telegram::id::{BotId, UpdateId};

on_every_backend! {
    failures_of_an_update_are_counted
    an_update_is_buried_once_and_its_body_is_kept
    a_body_without_an_id_is_named_by_its_digest
    failures_are_listed_the_last_first
    one_failure_is_read_with_its_body_and_dropped
}

fn failure(update: Option<i64>, body: &[u8], at: i64) -> Failure {
    Failure {
        bot: BotId(7),
        update: update.map(UpdateId),
        reason: "panic",
        body: body.to_vec(),
        at: Timestamp::from_unix_millis(1_700_000_000_000 + at),
    }
}

async fn failures_of_an_update_are_counted(store: Store) {
    for expected in 1..=3 {
        assert_eq!(store.storage.count_failure(&failure(Some(1), b"{}", expected.into())).await.unwrap(), expected);
    }
    assert_eq!(store.storage.count_failure(&failure(Some(2), b"{}", 9)).await.unwrap(), 1);
    let other_bot = Failure { bot: BotId(8), ..failure(Some(1), b"{}", 9) };
    assert_eq!(store.storage.count_failure(&other_bot).await.unwrap(), 1);
}

async fn an_update_is_buried_once_and_its_body_is_kept(store: Store) {
    store.storage.count_failure(&failure(Some(1), b"\0\xff not text", 1)).await.unwrap();
    assert_eq!(store.number("SELECT count(*) FROM dead_updates WHERE dead_at IS NOT NULL").await, 0);
    assert!(store.storage.bury(&failure(Some(1), b"\0\xff not text", 2)).await.unwrap());
    let buried = store.dump("dead_updates").await;
    assert!(!store.storage.bury(&failure(Some(1), b"\0\xff not text", 3)).await.unwrap());
    assert_eq!(store.dump("dead_updates").await, buried);
    assert_eq!(store.number("SELECT count(*) FROM dead_updates WHERE dead_at IS NOT NULL").await, 1);
    assert_eq!(store.number("SELECT count(*) FROM dead_updates WHERE length(body) = 11").await, 1);
}

async fn a_body_without_an_id_is_named_by_its_digest(store: Store) {
    for body in [b"not json".as_slice(), b"not json", b"neither"] {
        store.storage.bury(&failure(None, body, 1)).await.unwrap();
    }
    assert_eq!(store.number("SELECT count(*) FROM dead_updates").await, 2);
    assert_eq!(
        store.number("SELECT count(*) FROM dead_updates WHERE key LIKE 'sha256:%' AND update_id IS NULL").await,
        2
    );
}

async fn failures_are_listed_the_last_first(store: Store) {
    store.storage.count_failure(&failure(Some(1), b"{}", 1)).await.unwrap();
    store.storage.count_failure(&failure(Some(1), b"{}", 2)).await.unwrap();
    store.storage.bury(&failure(None, b"not json", 3)).await.unwrap();
    let listed = store.storage.failures(BotId(7), 10).await.unwrap();
    let seen: Vec<_> = listed
        .iter()
        .map(|it| (it.update, it.failures, it.dead_at.is_some(), it.last_at.unix_millis() - 1_700_000_000_000))
        .collect();
    assert_eq!(seen, [(None, 1, true, 3), (Some(UpdateId(1)), 2, false, 2)]);
    assert_eq!(listed[0].reason, "panic");
    assert_eq!((listed[1].key.as_str(), listed[1].first_at.unix_millis()), ("1", 1_700_000_000_001));
    assert_eq!(store.storage.failures(BotId(7), 1).await.unwrap().len(), 1);
    assert_eq!(store.storage.failures(BotId(8), 10).await.unwrap(), []);
}

async fn one_failure_is_read_with_its_body_and_dropped(store: Store) {
    let storage = &store.storage;
    storage.bury(&failure(None, b"\0\xff not text", 3)).await.unwrap();
    storage.bury(&failure(Some(1), b"{}", 4)).await.unwrap();
    for listed in storage.failures(BotId(7), 10).await.unwrap() {
        let letter = storage.letter(BotId(7), &listed.key).await.unwrap().unwrap();
        assert_eq!(letter.listed, listed);
        assert_eq!(letter.body, if listed.update.is_some() { b"{}".to_vec() } else { b"\0\xff not text".to_vec() });
        assert_eq!(storage.letter(BotId(8), &listed.key).await.unwrap(), None);
        assert!(!storage.drop_failure(BotId(8), &listed.key).await.unwrap());
        assert!(storage.drop_failure(BotId(7), &listed.key).await.unwrap());
        assert!(!storage.drop_failure(BotId(7), &listed.key).await.unwrap());
    }
    assert_eq!(storage.failures(BotId(7), 10).await.unwrap(), []);
}
