//! Why a store could not do what it was asked. "Not found", "duplicate" and "stale" are values, not errors.

use std::fmt;
use std::sync::Arc;

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
    /// The schema is older than this program, or newer and not marked readable for it. Operator: as the text says.
    #[error("the schema has version {found}, this program needs {needed}: {}", remedy(*found, *needed))]
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

const fn remedy(found: i64, needed: i64) -> &'static str {
    if found < needed { "run `botctl migrate`" } else { "install a program as new as the schema" }
}

impl Error {
    /// An outage that no driver reported.
    pub(super) fn unavailable(reason: &'static str) -> Self {
        Self::Unavailable(reason.into())
    }

    /// The same outage for each of so many callers.
    pub(super) fn shared(self, callers: usize) -> Vec<Self> {
        let source = match self {
            Self::Unavailable(source) if callers > 1 => Arc::<dyn std::error::Error + Send + Sync>::from(source),
            other if callers > 1 => Arc::new(other),
            other => return vec![other],
        };
        (0..callers).map(|_| Self::Unavailable(Box::new(Shared(source.clone())))).collect()
    }

    /// Whether it is certain that nothing was written and the connection still stands: then the members of a failed
    /// batch can be tried one by one.
    pub(super) fn is_rolled_back(&self) -> bool {
        match self {
            Self::Unavailable(source) => source.downcast_ref::<sqlx::Error>().is_some_and(|error| {
                matches!(sqlstate(error).as_deref(), Some(SERIALIZATION_FAILURE | DEADLOCK | LOCK_NOT_AVAILABLE))
            }),
            _ => true,
        }
    }

    /// Whether a row was not free within `lock_timeout`.
    pub(super) fn is_lock_timeout(&self) -> bool {
        match self {
            Self::Unavailable(source) => source
                .downcast_ref::<sqlx::Error>()
                .is_some_and(|error| sqlstate(error).as_deref() == Some(LOCK_NOT_AVAILABLE)),
            _ => false,
        }
    }
}

/// One error that several callers hold.
#[derive(Debug)]
struct Shared(Arc<dyn std::error::Error + Send + Sync>);

impl fmt::Display for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Shared {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source()
    }
}

const SERIALIZATION_FAILURE: &str = "40001";
const DEADLOCK: &str = "40P01";
const LOCK_NOT_AVAILABLE: &str = "55P03";

/// PostgreSQL, appendix A: the first two characters are the class. Only what the data itself causes (22 data
/// exception, 23 constraint) is poison; all else, a schema that does not fit included, is waited out.
impl From<sqlx::Error> for Error {
    fn from(error: sqlx::Error) -> Self {
        match sqlstate(&error) {
            Some(code) if code.starts_with("22") || code.starts_with("23") => {
                let constraint = error.as_database_error().and_then(|error| error.constraint().map(str::to_owned));
                Self::Data(Box::new(Refused { code, constraint }))
            }
            _ => Self::Unavailable(Box::new(error)),
        }
    }
}

fn sqlstate(error: &sqlx::Error) -> Option<String> {
    error.as_database_error().and_then(|error| error.code()).map(|code| code.into_owned())
}

/// What may be said of refused data: the server's own message can quote it.
#[derive(Debug)]
struct Refused {
    code: String,
    constraint: Option<String>,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SQLSTATE {}", self.code)?;
        self.constraint.as_ref().map_or(Ok(()), |constraint| write!(f, ", constraint {constraint}"))
    }
}

impl std::error::Error for Refused {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schema_that_does_not_fit_says_what_to_do() {
        let old = Error::Schema { found: 0, needed: 3 };
        assert_eq!(old.to_string(), "the schema has version 0, this program needs 3: run `botctl migrate`");
        let new = Error::Schema { found: 4, needed: 3 };
        assert_eq!(
            new.to_string(),
            "the schema has version 4, this program needs 3: install a program as new as the schema"
        );
    }

    #[test]
    fn only_the_data_itself_is_poison() {
        assert!(matches!(Error::from(sqlx::Error::PoolTimedOut), Error::Unavailable(_)));
        assert!(!Error::from(sqlx::Error::PoolTimedOut).is_rolled_back());
        assert!(Error::Data("refused".into()).is_rolled_back());
        assert!(!Error::unavailable("the connection was cut").is_rolled_back());
    }
}
