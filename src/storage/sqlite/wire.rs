//! A gatherer's way to the file. All wires of a process share its loading and its writing thread.
//! Never holds anything between two calls: there is nothing to reopen after an error.

use super::super::{Commit, Error, Key, Outcome, Settled, Settlement};
use super::{Sqlite, chats, jobs};
use std::time::Duration;

/// How long a batch waits for the lock of another process before its members are busy; the gatherer, which
/// knows their deadlines, tries again.
const BATCH_PATIENCE: Duration = Duration::from_millis(100);

/// One gatherer's handle.
#[derive(Debug)]
pub(in super::super) struct Wire {
    sqlite: Sqlite,
}

impl Wire {
    pub(super) fn of(sqlite: &Sqlite) -> Self {
        Self { sqlite: sqlite.clone() }
    }

    pub(in super::super) async fn load(&mut self, keys: &[Key]) -> Result<chats::Loaded, Error> {
        let keys = keys.to_vec();
        self.sqlite.loader.read(move |connection| chats::load(connection, &keys)).await
    }

    /// One transaction. After an error nothing is written, or, where the disk failed, it is not known.
    pub(in super::super) async fn commit(&mut self, commits: &[Commit]) -> Result<Vec<Outcome>, Error> {
        // Encoded here: the writer's thread is for SQLite.
        let members = chats::Members::of(commits)?;
        let written = self.sqlite.writer.write_within(BATCH_PATIENCE, move |c| chats::commit(c, &members)).await?;
        Ok(written.unwrap_or_else(|| vec![Outcome::Busy; commits.len()]))
    }

    /// The same.
    pub(in super::super) async fn settle(&mut self, settlements: &[Settlement]) -> Result<Vec<Settled>, Error> {
        let members = settlements.to_vec();
        let settle = move |c: &_| members.iter().map(|member| jobs::settle(c, member)).collect();
        let settled = self.sqlite.writer.write_within(BATCH_PATIENCE, settle).await?;
        Ok(settled.unwrap_or_else(|| vec![Settled::Busy; settlements.len()]))
    }
}
