//! A store of a test's own, on either backend, and a view of its rows that goes around the server's code.

use crate::harness::postgres::Database;
use sqlx::{AssertSqlSafe, Column, Executor, PgConnection, Row};
use tapgate::secret::Secret;
use tapgate::shutdown::Tasks;
use tapgate::storage::{Gathered, Gathering, Settler, Storage, StorageUrl};
use tempfile::TempDir;

/// Gatherers as a server would have them.
pub const GATHERING: Gathering = Gathering { loaders: 2, committers: 2, batch_max: BATCH_MAX, waiting_max: 512 };
/// Most members of a batch.
pub const BATCH_MAX: usize = 64;

pub struct Store {
    pub storage: Storage,
    pub url: StorageUrl,
    place: Place,
}

enum Place {
    Postgres(Database),
    Sqlite(TempDir),
}

impl Store {
    /// On PostgreSQL, migrated; none (and a recorded skip) without a server.
    pub async fn postgres() -> Option<Self> {
        let database = Database::create().await?;
        let url = StorageUrl::Postgres(Secret::new(database.url()));
        Some(Self::migrated(url, Place::Postgres(database)).await)
    }

    /// On SQLite, migrated.
    pub async fn sqlite() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let url = StorageUrl::Sqlite(folder.path().join("tapgate.db"));
        Self::migrated(url, Place::Sqlite(folder)).await
    }

    async fn migrated(url: StorageUrl, place: Place) -> Self {
        let storage = Storage::open(&url).await.unwrap();
        storage.migrate().await.unwrap();
        // As a server does: every statement is prepared, and bound later to what the server takes it for.
        storage.check().await.unwrap();
        Self { storage, url, place }
    }

    /// The store as another process has it open.
    pub async fn of_another_process(&self) -> Storage {
        Storage::open(&self.url).await.unwrap()
    }

    /// Gatherers of a process of their own.
    pub async fn gathered(&self, gathering: Gathering) -> (Gathered, Tasks) {
        let tasks = Tasks::new("gatherers");
        let gathered = Gathered::start(&self.of_another_process().await, gathering, &tasks).await.unwrap();
        (gathered, tasks)
    }

    /// The settler of a sender of its own.
    pub async fn settler(&self, batch_max: usize) -> (Settler, Tasks) {
        let tasks = Tasks::new("the settler");
        (Settler::start(&self.of_another_process().await, batch_max, &tasks).await.unwrap(), tasks)
    }

    /// The database, where the store is PostgreSQL.
    pub fn database(&self) -> &Database {
        match &self.place {
            Place::Postgres(database) => database,
            Place::Sqlite(_) => panic!("this store is a file"),
        }
    }

    /// Runs a statement behind the server's back.
    pub async fn execute(&self, statement: &str) {
        match &self.place {
            Place::Postgres(database) => {
                let mut connection: PgConnection = database.connect().await;
                connection.execute(AssertSqlSafe(statement.to_owned())).await.unwrap();
            }
            Place::Sqlite(folder) => self::file(folder).execute_batch(statement).unwrap(),
        }
    }

    /// The first column of the only row of a query.
    pub async fn number(&self, query: &str) -> i64 {
        match &self.place {
            Place::Postgres(database) => {
                let mut connection = database.connect().await;
                let row = connection.fetch_one(AssertSqlSafe(query.to_owned())).await.unwrap();
                row.get(0)
            }
            Place::Sqlite(folder) => self::file(folder).query_row(query, [], |row| row.get(0)).unwrap(),
        }
    }

    /// Every row of a table with every column as it is stored.
    pub async fn dump(&self, table: &str) -> Vec<String> {
        match &self.place {
            Place::Postgres(database) => {
                let mut connection = database.connect().await;
                let query = format!("SELECT t::text FROM {table} AS t ORDER BY 1");
                let rows = connection.fetch_all(AssertSqlSafe(query)).await.unwrap();
                rows.iter().map(|row| format!("{} {}", row.column(0).name(), row.get::<String, _>(0))).collect()
            }
            Place::Sqlite(folder) => {
                let file = self::file(folder);
                let mut statement = file.prepare(&format!("SELECT * FROM {table} ORDER BY 1, 2")).unwrap();
                let columns = statement.column_count();
                let rows = statement.query_map([], |row| {
                    (0..columns).map(|column| Ok(format!("{:?}", row.get_ref(column)?))).collect::<Result<Vec<_>, _>>()
                });
                rows.unwrap().map(|row| row.unwrap().join(" ")).collect()
            }
        }
    }

    /// How often PostgreSQL had to end a circle of waiting statements.
    pub async fn deadlocks(&self) -> i64 {
        match &self.place {
            Place::Postgres(_) => {
                self.number("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()").await
            }
            Place::Sqlite(_) => 0,
        }
    }

    /// What a lease, a hold or a delay waits for has come.
    pub async fn time_passes(&self) {
        let past = match &self.place {
            Place::Postgres(_) => "now() - interval '1 second'",
            Place::Sqlite(_) => "1000",
        };
        self.execute(&format!("UPDATE jobs SET lease_until = {past} WHERE lease_until IS NOT NULL")).await;
        self.execute(&format!("UPDATE jobs SET run_at = {past}")).await;
        self.execute(&format!("UPDATE chats SET hold_until = {past} WHERE hold_until IS NOT NULL")).await;
    }
}

fn file(folder: &TempDir) -> rusqlite::Connection {
    let file = rusqlite::Connection::open(folder.path().join("tapgate.db")).unwrap();
    file.busy_timeout(std::time::Duration::from_secs(10)).unwrap();
    file
}
