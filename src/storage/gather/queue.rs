//! What waits for a connection, and how the next batch is formed of it: in order of arrival, at most one member of a
//! chat, no member before an earlier one of its chat.

use super::member::{Member, Ticket, member};
use super::work::Work;
use crate::shutdown::Tasks;
use crate::storage::Error;
use std::collections::{HashSet, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

type MemberOf<W> = Member<<W as Work>::Item, <W as Work>::Output>;

/// A bounded line.
#[derive(Debug)]
pub(super) struct Queue<W: Work> {
    state: Mutex<State<W>>,
    arrived: Notify,
    batch_max: usize,
    waiting_max: usize,
}

#[derive(Debug)]
struct State<W: Work> {
    waiting: VecDeque<MemberOf<W>>,
    closed: bool,
}

/// What there is to do now.
struct Taken<W: Work> {
    batch: Vec<MemberOf<W>>,
    /// When a member's pause ends.
    wake: Option<Instant>,
}

impl<W: Work> Queue<W> {
    pub(super) fn new(batch_max: usize, waiting_max: usize) -> Self {
        let state = State { waiting: VecDeque::new(), closed: false };
        Self { state: Mutex::new(state), arrived: Notify::new(), batch_max: batch_max.max(1), waiting_max }
    }

    /// Joins the line.
    pub(super) fn push(&self, item: W::Item, deadline: Instant) -> Result<Ticket<W::Output>, Error> {
        let (member, ticket) = member(item, deadline);
        {
            let mut state = self.lock();
            if state.closed {
                return Err(Error::unavailable("the server is stopping"));
            }
            if state.waiting.len() >= self.waiting_max {
                let now = Instant::now();
                state.waiting.retain(|member| member.caller.is_awaited(now));
                if state.waiting.len() >= self.waiting_max {
                    return Err(Error::Full);
                }
            }
            state.waiting.push_back(member);
        }
        self.arrived.notify_one();
        Ok(ticket)
    }

    /// Members whose rows were locked stand before whatever came after them.
    pub(super) fn put_back(&self, busy: Vec<MemberOf<W>>) {
        let mut state = self.lock();
        for member in busy.into_iter().rev() {
            state.waiting.push_front(member);
        }
    }

    /// The next batch, sent as of now; none when `tasks` is stopped and nobody waits.
    pub(super) async fn next(&self, tasks: &Tasks) -> Option<Vec<MemberOf<W>>> {
        loop {
            let Taken { batch, wake } = self.take(Instant::now());
            if !batch.is_empty() {
                return Some(batch);
            }
            let stopping = tasks.is_stopping();
            if stopping && self.close_if_empty() {
                return None;
            }
            tokio::select! {
                () = self.arrived.notified() => {}
                () = tasks.stopping(), if !stopping => {}
                () = sleep_until(wake.unwrap_or_else(Instant::now)), if wake.is_some() => {}
            }
        }
    }

    fn take(&self, now: Instant) -> Taken<W> {
        let mut state = self.lock();
        let mut taken = Taken { batch: Vec::new(), wake: None };
        let mut chats = HashSet::new();
        let mut rest = VecDeque::with_capacity(state.waiting.len());
        for member in state.waiting.drain(..) {
            if !member.caller.is_awaited(now) {
                continue;
            }
            let paused = member.caller.paused_until(now);
            let first_of_its_chat = W::chat(&member.item).is_none_or(|chat| chats.insert(chat));
            if paused.is_none() && first_of_its_chat && taken.batch.len() < self.batch_max {
                if member.caller.send() {
                    taken.batch.push(member);
                }
                continue;
            }
            taken.wake = taken.wake.into_iter().chain(paused).min();
            rest.push_back(member);
        }
        let more = !rest.is_empty();
        state.waiting = rest;
        drop(state);
        if more && !taken.batch.is_empty() {
            // For another connection of the same line: the one that was told of them is taken now.
            self.arrived.notify_one();
        }
        taken
    }

    fn close_if_empty(&self) -> bool {
        let mut state = self.lock();
        state.closed = state.waiting.is_empty();
        state.closed
    }

    fn lock(&self) -> MutexGuard<'_, State<W>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::super::work::Commits;
    use super::*;
    use crate::storage::{Commit, Fence, Key};
    use crate::telegram::id::{BotId, ChatId};
    use std::time::Duration;

    fn commit(chat: i64) -> Commit {
        Commit {
            key: Key { bot: BotId(1), chat: ChatId(chat) },
            chat: crate::flow::chat::Chat { version: crate::flow::chat::Version(1), ..Default::default() },
            fence: Fence::default(),
            update: None,
            jobs: Vec::new(),
            books: Default::default(),
            at: crate::clock::Timestamp::default(),
        }
    }

    fn chats(batch: &[MemberOf<Commits>]) -> Vec<i64> {
        batch.iter().map(|member| member.item.key.chat.0).collect()
    }

    fn soon() -> Instant {
        Instant::now() + Duration::from_secs(60)
    }

    #[tokio::test(start_paused = true)]
    async fn a_batch_has_one_member_of_a_chat_and_keeps_the_order() {
        let queue = Queue::<Commits>::new(10, 10);
        let _tickets: Vec<_> = [1, 2, 1, 3].map(|chat| queue.push(commit(chat), soon()).unwrap()).into();
        assert_eq!(chats(&queue.take(Instant::now()).batch), [1, 2, 3]);
        assert_eq!(chats(&queue.take(Instant::now()).batch), [1]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_busy_chat_waits_by_itself_and_its_later_members_stay_behind() {
        let queue = Queue::<Commits>::new(10, 10);
        let _tickets: Vec<_> = [1, 1, 2].map(|chat| queue.push(commit(chat), soon()).unwrap()).into();
        let mut batch = queue.take(Instant::now()).batch;
        assert_eq!(chats(&batch), [1, 2]);
        let (mut item, caller) = batch.swap_remove(0).split();
        item.jobs = vec![crate::storage::NewJob::Screen(crate::flow::decision::Place::New)];
        queue.put_back(vec![caller.pause(item, Instant::now())]);
        let taken = queue.take(Instant::now());
        assert!(taken.batch.is_empty(), "its pause is not over");
        tokio::time::advance(taken.wake.unwrap() - Instant::now()).await;
        let batch = queue.take(Instant::now()).batch;
        assert_eq!((chats(&batch), batch[0].item.jobs.len()), (vec![1], 1), "the one that was busy goes first");
    }

    #[tokio::test(start_paused = true)]
    async fn who_left_is_not_sent_and_makes_room() {
        let queue = Queue::<Commits>::new(10, 2);
        let kept = queue.push(commit(1), soon()).unwrap();
        let gone = queue.push(commit(2), soon()).unwrap();
        assert!(matches!(queue.push(commit(3), soon()), Err(Error::Full)));
        drop(gone);
        let _third = queue.push(commit(3), soon()).unwrap();
        assert_eq!(chats(&queue.take(Instant::now()).batch), [1, 3]);
        drop(kept);
    }

    #[tokio::test(start_paused = true)]
    async fn at_its_deadline_a_call_knows_whether_it_was_sent() {
        use super::super::member::Left;
        let queue = Queue::<Commits>::new(10, 10);
        let never = queue.push(commit(1), soon()).unwrap();
        assert_eq!(never.answer().await.unwrap_err(), Left::Waiting);
        assert!(queue.take(Instant::now()).batch.is_empty(), "and then it is never sent");

        let sent = queue.push(commit(2), soon()).unwrap();
        let batch = queue.take(Instant::now()).batch;
        let busy = queue.push(commit(3), soon()).unwrap();
        let (item, caller) = queue.take(Instant::now()).batch.remove(0).split();
        queue.put_back(vec![caller.pause(item, Instant::now())]);
        assert_eq!(sent.answer().await.unwrap_err(), Left::Sent);
        assert_eq!(busy.answer().await.unwrap_err(), Left::Busy);
        drop(batch);
    }
}
