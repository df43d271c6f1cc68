//! A gatherer's own connection. The pool would ping the server on every release and hand its connections around;
//! here the prepared statements stay warm.
//! Never reconnects by itself: who holds it drops it after an error and opens another.

use super::super::store::Plans;
use super::super::{Commit, Error, Key, Outcome, Settled, Settlement};
use super::{chats, jobs};
use sqlx::ConnectOptions;
use sqlx::postgres::{PgConnectOptions, PgConnection};

/// One connection.
#[derive(Debug)]
pub(in super::super) struct Wire {
    connection: PgConnection,
}

/// - A plan made while a table was still empty could read all of it later: every access here is by key.
/// - A batch never waits long for anybody: jobs of a chat that is being settled, or a new chat that another process
///   is creating.
const SETTINGS: [(&str, &str); 4] =
    [("enable_seqscan", "off"), ("enable_mergejoin", "off"), ("lock_timeout", "100ms"), ("statement_timeout", "5s")];

impl Wire {
    pub(super) async fn open(options: &PgConnectOptions, plans: Plans) -> Result<Self, Error> {
        let plans = match plans {
            Plans::Kept => "force_generic_plan",
            Plans::Fresh => "force_custom_plan",
        };
        let options = options.clone().application_name("tapgate gatherer").options(SETTINGS);
        Ok(Self { connection: options.options([("plan_cache_mode", plans)]).connect().await? })
    }

    pub(in super::super) async fn load(&mut self, keys: &[Key]) -> Result<chats::Loaded, Error> {
        chats::load(&mut self.connection, keys).await
    }

    pub(in super::super) async fn commit(&mut self, commits: &[Commit]) -> Result<Vec<Outcome>, Error> {
        chats::commit(&mut self.connection, commits).await
    }

    pub(in super::super) async fn settle(&mut self, settlements: &[Settlement]) -> Result<Vec<Settled>, Error> {
        jobs::settle(&mut self.connection, settlements).await
    }
}
