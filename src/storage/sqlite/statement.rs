//! One prepared statement: run, or asked for rows.

use super::super::Error;
use super::failed;
use rusqlite::types::FromSql;
use rusqlite::{Connection, Params, Row};

/// Runs it. Says how many rows it touched.
pub(super) fn execute(connection: &Connection, statement: &str, row: impl Params) -> Result<u64, Error> {
    Ok(connection.prepare_cached(statement).map_err(failed)?.execute(row).map_err(failed)? as u64)
}

/// All its rows.
pub(super) fn all<T>(
    connection: &Connection,
    statement: &str,
    row: impl Params,
    read: impl Fn(&Row<'_>) -> Result<T, Error>,
) -> Result<Vec<T>, Error> {
    let mut statement = connection.prepare_cached(statement).map_err(failed)?;
    let mut rows = statement.query(row).map_err(failed)?;
    let mut found = Vec::new();
    while let Some(row) = rows.next().map_err(failed)? {
        found.push(read(row)?);
    }
    Ok(found)
}

/// Its first row, if there is one.
pub(super) fn first<T>(
    connection: &Connection,
    statement: &str,
    row: impl Params,
    read: impl FnOnce(&Row<'_>) -> Result<T, Error>,
) -> Result<Option<T>, Error> {
    let mut statement = connection.prepare_cached(statement).map_err(failed)?;
    let mut rows = statement.query(row).map_err(failed)?;
    rows.next().map_err(failed)?.map(read).transpose()
}

/// The first column of its first row, if there is one.
pub(super) fn value<T: FromSql>(
    connection: &Connection,
    statement: &str,
    row: impl Params,
) -> Result<Option<T>, Error> {
    first(connection, statement, row, |row| row.get(0).map_err(failed))
}

/// The only column of the only row of a statement that always has them: a count, a sum, a test.
pub(super) fn one<T: FromSql>(connection: &Connection, statement: &str, row: impl Params) -> Result<T, Error> {
    let mut statement = connection.prepare_cached(statement).map_err(failed)?;
    statement.query_row(row, |row| row.get(0)).map_err(failed)
}
