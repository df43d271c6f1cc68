//! Files of workers: kept until they are sent, or for so long.

use super::store::Store;
use tapgate::clock::Timestamp;
use tapgate::telegram::id::BotId;

on_every_backend! {
    a_file_is_kept_as_it_came_until_it_is_dropped
    old_files_are_swept_so_many_at_once
}

const BOT: BotId = BotId(7);

fn at(millis: i64) -> Timestamp {
    Timestamp::from_unix_millis(1_700_000_000_000 + millis)
}

async fn a_file_is_kept_as_it_came_until_it_is_dropped(store: Store) {
    let storage = &store.storage;
    let photo: Vec<u8> = (0..=255).cycle().take(300_000).collect();
    storage.keep_file(BOT, "photo", &photo, at(0)).await.unwrap();
    storage.keep_file(BotId(8), "photo", b"of another bot", at(0)).await.unwrap();
    assert_eq!(storage.file(BOT, "photo").await.unwrap(), Some(photo));
    assert_eq!(storage.file(BOT, "other").await.unwrap(), None);
    storage.keep_file(BOT, "photo", b"", at(1)).await.unwrap();
    assert_eq!(storage.file(BOT, "photo").await.unwrap().as_deref(), Some(&b""[..]), "one of that id is replaced");
    assert!(storage.has_file(BOT, "photo").await.unwrap());
    assert!(storage.drop_file(BOT, "photo").await.unwrap());
    assert!(!storage.has_file(BOT, "photo").await.unwrap());
    assert!(!storage.drop_file(BOT, "photo").await.unwrap());
    assert_eq!(storage.file(BOT, "photo").await.unwrap(), None);
    assert!(storage.file(BotId(8), "photo").await.unwrap().is_some());
}

async fn old_files_are_swept_so_many_at_once(store: Store) {
    let storage = &store.storage;
    for millis in 1..=5 {
        storage.keep_file(BOT, &millis.to_string(), b"x", at(millis)).await.unwrap();
    }
    assert_eq!(storage.sweep_files(at(5), 3).await.unwrap(), 3);
    assert_eq!(storage.file(BOT, "3").await.unwrap(), None, "the oldest go first");
    assert_eq!(storage.sweep_files(at(5), 3).await.unwrap(), 1);
    assert_eq!(storage.sweep_files(at(5), 3).await.unwrap(), 0, "what is not older stays");
    assert!(storage.file(BOT, "5").await.unwrap().is_some());
}
