//! The schema: brought to this program's version, and refused where it does not fit.

use super::store::Store;
use tapgate::storage::{Error, Migrated};

on_every_backend! {
    migrating_again_changes_nothing
    every_statement_prepares
    an_older_schema_is_refused_and_the_command_is_named
    a_newer_schema_is_used_only_where_it_is_marked_readable
    a_store_answers_a_ping
}

/// The version of this program's schema.
const NEEDED: i64 = 3;

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
