//! What SQLite's errors mean to a caller, and reading of columns. Never says a stored value.

use crate::storage::Error;
use rusqlite::types::{FromSql, ValueRef};
use rusqlite::{ErrorCode, Row};
use serde::de::DeserializeOwned;

/// A constraint, a type or a size is of the data, all else of the infrastructure.
pub(super) fn failed(error: rusqlite::Error) -> Error {
    match error.sqlite_error_code() {
        Some(ErrorCode::ConstraintViolation | ErrorCode::TypeMismatch | ErrorCode::TooBig) => Error::Data(error.into()),
        _ => Error::Unavailable(error.into()),
    }
}

/// Whether another connection holds the lock.
pub(super) fn is_locked(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

/// Whether a table is missing: nothing was migrated yet.
pub(super) fn is_missing(error: &rusqlite::Error) -> bool {
    // SQLite has no code of its own for it.
    error.to_string().contains("no such table")
}

/// The thread ended, or the request panicked.
pub(super) fn gone() -> Error {
    Error::Unavailable("the connection's thread did not answer".into())
}

/// A row of a known table, read by index; the name is what an error calls the column.
pub(super) struct Columns<'a> {
    row: &'a Row<'a>,
    table: &'static str,
}

impl<'a> Columns<'a> {
    /// `row` of `table`.
    pub(super) fn of(table: &'static str, row: &'a Row<'a>) -> Self {
        Self { row, table }
    }

    /// A column as SQLite keeps it.
    pub(super) fn get<T: FromSql>(&self, index: usize, column: &'static str) -> Result<T, Error> {
        self.row.get(index).map_err(|error| self.corrupt(column, error))
    }

    /// A column of JSON.
    pub(super) fn json<T: DeserializeOwned>(&self, index: usize, column: &'static str) -> Result<T, Error> {
        let text = self.row.get_ref(index).map_err(|error| self.corrupt(column, error))?;
        let text = text.as_str().map_err(|error| self.corrupt(column, error))?;
        serde_json::from_str(text).map_err(|error| {
            // The decoder's own words may hold the value.
            let what = format!("{:?} error at column {} of {}", error.classify(), error.column(), text.len());
            self.corrupt(column, what)
        })
    }

    /// A column of JSON or NULL.
    pub(super) fn optional_json<T: DeserializeOwned>(
        &self,
        index: usize,
        column: &'static str,
    ) -> Result<Option<T>, Error> {
        match self.row.get_ref(index) {
            Ok(ValueRef::Null) => Ok(None),
            _ => self.json(index, column).map(Some),
        }
    }

    /// The error of a value that does not decode.
    pub(super) fn corrupt(
        &self,
        column: &'static str,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Error {
        Error::Corrupt { table: self.table, column, source: source.into() }
    }
}
