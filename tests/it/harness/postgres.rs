//! A database of its own for each test, dropped at its end.

use super::services;
use sqlx::{Connection, Executor, PgConnection};
use std::sync::atomic::{AtomicU32, Ordering};
use url::Url;

/// An empty database; dropped with this value, whoever is still connected.
#[derive(Debug)]
pub struct Database {
    server: String,
    name: String,
    url: String,
}

impl Database {
    /// Creates one; none (and a recorded skip) without a server.
    pub async fn create() -> Option<Self> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);

        let server = services::postgres_url()?;
        let name = format!("tapgate_test_{}_{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        let mut url = Url::parse(&server).expect("TAPGATE_TEST_POSTGRES_URL is a URL");
        url.set_path(&name);
        // template0: nobody can be connected to it, so databases can be created from it at the same time.
        run(&server, format!("CREATE DATABASE {name} TEMPLATE template0")).await.expect("a database can be created");
        Some(Self { server, name, url: url.into() })
    }

    /// Where it is: a `DATABASE_URL`.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// A connection beside the server's, to lock rows and to look.
    pub async fn connect(&self) -> PgConnection {
        PgConnection::connect(&self.url).await.expect("the test's database answers")
    }

    /// Cuts every connection to it, as a restart of the database would.
    pub async fn cut_connections(&self) {
        let statement =
            format!("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{}'", self.name);
        run(&self.server, statement).await.expect("connections can be cut");
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        let (server, statement) = (self.server.clone(), format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.name));
        // A runtime of its own: the test's may be the one that is being dropped.
        let dropping = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            let _ = runtime.block_on(run(&server, statement));
        });
        let _ = dropping.join();
    }
}

async fn run(server: &str, statement: String) -> sqlx::Result<()> {
    let mut connection = PgConnection::connect(server).await?;
    connection.execute(sqlx::AssertSqlSafe(statement)).await?;
    connection.close().await
}
