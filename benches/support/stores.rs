//! Stores of a benchmark's own: a file, a database, a Redis. Nothing of them is left when the value is dropped.

use super::{bot, environment, say};
use sqlx::{Connection, Executor, PgConnection};
use std::path::Path;
use tapgate::clock;
use tapgate::secret::Secret;
use tapgate::storage::{Storage, StorageUrl};
use tempfile::TempDir;
use url::Url;

/// A store with the schema and the bot, and what it needs to be gone afterwards.
pub struct Store {
    /// How the benchmarks call it.
    pub name: &'static str,
    /// The store.
    pub storage: Storage,
    /// The gate that belongs to its profile.
    pub redis: Option<Redis>,
    _kept: Kept,
}

enum Kept {
    Folder(TempDir),
    Database(Database),
}

impl Store {
    /// Every store that is there; what is not is named.
    pub async fn all() -> Vec<Self> {
        let mut stores = vec![Self::sqlite().await];
        stores.extend(Self::postgres().await);
        stores
    }

    async fn sqlite() -> Self {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let url = StorageUrl::Sqlite(folder.path().join("bench.db"));
        Self { name: "sqlite", storage: open(&url).await, redis: None, _kept: Kept::Folder(folder) }
    }

    async fn postgres() -> Option<Self> {
        let (database, redis) = (Database::create().await?, Redis::find()?);
        let url = StorageUrl::Postgres(Secret::new(database.url()));
        Some(Self { name: "postgres", storage: open(&url).await, redis: Some(redis), _kept: Kept::Database(database) })
    }
}

async fn open(url: &StorageUrl) -> Storage {
    let storage = Storage::open(url).await.expect("the store opens");
    storage.migrate().await.expect("a new store is migrated");
    storage.add_bot(&bot::row(), clock::now()).await.expect("a bot is added");
    storage
}

/// The URL of a new SQLite file in `folder`.
pub fn sqlite_url(folder: &Path, name: &str) -> String {
    format!("sqlite://{}", folder.join(format!("{name}.db")).display())
}

/// What the names of databases begin with; the process and a number follow.
const PREFIX: &str = "tapgate_bench_";

/// An empty database of a server; dropped with this value, whoever is still connected.
pub struct Database {
    server: String,
    name: String,
}

impl Database {
    /// Creates one; none without a server.
    pub async fn create() -> Option<Self> {
        static NUMBER: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);

        let server = told("TAPGATE_TEST_POSTGRES_URL")?;
        remove_leftovers(&server).await.expect("the server answers");
        let number = NUMBER.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let name = format!("{PREFIX}{}_{number}", std::process::id());
        run(&server, format!("CREATE DATABASE {name} TEMPLATE template0")).await.expect("a database can be created");
        Some(Self { server, name })
    }

    /// Its `DATABASE_URL`.
    pub fn url(&self) -> String {
        let mut url = Url::parse(&self.server).expect("TAPGATE_TEST_POSTGRES_URL is a URL");
        url.set_path(&self.name);
        url.into()
    }

    /// The server's processes that serve it now.
    pub async fn backends(&self) -> Result<Vec<i32>, sqlx::Error> {
        let mut connection = PgConnection::connect(&self.server).await?;
        let pids = sqlx::query_scalar("SELECT pid FROM pg_stat_activity WHERE datname = $1").bind(&self.name);
        pids.fetch_all(&mut connection).await
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        let (server, statement) = (self.server.clone(), format!("DROP DATABASE {} WITH (FORCE)", self.name));
        // A runtime of its own: the benchmark's may be the one that is being dropped.
        let dropping = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            runtime.block_on(run(&server, statement)).map_err(std::io::Error::other)
        });
        if !matches!(dropping.join(), Ok(Ok(()))) {
            say(&format!("the database {} could not be dropped", self.name));
        }
    }
}

/// Drops the databases of runs that were killed. One that somebody is connected to stays.
async fn remove_leftovers(server: &str) -> Result<(), sqlx::Error> {
    let mut connection = PgConnection::connect(server).await?;
    let names: Vec<String> =
        sqlx::query_scalar("SELECT datname::text FROM pg_database").fetch_all(&mut connection).await?;
    for name in names {
        let process = name.strip_prefix(PREFIX).and_then(|rest| rest.split('_').next());
        if process.is_some_and(|process| !Path::new("/proc").join(process).exists()) {
            let _ = connection.execute(sqlx::AssertSqlSafe(format!("DROP DATABASE {name}"))).await;
        }
    }
    connection.close().await
}

async fn run(server: &str, statement: String) -> Result<(), sqlx::Error> {
    let mut connection = PgConnection::connect(server).await?;
    connection.execute(sqlx::AssertSqlSafe(statement)).await?;
    connection.close().await
}

/// The Redis that is there; what it remembers of this run's bot is removed with this value.
pub struct Redis {
    url: String,
}

impl Redis {
    /// It, if there is one.
    pub fn find() -> Option<Self> {
        Some(Self { url: told("TAPGATE_TEST_REDIS_URL")? })
    }

    /// Its `REDIS_URL`.
    pub fn url(&self) -> &str {
        &self.url
    }

    fn forget(&self) -> redis::RedisResult<()> {
        let client = redis::Client::open(&*self.url)?;
        let (mut scanning, mut removing) = (client.get_connection()?, client.get_connection()?);
        let pattern = format!("tapgate:upd:{}:*", bot::id());
        let mut scan = redis::cmd("SCAN");
        scan.cursor_arg(0).arg("MATCH").arg(pattern).arg("COUNT").arg(1000);
        let keys = scan.iter::<String>(&mut scanning)?.collect::<redis::RedisResult<Vec<_>>>()?;
        keys.chunks(1000).try_for_each(|keys| redis::cmd("UNLINK").arg(keys).exec(&mut removing))
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        if self.forget().is_err() {
            say("Redis keeps the keys of this run for an hour: they could not be removed");
        }
    }
}

/// Where a store is; says what is not run without it.
fn told(variable: &str) -> Option<String> {
    let told = environment(variable);
    if told.is_none() {
        say(&format!("not run: PostgreSQL with Redis, because {variable} is not set"));
    }
    told
}
