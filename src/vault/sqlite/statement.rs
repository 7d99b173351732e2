//! The statements that change rows, made from the layout of their tables.

use std::sync::Arc;

use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, ToSql, params_from_iter};

use super::super::layout::{Column, Field, Layout, Value};
use super::super::query::{Dialect, Query};
use super::super::{Change, Expected, Replacement, Row, Table};

pub(super) const DIALECT: Dialect = Dialect {
    schema: "main",
    parameter: '?',
};

/// Makes `change`, if it finds the row that it expects, and returns how many rows it changed.
pub(super) fn apply(connection: &Connection, change: &Change) -> rusqlite::Result<usize> {
    let statement = match change {
        Change::Put {
            table,
            row,
            expected,
        } => match expected {
            Expected::Anything => upsert(Layout::of(*table), row),
            Expected::Nothing => add(Layout::of(*table), row),
            Expected::Row(from) => update(Layout::of(*table), from, row),
        },
        Change::Remove {
            table,
            key,
            expected,
        } => remove(Layout::of(*table), key, expected.as_deref()),
        Change::Expire { table, before } => expire(Layout::of(*table), *before),
        Change::Trim { table, owner, keep } => trim(Layout::of(*table), owner, *keep),
    };
    run(connection, statement)
}

/// Makes `replacement`, if it finds the row that it expects, and returns how many rows it changed.
pub(super) fn replace(
    connection: &Connection,
    table: Table,
    replacement: &Replacement,
) -> rusqlite::Result<usize> {
    let Replacement { from, to } = replacement;
    let layout = Layout::of(table);
    let statement = match from {
        Some(from) => update(layout, from, to),
        None => add(layout, to),
    };
    run(connection, statement)
}

fn run(connection: &Connection, Query { sql, values }: Query<'_>) -> rusqlite::Result<usize> {
    let mut statement = connection.prepare_cached(&sql)?;
    statement.execute(params_from_iter(values))
}

fn upsert<'a>(layout: &Layout, row: &'a Row) -> Query<'a> {
    let (key, insert) = (layout.key(), insert(layout));
    let set = layout.join(", ", |_, name| format!("{name} = excluded.{name}"));
    Query {
        sql: format!("{insert} ON CONFLICT ({key}) DO UPDATE SET {set}"),
        values: layout.values(row),
    }
}

fn add<'a>(layout: &Layout, row: &'a Row) -> Query<'a> {
    Query {
        sql: format!("{} ON CONFLICT DO NOTHING", insert(layout)),
        values: layout.values(row),
    }
}

fn update<'a>(layout: &Layout, from: &'a Row, to: &'a Row) -> Query<'a> {
    let mut values = layout.values(to);
    let set = layout.join(", ", |at, name| format!("{name} = ?{}", at + 1));
    let is_from = is_row(layout, values.len());
    values.extend(layout.values(from));
    let sql = format!("UPDATE {} SET {set} WHERE {is_from}", layout.table);
    Query { sql, values }
}

fn remove<'a>(layout: &Layout, key: &'a str, expected: Option<&'a Row>) -> Query<'a> {
    let (condition, values) = match expected {
        Some(row) => (is_row(layout, 0), layout.values(row)),
        None => (
            format!("{} = ?1", layout.key()),
            vec![layout.key_value(key)],
        ),
    };
    let sql = format!("DELETE FROM {} WHERE {condition}", layout.table);
    Query { sql, values }
}

fn expire<'a>(layout: &Layout, before: i64) -> Query<'a> {
    Query {
        sql: format!(
            "DELETE FROM {} WHERE {}",
            layout.table,
            layout.is_expired("?1")
        ),
        values: vec![Value::Number(before)],
    }
}

fn trim<'a>(layout: &Layout, owner: &'a str, keep: usize) -> Query<'a> {
    let (table, is_surplus) = (layout.table, layout.is_surplus(layout.table, "?1", "?2"));
    Query {
        sql: format!("DELETE FROM {table} WHERE {is_surplus}"),
        values: vec![Value::Text(owner), Value::limit(keep)],
    }
}

fn insert(layout: &Layout) -> String {
    let values = layout.join(", ", |at, _| format!("?{}", at + 1));
    let (table, names) = (layout.table, layout.names());
    format!("INSERT INTO {table} ({names}) VALUES ({values})")
}

/// The condition that a row is the one whose values are the parameters after the first `skipped`.
fn is_row(layout: &Layout, skipped: usize) -> String {
    layout.join(" AND ", |at, name| {
        format!("{name} IS ?{}", skipped + at + 1)
    })
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
    if layout.column(Field::Owner).is_none() {
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
