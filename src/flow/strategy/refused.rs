//! Pure: no I/O, no clock. A user is not on a screen that they will never see: what is desired goes back to what is
//! shown, under the revision that has. Nothing is queued because of it.

use crate::flow::chat::{Chat, Desired, Revision, View};
use crate::flow::decision::Decision;
use crate::flow::definition::Flow;
use crate::telegram::answer::Answer;

pub(in crate::flow) fn decide(flow: &Flow, chat: &Chat, revision: Revision) -> Decision {
    let mut decision = Decision::take_back(chat, revision, View::start(flow));
    let refused = chat.desired.as_ref().map(|desired| &desired.view);
    let desired = decision.change.as_mut().and_then(|change| change.chat.desired.as_mut());
    if let Some(desired) = desired {
        desired.view.resume(refused);
    }
    decision
}

impl Decision {
    /// What a dialogue makes of [`Happened::Refused`](crate::flow::event::Happened::Refused): `revision` will never be
    /// seen. Where nothing was shown yet, `start` is what the chat is on.
    pub fn take_back(chat: &Chat, revision: Revision, start: View) -> Self {
        // What was desired since then is judged by its own job.
        if chat.desired.as_ref().is_none_or(|desired| desired.revision != revision) {
            return Self::default();
        }
        let desired = match &chat.shown {
            Some(shown) => Desired { view: shown.view.clone(), revision: shown.revision },
            None => Desired { view: start, revision: Revision::from(chat.version.next()) },
        };
        if chat.desired.as_ref() == Some(&desired) {
            return Self::default();
        }
        Self::keep(Chat { desired: Some(desired), ..chat.clone() }, Answer::EMPTY)
    }
}
