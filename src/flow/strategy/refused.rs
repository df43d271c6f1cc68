//! Pure: no I/O, no clock. A user is not on a screen that they will never see: what is desired goes back to what is
//! shown, under the revision that has. Nothing is queued because of it.

use crate::flow::chat::{Chat, Desired, Revision, View};
use crate::flow::decision::{Change, Decision};
use crate::flow::definition::Flow;

pub(in crate::flow) fn decide(flow: &Flow, chat: &Chat, revision: Revision) -> Decision {
    // What was desired since then is judged by its own job.
    if chat.desired.as_ref().is_none_or(|desired| desired.revision != revision) {
        return Decision::default();
    }
    let version = chat.version.next();
    let desired = match &chat.shown {
        Some(shown) => Desired { view: shown.view.clone(), revision: shown.revision },
        None => Desired { view: View::start(flow), revision: Revision::from(version) },
    };
    if chat.desired.as_ref() == Some(&desired) {
        return Decision::default();
    }
    let chat = Chat { version, desired: Some(desired), ..chat.clone() };
    Decision { change: Some(Change { chat, jobs: Vec::new() }), ..Decision::default() }
}
