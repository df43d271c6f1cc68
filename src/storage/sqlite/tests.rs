//! What is SQLite's own; what both backends promise is in the conformance suite.

use super::super::{End, Fence, Lane, NewJob, Work};
use super::*;
use crate::flow::chat::{Chat, Desired, Frame, Shown, Version, View};
use crate::flow::decision::Place;
use crate::telegram::answer::Answer;
use crate::telegram::id::{BotId, ChatId, MessageId, UpdateId};
use crate::telegram::update::DeliveryQueue;
use std::os::unix::fs::PermissionsExt;

const LEASE: Duration = Duration::from_secs(15);

fn key(chat: i64) -> Key {
    Key { bot: BotId(7), chat: ChatId(chat) }
}

fn view() -> View {
    View { top: Frame { screen: "start".into(), ..Frame::default() }, stack: Vec::new() }
}

/// The `version`th commit of a chat, by the update of the same number.
fn commit(chat: i64, version: i64, jobs: Vec<NewJob>) -> Commit {
    let update = UpdateId(version);
    let mut fence = Fence::default();
    for past in 1..=version {
        fence = fence.with(UpdateId(past), DeliveryQueue::Messages, &Answer::from_body(&format!("{{\"n\":{past}}}")));
    }
    Commit {
        key: key(chat),
        chat: Chat {
            version: Version(version),
            locale: Some("en".into()),
            desired: Some(Desired { view: view(), revision: Version(version).into() }),
            vars: [("name".to_owned(), "Zoë 'x'".to_owned())].into(),
            balance: 3,
            ..Chat::default()
        },
        fence,
        update: Some(update),
        jobs,
        books: Default::default(),
        at: Timestamp::from_unix_millis(1_700_000_000_000 + version),
    }
}

async fn opened(folder: &tempfile::TempDir) -> Sqlite {
    let sqlite = Sqlite::open(&folder.path().join("tapgate.db")).await.unwrap();
    sqlite.migrate().await.unwrap();
    sqlite.check().await.unwrap();
    sqlite
}

async fn loaded(sqlite: &Sqlite, keys: &[Key]) -> Vec<Option<Stored>> {
    sqlite.load(keys).await.unwrap().into_iter().map(Result::unwrap).collect()
}

#[tokio::test]
async fn the_file_and_those_beside_it_are_their_owners_alone() {
    let folder = tempfile::tempdir().unwrap();
    let _sqlite = opened(&folder).await;
    let mut names: Vec<String> = Vec::new();
    for entry in std::fs::read_dir(folder.path()).unwrap() {
        let entry = entry.unwrap();
        assert_eq!(entry.metadata().unwrap().permissions().mode() & 0o777, 0o600, "{:?}", entry.file_name());
        names.push(entry.file_name().into_string().unwrap());
    }
    names.sort();
    assert_eq!(names, ["tapgate.db", "tapgate.db-shm", "tapgate.db-wal"]);
}

#[tokio::test]
async fn every_write_is_synchronous() {
    let folder = tempfile::tempdir().unwrap();
    let sqlite = opened(&folder).await;
    let read = |name: &'static str| {
        sqlite.writer.write(move |connection| {
            connection.pragma_query_value(None, name, |row| row.get::<_, rusqlite::types::Value>(0)).map_err(failed)
        })
    };
    assert_eq!(read("synchronous").await.unwrap(), SYNCHRONOUS_FULL.into());
    assert_eq!(read("journal_mode").await.unwrap(), "wal".to_owned().into());

    let connection = file::writer(&folder.path().join("tapgate.db")).unwrap();
    check_settings(&connection).unwrap();
    connection.pragma_update(None, "synchronous", "NORMAL").unwrap();
    assert!(matches!(check_settings(&connection), Err(Error::Setting(_))));
}

#[tokio::test]
async fn a_missing_folder_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let error = Sqlite::open(&folder.path().join("absent/tapgate.db")).await.unwrap_err();
    assert!(
        matches!(&error, Error::Setting(text) if text.contains("absent of the database file does not exist")),
        "{error}"
    );
}

