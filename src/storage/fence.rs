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

    /// The last update of each delivery queue, with its answer.
    pub fn answers(&self) -> impl Iterator<Item = (DeliveryQueue, UpdateId, &str)> {
        self.last.iter().map(|(queue, update, answer)| (*queue, *update, answer.as_ref()))
    }

    /// The ids it remembers, the oldest first.
    pub fn ids(&self) -> impl Iterator<Item = UpdateId> {
        self.ids.iter().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const QUEUES: [DeliveryQueue; 4] =
        [DeliveryQueue::Messages, DeliveryQueue::Presses, DeliveryQueue::Checkouts, DeliveryQueue::Membership];

    fn answer(update: i64) -> Answer {
        Answer::from_body(&format!(r#"{{"method":"sendMessage","text":"{update}"}}"#))
    }

    #[test]
    fn an_update_never_applied_is_unknown() {
        assert_eq!(Fence::default().recall(UpdateId(1)), None);
    }

    #[test]
    fn the_last_of_a_queue_keeps_its_answer_however_many_others_follow() {
        let mut fence = Fence::default().with(UpdateId(1), DeliveryQueue::Presses, &answer(1));
        for update in 2..100 {
            fence = fence.with(UpdateId(update), DeliveryQueue::Messages, &answer(update));
        }
        assert_eq!(fence.recall(UpdateId(1)), Some(answer(1)));
        assert_eq!(fence.recall(UpdateId(99)), Some(answer(99)));
        assert_eq!(fence.recall(UpdateId(98)), Some(Answer::EMPTY), "known, its answer is not");
        assert_eq!(fence.recall(UpdateId(2)), None);
    }

    #[test]
    fn ids_may_go_down() {
        let fence = Fence::default().with(UpdateId(900), DeliveryQueue::Messages, &answer(900)).with(
            UpdateId(5),
            DeliveryQueue::Messages,
            &answer(5),
        );
        assert_eq!((fence.recall(UpdateId(5)), fence.recall(UpdateId(6))), (Some(answer(5)), None));
    }

    proptest! {
        /// Against the plain history of what was applied.
        #[test]
        fn it_remembers_the_last_ids_and_the_last_answer_of_each_queue(
            history in proptest::collection::hash_set(any::<i64>(), 1..60).prop_flat_map(|ids| {
                let ids: Vec<i64> = ids.into_iter().collect();
                let queues = proptest::collection::vec(0..QUEUES.len(), ids.len());
                (Just(ids), queues)
            })
        ) {
            let (ids, queues) = history;
            let mut fence = Fence::default();
            for (id, queue) in ids.iter().zip(&queues) {
                fence = fence.with(UpdateId(*id), QUEUES[*queue], &answer(*id));
            }
            let stored = serde_json::to_string(&fence).unwrap();
            let fence: Fence = serde_json::from_str(&stored).unwrap();
            for (place, (id, queue)) in ids.iter().zip(&queues).enumerate() {
                let last_of_queue = !queues[place + 1..].contains(queue);
                let remembered = ids.len() - place <= REMEMBERED_IDS;
                let expected = if last_of_queue { Some(answer(*id)) } else { remembered.then_some(Answer::EMPTY) };
                prop_assert_eq!(fence.recall(UpdateId(*id)), expected);
            }
        }
    }
}
