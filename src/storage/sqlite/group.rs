//! The writer's loop: whatever queued while the last transaction went to disk is the next one, so that one flush to disk
//! serves all who wait for it. Each request stands or falls alone, but is answered only when all of them are on disk.
//! Never keeps the lock while it waits for anybody.

use super::super::Error;
use super::is_locked;
use rusqlite::{Connection, Transaction, TransactionBehavior};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, mpsc};
use std::time::Duration;
use tokio::sync::oneshot;

/// Most requests of one transaction: other processes wait for its end.
const GROUP_MAX: usize = 64;

/// How often to ask for the lock while another process holds it. SQLite's own busy handler soon asks only every 100 ms,
/// and a busy process leaves the lock free for far less than that.
const POLL_INTERVAL: Duration = Duration::from_millis(1);

/// After so many transactions without a pause the lock is left free for long enough that a process which asks for it
/// gets it: the lock has no queue.
const TURNS_WITHOUT_REST: usize = 16;

/// Something to be written.
pub(super) trait Request: Send {
    /// How much longer it waits for the lock of another process.
    fn patience(&self) -> Duration;
    /// It has waited this long in vain.
    fn waited(&mut self, time: Duration);
    /// Writes; whether it is to be kept.
    fn run(&mut self, connection: &Connection) -> Ran;
    /// Tells the caller how it ended.
    fn answer(self: Box<Self>, end: End);
}

/// What became of a request within its transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ran {
    /// To be kept.
    Well,
    /// Nothing of it is to be kept.
    Failed,
}

/// What became of its transaction.
#[derive(Clone, Debug)]
pub(super) enum End {
    /// It is on disk.
    Committed,
    /// It is not, or nobody knows.
    Lost(Arc<rusqlite::Error>),
    /// It never began.
    Locked,
}

/// A closure as a request.
pub(super) struct Write<T, F> {
    patience: Duration,
    work: Option<F>,
    result: Result<T, Error>,
    reply: oneshot::Sender<Result<Option<T>, Error>>,
}

impl<T, F> Write<T, F> {
    /// The request and where its answer comes: none if it was [`End::Locked`].
    pub(super) fn new(patience: Duration, work: F) -> (Self, oneshot::Receiver<Result<Option<T>, Error>>) {
        let (reply, answer) = oneshot::channel();
        (Self { patience, work: Some(work), result: Err(Error::unavailable("the request panicked")), reply }, answer)
    }
}

impl<T, F> Request for Write<T, F>
where
    T: Send,
    F: FnOnce(&Connection) -> Result<T, Error> + Send,
{
    fn patience(&self) -> Duration {
        self.patience
    }

    fn waited(&mut self, time: Duration) {
        self.patience = self.patience.saturating_sub(time);
    }

    fn run(&mut self, connection: &Connection) -> Ran {
        // A panic ends this request alone.
        if let Some(work) = self.work.take()
            && let Ok(result) = catch_unwind(AssertUnwindSafe(|| work(connection)))
        {
            self.result = result;
        }
        if self.result.is_ok() { Ran::Well } else { Ran::Failed }
    }

    fn answer(self: Box<Self>, end: End) {
        let answer = match end {
            End::Committed => self.result.map(Some),
            // An error of its own says more.
            End::Lost(error) => self.result.and(Err(Error::Unavailable(Box::new(error)))),
            End::Locked => Ok(None),
        };
        let _ = self.reply.send(answer);
    }
}

/// Serves requests until nobody can send any more.
pub(super) fn serve(connection: &mut Connection, queue: mpsc::Receiver<Box<dyn Request>>) {
    while let Ok(first) = queue.recv() {
        let mut group = vec![first];
        for turn in 1_usize.. {
            group.extend(queue.try_iter().take(GROUP_MAX.saturating_sub(group.len())));
            if group.is_empty() {
                break;
            }
            group = attempt(connection, group);
            if turn.is_multiple_of(TURNS_WITHOUT_REST) {
                std::thread::sleep(2 * POLL_INTERVAL);
            }
        }
    }
}

/// Writes a group and answers it; gives back those who still wait for the lock of another process.
fn attempt(connection: &mut Connection, mut group: Vec<Box<dyn Request>>) -> Vec<Box<dyn Request>> {
    let end = match connection.transaction_with_behavior(TransactionBehavior::Immediate) {
        Ok(transaction) => write(transaction, &mut group),
        Err(error) if is_locked(&error) => {
            std::thread::sleep(POLL_INTERVAL);
            group.iter_mut().for_each(|request| request.waited(POLL_INTERVAL));
            let (over, waiting) = group.into_iter().partition(|request| request.patience().is_zero());
            Vec::into_iter(over).for_each(|request| request.answer(End::Locked));
            return waiting;
        }
        Err(error) => End::Lost(Arc::new(error)),
    };
    group.into_iter().for_each(|request| request.answer(end.clone()));
    Vec::new()
}

fn write(transaction: Transaction<'_>, group: &mut [Box<dyn Request>]) -> End {
    let written = group.iter_mut().try_for_each(|request| {
        execute(&transaction, "SAVEPOINT request")?;
        if request.run(&transaction) == Ran::Failed {
            // Fails, as it should, where SQLite has rolled all of the transaction back (a full disk).
            execute(&transaction, "ROLLBACK TO request")?;
        }
        execute(&transaction, "RELEASE request")
    });
    match written.and_then(|()| transaction.commit()) {
        Ok(()) => End::Committed,
        Err(error) => End::Lost(Arc::new(error)),
    }
}

fn execute(transaction: &Transaction<'_>, statement: &str) -> rusqlite::Result<()> {
    transaction.prepare_cached(statement)?.execute([]).map(drop)
}
