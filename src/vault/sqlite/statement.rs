//! SQL as SQLite writes it, and the rows that it answers with.

use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, ToSql, params_from_iter};

use super::super::query::{ChangeSql, Dialect, Parameters, Value};
use super::super::{Change, Row};

pub(super) const DIALECT: Dialect = Dialect {
    schema: "main",
    sigil: '?',
    storing_if: " WHERE TRUE",
    deleting_if: " WHERE TRUE",
    adding: " ON CONFLICT DO NOTHING",
};

/// Makes `change`; `false` if it does not find the row that it expects.
pub(super) fn apply(connection: &Connection, change: &Change) -> rusqlite::Result<bool> {
    let mut parameters = Parameters::new(DIALECT);
    let ChangeSql { sql, expects } = parameters.change(change);
    let mut statement = connection.prepare_cached(&sql)?;
    let changed = statement.execute(params_from_iter(parameters.values))?;
    Ok(changed > 0 || expects.is_none())
}

/// The row that `columns` hold.
pub(super) fn decode(columns: &rusqlite::Row<'_>) -> rusqlite::Result<Row> {
    Ok(Row {
        key: columns.get(0)?,
        owner: columns.get(1)?,
        number: columns.get(2)?,
        sealed: columns.get(3)?,
        count: columns.get(4)?,
        since: columns.get(5)?,
    })
}

impl ToSql for Value<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match *self {
            Self::Text(text) => ValueRef::Text(text.as_bytes()),
            Self::Bytes(bytes) => ValueRef::Blob(bytes),
            Self::Number(number) => number.map_or(ValueRef::Null, ValueRef::Integer),
        }))
    }
}
