//! Why a store could not do what it was asked. "Not found", "duplicate" and "stale" are values, not errors.

type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// One variant for each thing a caller can do.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Infrastructure (SQLSTATE 08, 40, 53, 55, 57, 58, time-outs, a cut connection). The statement may have been
    /// applied all the same. Caller: reload and decide again while there is time, then 503.
    #[error("storage is unavailable")]
    Unavailable(#[source] BoxError),
    /// The member's deadline passed before it was sent. Nothing was written. Caller: 503.
    #[error("storage did not answer in time")]
    Late,
    /// More members wait than the gatherer holds. Nothing was written. Caller: 503 at once.
    #[error("too much waits for storage")]
    Full,
    /// What was to be written is refused (SQLSTATE 22, 23): it will be refused again. Caller: count it as poison.
    #[error("storage refused the data")]
    Data(#[source] BoxError),
    /// A stored value does not decode. Caller: count it as poison.
    #[error("column {column} of table {table} does not decode")]
    Corrupt {
        /// The table.
        table: &'static str,
        /// The column.
        column: &'static str,
        /// What the decoder said; never the value.
        #[source]
        source: BoxError,
    },
    /// The schema is older than this program, or newer and not marked readable for it. Operator: migrate.
    #[error("the schema has version {found}, this program needs {needed}: run `botctl migrate`")]
    Schema {
        /// What the database has; 0: nothing.
        found: i64,
        /// What this program needs.
        needed: i64,
    },
    /// A setting of the database breaks a promise. Operator: change it as the text says.
    #[error("{0}")]
    Setting(String),
}
