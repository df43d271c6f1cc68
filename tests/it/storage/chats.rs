//! Chats: loaded, and committed under compare-and-set with the fence as the judge of "already done".

use super::store::Store;
use super::words::*;
use tapgate::flow::decision::Place;
use tapgate::storage::{Commit, End, Error, NewJob, Outcome, TASKS_MAX};
use tapgate::telegram::answer::Answer;
use tapgate::telegram::id::BotId;

on_every_backend! {
    a_chat_never_stored_is_absent
    loads_answer_in_the_order_of_their_keys
    a_chat_comes_back_as_it_was_committed
    an_update_applied_before_gets_its_answer_byte_for_byte
    an_old_update_whose_answer_is_no_longer_kept_gets_the_empty_one
    a_commit_on_another_version_is_stale_and_writes_nothing
    a_commit_on_a_row_that_is_gone_is_stale
    a_new_chat_that_is_there_already_is_stale
    an_operators_commit_is_judged_by_the_version_alone
    a_commit_never_touches_the_senders_columns
    a_refused_commit_leaves_the_chat_byte_for_byte_as_it_was
    a_row_that_does_not_decode_is_named_without_its_value
}

async fn a_chat_never_stored_is_absent(store: Store) {
    assert_eq!(loaded(&store.storage, key(1)).await, None);
    assert_eq!(loaded_all(&store.storage, &[]).await, []);
}

async fn loads_answer_in_the_order_of_their_keys(store: Store) {
    for chat in [1, 3] {
        apply(&store.storage, key(chat), chat, vec![]).await;
    }
    let mut of_another_bot = key(1);
    of_another_bot.bot = BotId(8);
    let found = loaded_all(&store.storage, &[key(3), key(2), key(1), of_another_bot, key(3)]).await;
    let updates: Vec<_> = found.into_iter().map(|stored| stored.map(|stored| stored.chat.balance)).collect();
    assert_eq!(updates, [Some(3), None, Some(1), None, Some(3)]);
}

async fn a_chat_comes_back_as_it_was_committed(store: Store) {
    for update in 1..=3 {
        let mut commit = commit_on(loaded(&store.storage, key(1)).await.as_ref(), key(1), update);
        commit.chat.busy = (update == 2).then(Default::default);
        commit.chat.banned = update == 2;
        commit.chat.blocked = update == 3;
        commit.chat.vars.insert("quote".into(), "'\"\\ \u{1F600}\0".into());
        assert_eq!(store.storage.commit(&commit).await.unwrap(), Outcome::Applied);
        let stored = loaded(&store.storage, key(1)).await.unwrap();
        assert_eq!((stored.chat, stored.fence), (commit.chat, commit.fence));
    }
}

async fn an_update_applied_before_gets_its_answer_byte_for_byte(store: Store) {
    let first = apply(&store.storage, key(1), 10, vec![task("{}")]).await;
    apply(&store.storage, key(1), 11, vec![]).await;
    let before = (store.dump("chats").await, store.dump("jobs").await);
    for commit in [first, commit_on(loaded(&store.storage, key(1)).await.as_ref(), key(1), 11)] {
        let update = commit.update.unwrap();
        let stale = Commit {
            chat: tapgate::flow::chat::Chat { version: tapgate::flow::chat::Version(1), ..commit.chat },
            ..commit
        };
        let outcome = store.storage.commit(&stale).await.unwrap();
        let expected = if update.0 == 11 { answer(11) } else { Answer::EMPTY };
        assert_eq!(outcome, Outcome::Duplicate { answer: expected });
    }
    assert_eq!((store.dump("chats").await, store.dump("jobs").await), before);
}

async fn an_old_update_whose_answer_is_no_longer_kept_gets_the_empty_one(store: Store) {
    let first = apply(&store.storage, key(1), 1, vec![]).await;
    for update in 2..=16 {
        apply(&store.storage, key(1), update, vec![]).await;
    }
    assert_eq!(store.storage.commit(&first).await.unwrap(), Outcome::Duplicate { answer: Answer::EMPTY });
    apply(&store.storage, key(1), 17, vec![]).await;
    assert_eq!(store.storage.commit(&first).await.unwrap(), Outcome::Stale, "16 updates later it is forgotten");
}

