//! Bots: added, changed, listed.

use super::store::Store;
use tapgate::bot::Bot;
use tapgate::clock::Timestamp;
use tapgate::secret::Secret;
use tapgate::storage::{Added, Updated};
use tapgate::telegram::id::BotId;

on_every_backend! {
    a_bot_comes_back_as_it_was_added_and_as_it_was_changed
    a_name_or_an_id_that_is_taken_is_told_apart
}

fn bot(id: i64, name: &str) -> Bot {
    Bot {
        id: BotId(id),
        name: name.into(),
        username: None,
        token: Secret::new(format!("{id}:token")),
        secret: Secret::new("secret"),
        previous_secret: None,
        max_connections: 40,
        base_url: None,
        flow: "companion".into(),
        paused: false,
    }
}

const AT: Timestamp = Timestamp::from_unix_millis(1_700_000_000_123);

async fn a_bot_comes_back_as_it_was_added_and_as_it_was_changed(store: Store) {
    let storage = &store.storage;
    assert_eq!(storage.bots().await.unwrap(), []);
    let (first, second) = (bot(2, "shop"), bot(1, "companion"));
    assert_eq!(storage.add_bot(&first, AT).await.unwrap(), Added::Added);
    assert_eq!(storage.add_bot(&second, AT).await.unwrap(), Added::Added);
    assert_eq!(storage.bots().await.unwrap(), [second.clone(), first]);

    let changed = Bot {
        username: Some("companion_bot".into()),
        previous_secret: Some((Secret::new("old"), Timestamp::from_unix_millis(1_700_000_000_789))),
        max_connections: 100,
        base_url: Some("https://bots.example.org".into()),
        paused: true,
        ..second
    };
    assert_eq!(storage.update_bot(&changed, AT).await.unwrap(), Updated::Updated);
    assert_eq!(storage.bots().await.unwrap()[0], changed);
    assert_eq!(storage.update_bot(&bot(3, "gone"), AT).await.unwrap(), Updated::Gone);
    let renamed = Bot { name: "shop".into(), ..changed.clone() };
    assert_eq!(storage.update_bot(&renamed, AT).await.unwrap(), Updated::NameTaken);
    assert_eq!(storage.bots().await.unwrap()[0], changed);
}

async fn a_name_or_an_id_that_is_taken_is_told_apart(store: Store) {
    let storage = &store.storage;
    storage.add_bot(&bot(1, "shop"), AT).await.unwrap();
    assert_eq!(storage.add_bot(&bot(1, "other"), AT).await.unwrap(), Added::IdTaken);
    assert_eq!(storage.add_bot(&bot(2, "shop"), AT).await.unwrap(), Added::NameTaken);
    assert_eq!(storage.bots().await.unwrap(), [bot(1, "shop")]);
}
