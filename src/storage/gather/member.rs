//! One call that waits for its batch, seen from both ends: the caller's [`Ticket`] and the gatherer's [`Member`].
//! Never in two minds about whether it was sent: both ends ask the same [`Progress`].

use crate::storage::Error;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout_at};

/// The first wait of a member whose row was locked; each further one is twice as long.
const PAUSE_MIN: Duration = Duration::from_millis(5);
/// The longest wait.
const PAUSE_MAX: Duration = Duration::from_millis(100);

/// What a caller leaves behind when it goes without an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Left {
    /// It never was on the wire, and never will be.
    Waiting,
    /// Its row was locked each time; it will not be tried again.
    Busy,
    /// It is or was on the wire: nobody knows.
    Sent,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Progress {
    Here(Left),
    Gone,
}

/// The gatherer's end: what is asked, and who asks.
#[derive(Debug)]
pub(super) struct Member<I, O> {
    pub(super) item: I,
    pub(super) caller: Caller<O>,
}

/// Who waits for a member.
#[derive(Debug)]
pub(super) struct Caller<O> {
    deadline: Instant,
    pause: Option<(Duration, Instant)>,
    progress: Arc<Mutex<Progress>>,
    reply: oneshot::Sender<Result<O, Error>>,
}

/// The caller's end.
#[derive(Debug)]
pub(super) struct Ticket<O> {
    deadline: Instant,
    progress: Arc<Mutex<Progress>>,
    reply: oneshot::Receiver<Result<O, Error>>,
}

/// Both ends of a new call.
pub(super) fn member<I, O>(item: I, deadline: Instant) -> (Member<I, O>, Ticket<O>) {
    let progress = Arc::new(Mutex::new(Progress::Here(Left::Waiting)));
    let (sender, receiver) = oneshot::channel();
    let caller = Caller { deadline, pause: None, progress: progress.clone(), reply: sender };
    (Member { item, caller }, Ticket { deadline, progress, reply: receiver })
}

impl<O> Ticket<O> {
    /// The answer; or how the call was left at its deadline, or when its batch ended without one.
    pub(super) async fn answer(mut self) -> Result<Result<O, Error>, Left> {
        if let Ok(Ok(answer)) = timeout_at(self.deadline, &mut self.reply).await {
            return Ok(answer);
        }
        let left = self.leave();
        // It may have come between the deadline and the leaving.
        self.reply.try_recv().map_err(|_| left)
    }

    fn leave(&self) -> Left {
        match std::mem::replace(&mut *lock(&self.progress), Progress::Gone) {
            Progress::Here(left) => left,
            Progress::Gone => Left::Waiting,
        }
    }
}

impl<O> Drop for Ticket<O> {
    fn drop(&mut self) {
        self.leave();
    }
}

impl<I, O> Member<I, O> {
    /// The two apart: a batch is sent as a slice of items.
    pub(super) fn split(self) -> (I, Caller<O>) {
        (self.item, self.caller)
    }
}

impl<O> Caller<O> {
    /// Whether somebody still waits for it at `now`.
    pub(super) fn is_awaited(&self, now: Instant) -> bool {
        now < self.deadline && *lock(&self.progress) != Progress::Gone
    }

    /// When it may be tried again; none: at once.
    pub(super) fn paused_until(&self, now: Instant) -> Option<Instant> {
        self.pause.map(|(_, until)| until).filter(|until| now < *until)
    }

    /// The member goes on the wire; false if its caller is gone.
    pub(super) fn send(&self) -> bool {
        let mut progress = lock(&self.progress);
        let awaited = *progress != Progress::Gone;
        if awaited {
            *progress = Progress::Here(Left::Sent);
        }
        awaited
    }

    /// Its row was locked: it waits before it joins a batch again.
    pub(super) fn pause<I>(mut self, item: I, now: Instant) -> Member<I, O> {
        let length = self.pause.map_or(PAUSE_MIN, |(length, _)| (length * 2).min(PAUSE_MAX));
        self.pause = Some((length, now + length));
        let mut progress = lock(&self.progress);
        if *progress != Progress::Gone {
            *progress = Progress::Here(Left::Busy);
        }
        drop(progress);
        Member { item, caller: self }
    }

    /// Ends it.
    pub(super) fn answer(self, answer: Result<O, Error>) {
        // The caller may be gone: then nobody wants to know.
        let _ = self.reply.send(answer);
    }
}

fn lock(progress: &Mutex<Progress>) -> std::sync::MutexGuard<'_, Progress> {
    progress.lock().unwrap_or_else(PoisonError::into_inner)
}