#[tokio::test]
async fn an_empty_file_has_no_schema_and_a_newer_one_is_accepted_where_it_is_marked_readable() {
    let folder = tempfile::tempdir().unwrap();
    let sqlite = Sqlite::open(&folder.path().join("tap gate?%41.db")).await.unwrap();
    let ours = needed_version();
    assert!(matches!(sqlite.check().await, Err(Error::Schema { found: 0, needed }) if needed == ours));
    assert_eq!(sqlite.migrate().await.unwrap(), Migrated { from: 0, to: ours });
    assert_eq!(sqlite.migrate().await.unwrap(), Migrated { from: ours, to: ours });

    let newer = "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) VALUES (9, 'later', TRUE, x'', 0)";
    sqlite.writer.write(move |connection| connection.execute_batch(newer).map_err(failed)).await.unwrap();
    sqlite.check().await.unwrap();
    assert_eq!(sqlite.migrate().await.unwrap(), Migrated { from: 9, to: 9 });

    let unreadable = "UPDATE schema_readable SET since = 9";
    sqlite.writer.write(move |connection| connection.execute_batch(unreadable).map_err(failed)).await.unwrap();
    assert!(matches!(sqlite.check().await, Err(Error::Schema { found: 9, needed }) if needed == ours));
}

#[tokio::test(flavor = "multi_thread")]
async fn processes_that_open_and_migrate_a_new_file_at_once_all_succeed() {
    for _ in 0..5 {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tapgate.db");
        let open = || async {
            let sqlite = Sqlite::open(&path).await?;
            sqlite.migrate().await?;
            sqlite.check().await
        };
        let all = futures::future::join_all((0..4).map(|_| open())).await;
        assert!(all.iter().all(Result::is_ok), "{all:?}");
    }
}

#[tokio::test]
async fn a_chat_comes_back_as_it_was_written_and_its_version_is_compared() {
    let folder = tempfile::tempdir().unwrap();
    let sqlite = opened(&folder).await;
    assert_eq!(loaded(&sqlite, &[key(1)]).await, [None]);

    let first = commit(1, 1, vec![]);
    assert_eq!(sqlite.commit(&first).await.unwrap(), Outcome::Applied);
    let stored = loaded(&sqlite, &[key(2), key(1)]).await;
    let [None, Some(stored)] = stored.as_slice() else { panic!("{stored:?}") };
    assert_eq!((&stored.chat, &stored.fence), (&first.chat, &first.fence));

    let answer = Answer::from_body("{\"n\":1}");
    assert_eq!(sqlite.commit(&first).await.unwrap(), Outcome::Duplicate { answer });
    assert_eq!(sqlite.commit(&commit(1, 3, vec![])).await.unwrap(), Outcome::Stale);
    assert_eq!(sqlite.commit(&commit(2, 2, vec![])).await.unwrap(), Outcome::Stale, "a row that is gone");
    assert_eq!(sqlite.commit(&commit(1, 2, vec![])).await.unwrap(), Outcome::Applied);
}

#[tokio::test]
async fn a_batch_is_written_together_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let sqlite = opened(&folder).await;
    let mut wire = sqlite.wire();
    let task = |payload: &str| vec![NewJob::Task { lane: Lane::Default, payload: payload.into() }];
    assert_eq!(wire.commit(&[commit(1, 1, task("a"))]).await.unwrap(), [Outcome::Applied]);
    let refuse =
        "CREATE TRIGGER refuse BEFORE INSERT ON jobs WHEN NEW.payload = 'c' BEGIN SELECT RAISE(ABORT, 'no'); END";
    sqlite.writer.write(move |connection| connection.execute_batch(refuse).map_err(failed)).await.unwrap();
    let batch = [commit(3, 1, task("b")), commit(1, 2, task("c"))];
    assert!(matches!(wire.commit(&batch).await, Err(Error::Data(_))));
    assert_eq!(loaded(&sqlite, &[key(3)]).await, [None]);
    assert_eq!(loaded(&sqlite, &[key(1)]).await[0].as_ref().unwrap().chat.version, Version(1));
    assert_eq!(wire.commit(&batch[..1]).await.unwrap(), [Outcome::Applied]);
}

