//! Connections on threads of their own, and the two ways to use them: a read and a write.
//! Never decides what is read or written.
//!
//! SQLite blocks; sqlx's driver hands every statement to its thread, which costs five to eight times the CPU of
//! handing over the whole transaction.

use super::super::Error;
use super::group::{self, Request, Write};
use super::{failed, file};
use rusqlite::Connection;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::{Arc, mpsc};
use std::time::Duration;
use tokio::sync::oneshot;

type Work = Box<dyn FnOnce(&mut Connection) + Send>;

/// A thread that reads. It ends when its last handle is dropped and nothing waits any more.
#[derive(Clone, Debug)]
pub(super) struct Reader {
    queue: mpsc::Sender<Work>,
}

impl Reader {
    pub(super) async fn start(path: Arc<Path>) -> Result<Self, Error> {
        let queue = start(
            "sqlite-read",
            move || file::reader(&path),
            |connection, works: mpsc::Receiver<Work>| {
                works.into_iter().for_each(|work| work(connection));
            },
        );
        Ok(Self { queue: queue.await? })
    }

    /// Runs `work` in one read transaction: all it reads is of one moment.
    pub(super) async fn read<T, F>(&self, work: F) -> Result<T, Error>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T, Error> + Send + 'static,
    {
        let (reply, answer) = oneshot::channel();
        let read = move |connection: &mut Connection| {
            let transaction = connection.transaction().map_err(failed)?;
            let read = work(&transaction)?;
            transaction.commit().map_err(failed)?;
            Ok(read)
        };
        let work: Work = Box::new(move |connection| {
            // A panic of one request ends that request alone; the caller finds `reply` dropped.
            if let Ok(read) = catch_unwind(AssertUnwindSafe(|| read(connection))) {
                let _ = reply.send(read);
            }
        });
        self.queue.send(work).map_err(|_| gone())?;
        answer.await.map_err(|_| gone())?
    }
}

/// The thread that writes. It ends when its last handle is dropped and nothing waits any more.
#[derive(Clone, Debug)]
pub(super) struct Writer {
    queue: mpsc::Sender<Box<dyn Request>>,
}

impl Writer {
    pub(super) async fn start(path: Arc<Path>) -> Result<Self, Error> {
        Ok(Self { queue: start("sqlite-write", move || file::writer(&path), group::serve).await? })
    }

    /// Runs `work` in a write transaction, on disk when this returns. An error of `work` leaves nothing of it written.
    /// It runs to its end even if the caller goes away.
    pub(super) async fn write<T, F>(&self, work: F) -> Result<T, Error>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T, Error> + Send + 'static,
    {
        let written = self.write_within(file::PATIENCE, work).await?;
        written.ok_or_else(|| Error::unavailable("another process holds the lock of the file"))
    }

    /// The same; none if another process holds the lock for all of `patience`.
    pub(super) async fn write_within<T, F>(&self, patience: Duration, work: F) -> Result<Option<T>, Error>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T, Error> + Send + 'static,
    {
        let (write, answer) = Write::new(patience, work);
        self.queue.send(Box::new(write)).map_err(|_| gone())?;
        answer.await.map_err(|_| gone())?
    }
}

/// Starts a thread that opens a connection and serves with it what is sent into the queue.
async fn start<R: Send + 'static>(
    name: &str,
    open: impl FnOnce() -> Result<Connection, Error> + Send + 'static,
    serve: impl FnOnce(&mut Connection, mpsc::Receiver<R>) + Send + 'static,
) -> Result<mpsc::Sender<R>, Error> {
    let (queue, requests) = mpsc::channel();
    let (opened, opening) = oneshot::channel();
    let run = move || match open() {
        Ok(mut connection) => {
            let _ = opened.send(Ok(()));
            serve(&mut connection, requests);
        }
        Err(error) => drop(opened.send(Err(error))),
    };
    let started = std::thread::Builder::new().name(name.to_owned()).spawn(run);
    started.map_err(|error| Error::Unavailable(error.into()))?;
    opening.await.map_err(|_| gone())??;
    Ok(queue)
}

/// The thread ended, or the request panicked.
fn gone() -> Error {
    Error::unavailable("the connection's thread did not answer")
}