async fn a_commit_on_another_version_is_stale_and_writes_nothing(store: Store) {
    apply(&store.storage, key(1), 1, vec![]).await;
    let seen = loaded(&store.storage, key(1)).await;
    apply(&store.storage, key(1), 2, vec![]).await;
    let before = (store.dump("chats").await, store.dump("jobs").await);
    let late = with_jobs(commit_on(seen.as_ref(), key(1), 3), vec![NewJob::Screen(Place::New), task("{}")]);
    assert_eq!(store.storage.commit(&late).await.unwrap(), Outcome::Stale);
    assert_eq!((store.dump("chats").await, store.dump("jobs").await), before);
}

async fn a_commit_on_a_row_that_is_gone_is_stale(store: Store) {
    apply(&store.storage, key(1), 1, vec![]).await;
    let seen = loaded(&store.storage, key(1)).await;
    store.execute("DELETE FROM chats").await;
    let late = with_jobs(commit_on(seen.as_ref(), key(1), 2), vec![task("{}")]);
    assert_eq!(store.storage.commit(&late).await.unwrap(), Outcome::Stale);
    assert_eq!(store.number("SELECT count(*) FROM jobs").await, 0);
}

async fn a_new_chat_that_is_there_already_is_stale(store: Store) {
    apply(&store.storage, key(1), 1, vec![]).await;
    let late = with_jobs(commit_on(None, key(1), 2), vec![task("{}")]);
    assert_eq!(store.storage.commit(&late).await.unwrap(), Outcome::Stale);
    assert_eq!(
        store.storage.commit(&commit_on(None, key(1), 1)).await.unwrap(),
        Outcome::Duplicate { answer: answer(1) }
    );
    assert_eq!(store.number("SELECT count(*) FROM jobs").await, 0);
}

async fn an_operators_commit_is_judged_by_the_version_alone(store: Store) {
    apply(&store.storage, key(1), 1, vec![]).await;
    let stored = loaded(&store.storage, key(1)).await.unwrap();
    let ban = |version| Commit { update: None, ..commit_on(Some(&version), key(1), 1) };
    let ban = ban(stored);
    assert_eq!(store.storage.commit(&ban).await.unwrap(), Outcome::Applied);
    assert_eq!(store.storage.commit(&ban).await.unwrap(), Outcome::Stale, "no fence knows an operator");
}

async fn a_commit_never_touches_the_senders_columns(store: Store) {
    apply(&store.storage, key(1), 1, vec![NewJob::Screen(Place::New)]).await;
    let job = lease_one(&store.storage).await;
    let end = End::Done { shown: Some(shown("menu", 1, 5)) };
    settle(&store.storage, &job, end).await;
    let mut commit = commit_on(loaded(&store.storage, key(1)).await.as_ref(), key(1), 2);
    commit.chat.shown = None;
    assert_eq!(store.storage.commit(&commit).await.unwrap(), Outcome::Applied);
    assert_eq!(loaded(&store.storage, key(1)).await.unwrap().chat.shown, Some(shown("menu", 1, 5)));
}

async fn a_refused_commit_leaves_the_chat_byte_for_byte_as_it_was(store: Store) {
    apply(&store.storage, key(1), 1, vec![task("{}")]).await;
    let seen = loaded(&store.storage, key(1)).await;
    let with_tasks = |tasks| with_jobs(commit_on(seen.as_ref(), key(1), 2), vec![task("{}"); tasks]);
    let before = (store.dump("chats").await, store.dump("jobs").await);
    assert!(matches!(store.storage.commit(&with_tasks(TASKS_MAX + 1)).await, Err(Error::Data(_))));
    assert_eq!((store.dump("chats").await, store.dump("jobs").await), before);
    assert_eq!(store.storage.commit(&with_tasks(TASKS_MAX)).await.unwrap(), Outcome::Applied);
}

async fn a_row_that_does_not_decode_is_named_without_its_value(store: Store) {
    apply(&store.storage, key(1), 1, vec![]).await;
    store.execute(r#"UPDATE chats SET desired = '{"screen":["of a user"]}'"#).await;
    apply(&store.storage, key(2), 2, vec![]).await;
    let [Err(error), Ok(Some(_))] = &store.storage.load(&[key(1), key(2)]).await.unwrap()[..] else {
        panic!("one that does not decode fails alone")
    };
    assert!(matches!(error, Error::Corrupt { table: "chats", column: "desired", .. }), "{error:?}");
    assert!(!format!("{error:?}").contains("of a user"), "{error:?}");
}
