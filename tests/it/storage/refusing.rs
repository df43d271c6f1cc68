//! A ended as an event, whatever the dialogue makes of it: the job is never lost on the way.

use super::store::Store;
use super::words::*;
use tapgate::clock::Timestamp;
use tapgate::ending::{self, Ended};
use tapgate::flow::Dialogue;
use tapgate::flow::chat::{Chat, Revision, Version, Waiting};
use tapgate::flow::decision::{Change, Decision, Place};
use tapgate::flow::definition::Rendered;
use tapgate::flow::event::{Event, Happened};
use tapgate::storage::{LeasedJob, NewJob, Reach};

on_every_backend! {
    what_is_desired_goes_back_with_its_job
    a_dialogue_that_panics_leaves_chat_and_job_as_they_are
    a_chat_that_changes_under_each_decision_is_not_given_up
}

/// Answers a ended with what its function makes of it.
#[derive(Debug)]
struct Answering(fn(&Chat, Revision) -> Decision);

impl Dialogue for Answering {
    fn decide(&self, chat: &Chat, event: &Event<'_>, _: Timestamp) -> Decision {
        match event.happened {
            Happened::Refused { revision } => self.0(chat, revision),
            _ => panic!("nothing else happens here"),
        }
    }

    fn render(&self, _: &Chat, _: &Waiting) -> Rendered {
        panic!("nothing is shown here")
    }

    fn error_text(&self, _: Option<&str>) -> String {
        String::new()
    }
}

async fn refused(store: &Store, answer: fn(&Chat, Revision) -> Decision) -> (Ended, LeasedJob) {
    apply(&store.storage, key(1), 1, vec![NewJob::Screen(Place::New)]).await;
    let job = lease_one(&store.storage).await;
    let ended = ending::end(
        &store.storage,
        &Answering(answer),
        &job,
        Happened::Refused { revision: Revision(1) },
        Reach::Reachable,
    )
    .await
    .unwrap();
    (ended, job)
}

async fn what_is_desired_goes_back_with_its_job(store: Store) {
    let (ended, _) = refused(&store, |chat, revision| Decision::take_back(chat, revision, view("start"))).await;
    assert_eq!(ended, Ended::Applied);
    let chat = loaded(&store.storage, key(1)).await.unwrap().chat;
    let desired = chat.desired.unwrap();
    assert_eq!((desired.view, desired.revision, chat.version), (view("start"), Revision(2), Version(2)));
    assert_eq!(store.number("SELECT count(*) FROM jobs").await, 0);
}

async fn a_dialogue_that_panics_leaves_chat_and_job_as_they_are(store: Store) {
    let (ended, job) = refused(&store, |_, _| panic!("on purpose")).await;
    assert_eq!(ended, Ended::Panicked);
    assert_eq!(loaded(&store.storage, key(1)).await.unwrap().chat.version, Version(1));
    assert_eq!(store.storage.renew(&[(job.id, job.token)], LEASE).await.unwrap(), [true], "it is still held");
}

async fn a_chat_that_changes_under_each_decision_is_not_given_up(store: Store) {
    // As if somebody had committed in between each time: the change is for another version than there is.
    let late = |chat: &Chat, _| Decision {
        change: Some(Change::of(Chat { version: Version(chat.version.0 + 9), ..chat.clone() })),
        ..Decision::default()
    };
    let (ended, job) = refused(&store, late).await;
    assert_eq!(ended, Ended::Contended);
    assert_eq!(store.storage.renew(&[(job.id, job.token)], LEASE).await.unwrap(), [true], "it is still held");
}
