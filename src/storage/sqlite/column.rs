//! Reading of columns. Never says a stored value.

use super::super::Error;
use super::super::json::{corrupt, decode, decode_optional};
use rusqlite::Row;
use rusqlite::types::FromSql;
use serde::de::DeserializeOwned;

/// A row of a known table, read by index; the name is what an error calls the column.
pub(super) struct Columns<'a> {
    row: &'a Row<'a>,
    table: &'static str,
}

impl<'a> Columns<'a> {
    pub(super) fn of(table: &'static str, row: &'a Row<'a>) -> Self {
        Self { row, table }
    }

    /// A column as SQLite keeps it.
    pub(super) fn get<T: FromSql>(&self, index: usize, column: &'static str) -> Result<T, Error> {
        self.row.get(index).map_err(|_| self.unlike(column))
    }

    /// A column of JSON.
    pub(super) fn json<T: DeserializeOwned>(&self, index: usize, column: &'static str) -> Result<T, Error> {
        let text = self.text(index, column)?.ok_or_else(|| self.unlike(column))?;
        decode(self.table, column, text)
    }

    /// A column of JSON or NULL.
    pub(super) fn optional_json<T: DeserializeOwned>(
        &self,
        index: usize,
        column: &'static str,
    ) -> Result<Option<T>, Error> {
        decode_optional(self.table, column, self.text(index, column)?)
    }

    fn text(&self, index: usize, column: &'static str) -> Result<Option<&'a str>, Error> {
        let value = self.row.get_ref(index).map_err(|_| self.unlike(column))?;
        value.as_str_or_null().map_err(|_| self.unlike(column))
    }

    fn unlike(&self, column: &'static str) -> Error {
        corrupt(self.table, column, "it has another type or is out of range")
    }
}
