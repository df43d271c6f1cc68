//! What only an embedded file has: several processes of one machine that write to it, and their sudden ends.
//! The other processes are this test binary, started again to run [`as_another_process`] alone.

use super::words::{loaded, loaded_all};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use tapgate::clock::Timestamp;
use tapgate::flow::chat::Chat;
use tapgate::flow::decision::Place;
use tapgate::storage::{Allowed, Commit, Failure, Key, Lane, NewJob, Outcome, Storage, StorageUrl};
use tapgate::telegram::answer::Answer;
use tapgate::telegram::id::{BotId, ChatId, UpdateId};
use tapgate::telegram::update::DeliveryQueue;

/// Tells the process that it is one of the others: the file, and which updates it applies.
const FILE: &str = "TAPGATE_TEST_SQLITE_FILE";
const UPDATES: &str = "TAPGATE_TEST_SQLITE_UPDATES";

const CHATS: i64 = 5;

fn key(chat: i64) -> Key {
    Key { bot: BotId(1), chat: ChatId(chat) }
}

async fn open(path: &Path) -> Storage {
    let storage = Storage::open(&StorageUrl::Sqlite(path.to_owned())).await.unwrap();
    storage.migrate().await.unwrap();
    storage.check().await.unwrap();
    storage
}

/// Applies an update to a chat as the server would: loaded, decided, committed, again while it is stale.
async fn apply(storage: &Storage, key: Key, update: UpdateId) {
    loop {
        let stored = loaded(storage, key).await;
        let (chat, fence) = stored.map(|stored| (stored.chat, stored.fence)).unwrap_or_default();
        let commit = Commit {
            key,
            chat: Chat { version: chat.version.next(), balance: chat.balance + 1, ..chat },
            fence: fence.with(update, DeliveryQueue::Messages, &Answer::EMPTY),
            update: Some(update),
            jobs: vec![NewJob::Screen(Place::New)],
            books: Default::default(),
            at: Timestamp::default(),
        };
        match storage.commit(&commit).await.unwrap() {
            Outcome::Applied => return,
            Outcome::Stale | Outcome::Busy => {}
            Outcome::Duplicate { .. } => panic!("{update} was applied before"),
        }
    }
}

/// No test of its own: what the other processes run. It says each update that is applied to all chats on stdout.
#[tokio::test]
async fn as_another_process() {
    let Some(path) = std::env::var_os(FILE).map(PathBuf::from) else { return };
    let updates = std::env::var(UPDATES).unwrap();
    let (first, last) = updates.split_once('-').unwrap();
    let storage = open(&path).await;
    for update in first.parse().unwrap()..=last.parse().unwrap() {
        for chat in 0..CHATS {
            apply(&storage, key(chat), UpdateId(update)).await;
        }
        let mut stdout = std::io::stdout().lock();
        writeln!(stdout, "\napplied {update}").unwrap();
        stdout.flush().unwrap();
    }
}

fn another_process(path: &Path, updates: &str) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "storage::sqlite::as_another_process", "--nocapture"])
        .env(FILE, path)
        .env(UPDATES, updates)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// The updates that a process said it had applied, until it says no more.
fn applied(child: &mut Child) -> impl Iterator<Item = i64> {
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    lines.map_while(Result::ok).filter_map(|line| line.strip_prefix("applied ")?.parse().ok())
}

#[tokio::test]
async fn processes_that_write_to_one_file_at_once_lose_nothing() {
    const EACH: i64 = 40;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tapgate.db");
    let mut children: Vec<Child> = (0..3)
        .map(|process| another_process(&path, &format!("{}-{}", process * EACH + 1, (process + 1) * EACH)))
        .collect();
    for child in &mut children {
        assert_eq!(applied(child).count() as i64, EACH);
        assert!(child.wait().unwrap().success());
    }
    let keys: Vec<Key> = (0..CHATS).map(key).collect();
    for stored in loaded_all(&open(&path).await, &keys).await {
        let chat = stored.unwrap().chat;
        assert_eq!((chat.balance, chat.version.0), (3 * EACH, 3 * EACH));
    }
}

#[tokio::test]
async fn what_was_applied_outlives_a_process_that_is_killed_while_it_writes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tapgate.db");
    let mut last = 0;
    for _ in 0..5 {
        let mut child = another_process(&path, &format!("{}-1000000", last + 1));
        let id = nix::unistd::Pid::from_raw(child.id() as i32);
        let mut updates = applied(&mut child);
        assert_eq!(updates.nth(10), Some(last + 11));
        nix::sys::signal::kill(id, nix::sys::signal::Signal::SIGKILL).unwrap();
        let told = updates.last().unwrap_or(last + 11);
        child.wait().unwrap();

        let storage = open(&path).await;
        let keys: Vec<Key> = (0..CHATS).map(key).collect();
        last = told;
        for (key, stored) in keys.iter().zip(loaded_all(&storage, &keys).await) {
            let stored = stored.unwrap();
            assert!(stored.chat.balance == told || stored.chat.balance == told + 1, "{told}: {stored:?}");
            assert_eq!(stored.chat.version.0, stored.chat.balance);
            assert_eq!(stored.fence.ids().last(), Some(UpdateId(stored.chat.balance)));
            // The update that was under way ends now, for those chats that do not have it yet.
            if stored.chat.balance == told {
                apply(&storage, *key, UpdateId(told + 1)).await;
            }
        }
        last += 1;
        let jobs = storage.lease_outbound(100, Duration::ZERO, &Allowed::default()).await.unwrap();
        assert_eq!(jobs.iter().map(|job| job.serial.0).collect::<Vec<_>>(), [last; CHATS as usize]);
    }
}

/// The write-ahead log is written into the file first, as SQLite does by itself in time.
#[tokio::test]
async fn what_is_forgotten_is_not_left_in_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tapgate.db");
    let storage = open(&path).await;
    let words = ["an-older-word", "a-newer-word", "a-job-of-ann", "a-letter-of-ann"];
    for (version, word) in (1..).zip(&words[..2]) {
        let chat = Chat {
            version: tapgate::flow::chat::Version(version),
            vars: [("name".to_owned(), word.repeat(20))].into(),
            ..Chat::default()
        };
        let jobs = vec![NewJob::Task { lane: Lane::Text, payload: words[2].repeat(1000) }];
        let at = Timestamp::default();
        let commit =
            Commit { key: key(1), chat, fence: Default::default(), update: None, jobs, books: Default::default(), at };
        assert_eq!(storage.commit(&commit).await.unwrap(), Outcome::Applied);
    }
    let (bot, update, body) = (BotId(1), Some(UpdateId(5)), words[3].repeat(1000).into_bytes());
    storage.bury(&Failure { bot, update, reason: "panic", body, at: Timestamp::default() }).await.unwrap();
    let left = |folder: &tempfile::TempDir| -> Vec<&str> {
        let file = rusqlite::Connection::open(folder.path().join("tapgate.db")).unwrap();
        file.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
        let bytes = std::fs::read(&path).unwrap();
        let is_in = |word: &&str| bytes.windows(word.len()).any(|window| window == word.as_bytes());
        words.into_iter().filter(is_in).collect()
    };
    assert_eq!(left(&folder), words[1..], "the older version of a row is overwritten at once");

    storage.forget(key(1), &["5".to_owned()]).await.unwrap();

    assert_eq!(left(&folder), [""; 0]);
}
