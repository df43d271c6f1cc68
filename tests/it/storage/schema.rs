//! The schema: brought to this program's version, and refused where it does not fit.

use super::store::Store;
use super::words::*;
use tapgate::flow::books::EntryKind;
use tapgate::storage::{Error, Migrated, Outcome};

on_every_backend! {
    migrating_again_changes_nothing
    every_statement_prepares
    an_older_schema_is_refused_and_the_command_is_named
    a_newer_schema_is_used_only_where_it_is_marked_readable
    a_store_answers_a_ping
    the_ledger_begins_with_the_balances_that_there_are
}

/// The version of this program's schema.
const NEEDED: i64 = 4;

async fn migrating_again_changes_nothing(store: Store) {
    let again = store.storage.migrate().await.unwrap();
    assert_eq!(again, Migrated { from: NEEDED, to: NEEDED });
}

async fn every_statement_prepares(store: Store) {
    store.storage.check().await.unwrap();
    store.execute("ALTER TABLE jobs RENAME COLUMN position TO place_in_line").await;
    let error = store.of_another_process().await.check().await.unwrap_err();
    assert!(matches!(&error, Error::Setting(text) if text.contains("position")), "{error:?}");
}

async fn an_older_schema_is_refused_and_the_command_is_named(store: Store) {
    store.execute("DELETE FROM _sqlx_migrations").await;
    let error = store.storage.check().await.unwrap_err();
    assert!(matches!(error, Error::Schema { found: 0, needed: NEEDED }), "{error:?}");
    assert!(error.to_string().contains("botctl migrate"));
    store.execute("DROP TABLE _sqlx_migrations").await;
    assert!(matches!(store.storage.check().await, Err(Error::Schema { found: 0, needed: NEEDED })));
}

async fn a_newer_schema_is_used_only_where_it_is_marked_readable(store: Store) {
    const NEWER: i64 = NEEDED + 2;
    store.execute(&format!("UPDATE _sqlx_migrations SET version = {NEWER} WHERE version = {NEEDED}")).await;
    store.storage.check().await.unwrap();
    assert_eq!(store.storage.migrate().await.unwrap(), Migrated { from: NEWER, to: NEWER });

    store.execute(&format!("UPDATE schema_readable SET since = {}", NEEDED + 1)).await;
    let error = store.storage.check().await.unwrap_err();
    assert!(matches!(error, Error::Schema { found: NEWER, needed: NEEDED }), "{error:?}");
    assert!(!error.to_string().contains("botctl migrate"), "migrating would not help: {error}");
}

async fn a_store_answers_a_ping(store: Store) {
    store.storage.ping().await.unwrap();
}

/// What the third migration made, and those after it, undone.
const WITHOUT_LANES: [&str; 12] = [
    "DROP TABLE ledger",
    "DROP TABLE payments",
    "DROP TABLE turns",
    "DROP TABLE files",
    "DROP INDEX jobs_work",
    "ALTER TABLE jobs DROP COLUMN told",
    "ALTER TABLE jobs DROP COLUMN progress",
    "ALTER TABLE jobs DROP COLUMN stale",
    "ALTER TABLE chats DROP COLUMN premium_until",
    "ALTER TABLE chats DROP COLUMN paid",
    "UPDATE schema_readable SET since = 1",
    "DELETE FROM _sqlx_migrations WHERE version > 2",
];

async fn the_ledger_begins_with_the_balances_that_there_are(store: Store) {
    for (chat, balance) in [(1, 5), (2, 0), (3, -2)] {
        let mut commit = commit_on(None, key(chat), 1);
        commit.chat.balance = balance;
        assert_eq!(store.storage.commit(&commit).await.unwrap(), Outcome::Applied);
    }
    for statement in WITHOUT_LANES {
        store.execute(statement).await;
    }
    let storage = store.of_another_process().await;
    assert!(matches!(storage.check().await, Err(Error::Schema { found: 2, needed: NEEDED })));
    assert_eq!(storage.migrate().await.unwrap(), Migrated { from: 2, to: NEEDED });
    storage.check().await.unwrap();
    for (chat, balance, lines) in [(1, 5, 1), (2, 0, 0), (3, -2, 1)] {
        let ledger = storage.ledger(key(chat), 10).await.unwrap();
        assert!(ledger.iter().all(|line| line.entry.kind == EntryKind::Opening), "{ledger:?}");
        assert_eq!((storage.ledger_sum(key(chat)).await.unwrap(), ledger.len()), (balance, lines), "chat {chat}");
        let stored = loaded(&storage, key(chat)).await.unwrap();
        assert_eq!((stored.chat.paid, stored.chat.premium_until), (false, None));
    }
}
