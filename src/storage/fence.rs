//! Pure: no I/O, no clock. The memory, inside the chat's row, of the updates applied last, with their answers:
//! the judge of "already done".

use crate::telegram::answer::Answer;
use crate::telegram::id::UpdateId;
use crate::telegram::update::DeliveryQueue;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// How many ids a chat remembers, over all its delivery queues.
pub const REMEMBERED_IDS: usize = 16;

/// The last [`REMEMBERED_IDS`] ids of a chat, and the last id with its answer of each delivery queue.
///
/// Ids may go down (a week without updates), so there is no high-water mark.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fence {
    #[serde(default, rename = "i")]
    ids: VecDeque<UpdateId>,
    #[serde(default, rename = "q")]
    last: Vec<(DeliveryQueue, UpdateId, Box<str>)>,
}

impl Fence {
    /// The answer of `update` if it was applied; the empty one if its answer is no longer kept.
    pub fn recall(&self, update: UpdateId) -> Option<Answer> {
        let with_answer = self.last.iter().find(|(_, id, _)| *id == update).map(|(_, _, body)| Answer::from_body(body));
        with_answer.or_else(|| self.ids.contains(&update).then_some(Answer::EMPTY))
    }

    /// The fence after `update` of `queue` was applied and answered with `answer`.
    #[must_use]
    pub fn with(&self, update: UpdateId, queue: DeliveryQueue, answer: &Answer) -> Self {
        let mut fence = self.clone();
        if fence.ids.len() >= REMEMBERED_IDS {
            fence.ids.pop_front();
        }
        fence.ids.push_back(update);
        fence.last.retain(|(known, _, _)| *known != queue);
        fence.last.push((queue, update, answer.body().into()));
        fence
    }

    /// The ids it remembers, the oldest first.
    pub fn ids(&self) -> impl Iterator<Item = UpdateId> {
        self.ids.iter().copied()
    }
}