#[tokio::test]
async fn a_file_locked_by_another_process_makes_every_member_busy_and_readers_do_not_notice() {
    let folder = tempfile::tempdir().unwrap();
    let sqlite = opened(&folder).await;
    let other = Connection::open(folder.path().join("tapgate.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let batch = [commit(1, 1, vec![]), commit(2, 1, vec![])];
    assert_eq!(sqlite.wire().commit(&batch).await.unwrap(), [Outcome::Busy, Outcome::Busy]);
    assert_eq!(loaded(&sqlite, &[key(1)]).await, [None]);
    other.execute_batch("ROLLBACK").unwrap();
    assert_eq!(sqlite.wire().commit(&batch).await.unwrap(), [Outcome::Applied, Outcome::Applied]);
}

#[tokio::test(flavor = "multi_thread")]
async fn two_processes_cross_and_lose_nothing() {
    const CHATS: i64 = 20;
    const TIMES: i64 = 30;
    let folder = tempfile::tempdir().unwrap();
    let _first = opened(&folder).await;
    let path = folder.path().join("tapgate.db");
    let process = |number: i64| {
        let path = path.clone();
        async move {
            let sqlite = Sqlite::open(&path).await.unwrap();
            let mut wire = sqlite.wire();
            for time in 0..TIMES {
                let mut left: Vec<i64> = (0..CHATS).collect();
                while !left.is_empty() {
                    let keys: Vec<Key> = left.iter().map(|chat| key(*chat)).collect();
                    let mut batch = Vec::new();
                    for (key, stored) in keys.iter().zip(wire.load(&keys).await.unwrap()) {
                        let (chat, fence) =
                            stored.unwrap().map(|stored| (stored.chat, stored.fence)).unwrap_or_default();
                        let update = UpdateId(number * TIMES + time);
                        let fence = fence.with(update, DeliveryQueue::Messages, &Answer::EMPTY);
                        let chat = Chat { version: chat.version.next(), balance: chat.balance + 1, ..chat };
                        let at = Timestamp::default();
                        batch.push(Commit {
                            key: *key,
                            chat,
                            fence,
                            update: Some(update),
                            jobs: vec![],
                            books: Default::default(),
                            at,
                        });
                    }
                    let outcomes = wire.commit(&batch).await.unwrap();
                    left = left
                        .into_iter()
                        .zip(outcomes)
                        .filter(|(_, end)| *end != Outcome::Applied)
                        .map(|(chat, _)| chat)
                        .collect();
                }
            }
        }
    };
    futures::future::join(process(1), process(2)).await;
    let keys: Vec<Key> = (0..CHATS).map(key).collect();
    for stored in loaded(&Sqlite::open(&path).await.unwrap(), &keys).await {
        assert_eq!(stored.unwrap().chat.balance, 2 * TIMES);
    }
}

#[tokio::test]
async fn a_screen_that_waits_is_replaced_and_one_that_is_leased_is_queued_anew_by_its_settle() {
    let folder = tempfile::tempdir().unwrap();
    let sqlite = opened(&folder).await;
    let screen = |place| vec![NewJob::Screen(place)];
    sqlite.commit(&commit(1, 1, screen(Place::New))).await.unwrap();
    sqlite.commit(&commit(1, 2, screen(Place::Shown))).await.unwrap();

    let leased = sqlite.lease_outbound(10, LEASE, &Allowed::default()).await.unwrap();
    assert_eq!(leased.len(), 1);
    assert_eq!((&leased[0].work, leased[0].serial, leased[0].attempts), (&Work::Screen(Place::New), Version(2), 1));
    assert!(sqlite.lease_outbound(10, LEASE, &Allowed::default()).await.unwrap().is_empty());

    sqlite.commit(&commit(1, 3, screen(Place::Message(MessageId(5))))).await.unwrap();
    assert!(sqlite.lease_outbound(10, LEASE, &Allowed::default()).await.unwrap().is_empty(), "its lease stands");

    let shown = Shown { view: view(), revision: Version(2).into(), message_id: MessageId(5) };
    let end = End::Done { shown: Some(shown.clone()) };
    let mut settlement = Settlement { serial: Version(2), ..Settlement::of(&leased[0], end) };
    assert_eq!(sqlite.settle(&settlement).await.unwrap(), Settled::Renewed);
    assert_eq!(sqlite.settle(&settlement).await.unwrap(), Settled::Lost, "its token is spent");
    let stored = loaded(&sqlite, &[key(1)]).await.remove(0).unwrap();
    assert_eq!((stored.chat.shown, stored.chat.version), (Some(shown), Version(3)));

    let leased = sqlite.lease_outbound(10, LEASE, &Allowed::default()).await.unwrap();
    assert_eq!((&leased[0].work, leased[0].serial), (&Work::Screen(Place::Message(MessageId(5))), Version(3)));
    assert_eq!(
        sqlite.renew(&[(leased[0].id, leased[0].token), (leased[0].id, settlement.token)], LEASE).await.unwrap(),
        [true, false]
    );
    settlement =
        Settlement { token: leased[0].token, serial: Version(3), end: End::Done { shown: None }, ..settlement };
    assert_eq!(sqlite.settle(&settlement).await.unwrap(), Settled::Ended);
    assert!(sqlite.depths().await.unwrap().is_empty());
}

#[tokio::test]
async fn a_panic_of_one_request_leaves_nothing_written_and_the_next_is_served() {
    let folder = tempfile::tempdir().unwrap();
    let sqlite = opened(&folder).await;
    let broken: Result<(), Error> = sqlite
        .writer
        .write(|connection| {
            connection.execute_batch("UPDATE schema_readable SET since = 5").map_err(failed)?;
            panic!("on purpose")
        })
        .await;
    assert!(matches!(broken, Err(Error::Unavailable(_))));
    sqlite.check().await.unwrap();
    assert_eq!(sqlite.commit(&commit(1, 1, vec![])).await.unwrap(), Outcome::Applied);
}

#[test]
fn every_statement_is_checked() {
    let sources = [
        include_str!("bots.rs"),
        include_str!("chats.rs"),
        include_str!("jobs.rs"),
        include_str!("lanes.rs"),
        include_str!("waiting.rs"),
        include_str!("books.rs"),
        include_str!("files.rs"),
        include_str!("dead.rs"),
        include_str!("listing.rs"),
        include_str!("erasure.rs"),
    ];
    let written: usize = sources.iter().map(|source| source.matches(": &str =").count()).sum();
    assert_eq!(written + 1, STATEMENTS.len(), "a statement is missing in STATEMENTS");
}

#[tokio::test]
async fn no_statement_of_the_lanes_reads_all_of_a_lane() {
    let folder = tempfile::tempdir().unwrap();
    let sqlite = opened(&folder).await;
    let statements = [
        lanes::NEXT_BOT,
        lanes::LEASE,
        lanes::LEFT_OVER,
        lanes::HELD,
        waiting::PROGRESS,
        waiting::REDRAW,
        waiting::JOB,
        waiting::OLDER,
        waiting::AT_MOST,
        waiting::TELL,
        waiting::FIRST,
        waiting::TAKEN,
        lanes::IS_DUE,
    ];
    for statement in statements {
        let explain = move |connection: &Connection| {
            let mut statement = connection.prepare(&format!("EXPLAIN QUERY PLAN {statement}")).map_err(failed)?;
            let steps = statement.raw_query().mapped(|row| row.get(3)).collect::<Result<Vec<String>, _>>();
            steps.map_err(failed)
        };
        let steps = sqlite.reader.read(explain).await.unwrap();
        let reads_all = |step: &String| step.starts_with("SCAN jobs") || step.contains("TEMP B-TREE");
        assert!(!steps.iter().any(reads_all), "{statement}: {steps:#?}");
    }
}

#[tokio::test]
async fn a_schema_of_another_shape_is_told_from_ours() {
    let folder = tempfile::tempdir().unwrap();
    let sqlite = opened(&folder).await;
    let change = "ALTER TABLE jobs RENAME COLUMN place TO position_on_screen";
    sqlite.writer.write(move |connection| connection.execute_batch(change).map_err(failed)).await.unwrap();
    assert!(matches!(sqlite.check().await, Err(Error::Setting(_))));
}

#[tokio::test]
async fn a_job_that_does_not_decode_holds_up_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let sqlite = opened(&folder).await;
    for chat in [1, 2] {
        sqlite.commit(&commit(chat, 1, vec![NewJob::Screen(Place::New)])).await.unwrap();
    }
    let spoil = "UPDATE jobs SET place = 'nowhere' WHERE chat_id = 1";
    sqlite.writer.write(move |connection| connection.execute_batch(spoil).map_err(failed)).await.unwrap();
    let leased = sqlite.lease_outbound(10, LEASE, &Allowed::default()).await.unwrap();
    assert_eq!(leased.iter().map(|job| job.key).collect::<Vec<_>>(), [key(2)]);
    assert!(sqlite.lease_outbound(10, LEASE, &Allowed::default()).await.unwrap().is_empty());
}

/// Runs `writes` in one transaction: they queue while another one is held up.
async fn in_one_group<F>(sqlite: &Sqlite, writes: Vec<F>) -> Vec<Result<(), Error>>
where
    F: FnOnce(&Connection) -> Result<(), Error> + Send + 'static,
{
    let (go, gate) = std::sync::mpsc::channel::<()>();
    let (entered, inside) = tokio::sync::oneshot::channel();
    let hold = sqlite.writer.write(move |_| {
        entered.send(()).unwrap();
        gate.recv().unwrap();
        Ok(())
    });
    let mut hold = Box::pin(hold);
    assert!(futures::poll!(&mut hold).is_pending());
    inside.await.unwrap();
    let mut all = futures::future::join_all(writes.into_iter().map(|write| sqlite.writer.write(write)));
    assert!(futures::poll!(&mut all).is_pending(), "polled once, all are in the queue");
    go.send(()).unwrap();
    hold.await.unwrap();
    all.await
}

#[tokio::test]
async fn a_request_that_fails_takes_none_of_its_group_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let sqlite = opened(&folder).await;
    let add = |number: i64| {
        move |connection: &Connection| {
            let statement = "INSERT INTO chats (bot_id, chat_id, version, vars, balance, banned, blocked, fence, created_at, updated_at) \
                             VALUES (1, ?1, 1, '{}', 0, 0, 0, '{}', 0, 0)";
            connection.execute(statement, [number]).map_err(failed)?;
            match number {
                2 => Err(Error::unavailable("on purpose")),
                3 => panic!("on purpose"),
                _ => Ok(()),
            }
        }
    };
    let ends = in_one_group(&sqlite, (1..=4).map(add).collect()).await;
    assert_eq!(ends.iter().map(Result::is_ok).collect::<Vec<_>>(), [true, false, false, true]);
    let there = "SELECT group_concat(chat_id) FROM (SELECT chat_id FROM chats ORDER BY 1)";
    let there = sqlite.reader.read(move |c| c.query_row(there, [], |row| row.get::<_, String>(0)).map_err(failed));
    assert_eq!(there.await.unwrap(), "1,4");
}

#[tokio::test]
async fn a_transaction_that_is_lost_is_lost_for_all_of_its_group_and_the_next_one_is_served() {
    let folder = tempfile::tempdir().unwrap();
    let sqlite = opened(&folder).await;
    let write = |number: i64| {
        move |connection: &Connection| {
            connection.execute("UPDATE schema_readable SET since = 8", []).map_err(failed)?;
            // As SQLite itself does where the disk is full.
            if number == 2 { connection.execute_batch("ROLLBACK").map_err(failed) } else { Ok(()) }
        }
    };
    let ends = in_one_group(&sqlite, (1..=3).map(write).collect()).await;
    assert!(ends.iter().all(|end| matches!(end, Err(Error::Unavailable(_)))), "{ends:?}");
    sqlite.check().await.unwrap();
    assert_eq!(sqlite.reader.read(readable_since).await.unwrap(), 3);
    assert_eq!(sqlite.commit(&commit(1, 1, vec![])).await.unwrap(), Outcome::Applied);
}
