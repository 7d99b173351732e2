//! SQL as SQLite writes it, and the rows that it answers with.

use std::sync::Arc;

use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, ToSql, params_from_iter};

use super::super::layout::{Column, Field, Layout, Value};
use super::super::query::{ChangeSql, Dialect, Parameters};
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

/// The row of `layout` that `columns` hold.
pub(super) fn decode(layout: &Layout, columns: &rusqlite::Row<'_>) -> rusqlite::Result<Row> {
    let mut row = Row::new(Arc::default(), Arc::default(), 0);
    for (at, Column(_, field)) in layout.columns.iter().enumerate() {
        match field {
            Field::Key => row.key = columns.get(at)?,
            Field::KeyNumber => row.key = format!("{:016x}", columns.get::<_, i64>(at)?).into(),
            Field::Owner => row.owner = columns.get(at)?,
            Field::Number => row.number = columns.get(at)?,
            Field::Sealed => row.sealed = columns.get(at)?,
            Field::Count | Field::Flag => row.count = columns.get(at)?,
            Field::Since => row.since = columns.get(at)?,
        }
    }
    if layout.position(Field::Owner).is_none() {
        row.owner = row.key.clone();
    }
    Ok(row)
}

impl ToSql for Value<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match *self {
            Self::Text(text) => ValueRef::Text(text.as_bytes()),
            Self::Bytes(bytes) => ValueRef::Blob(bytes),
            Self::Number(number) => ValueRef::Integer(number),
            Self::Count(count) => ValueRef::Integer(count.into()),
            Self::Flag(flag) => ValueRef::Integer(flag.into()),
            Self::Since(Some(since)) => ValueRef::Integer(since),
            Self::Since(None) => ValueRef::Null,
        }))
    }
}
