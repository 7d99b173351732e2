//! The statements that change rows, made from the layout of their tables. A commit is one statement.
//!
//! For each change that expects a row, that row is locked; `failed` is the position of the first change that
//! does not find the row it expects, and the changes are made if there is none. A row that another transaction
//! stores at the same time under a key where none is expected violates a unique index: nothing is changed, and the
//! statement is repeated.

use std::sync::Arc;

use bytes::BytesMut;
use tokio_postgres::Error;
use tokio_postgres::types::{IsNull, ToSql, Type};

use super::super::layout::{Column, Field, Layout, Value};
use super::super::query::Dialect;
use super::super::{Change, Expected, Row, Table};

pub(super) const DIALECT: Dialect = Dialect {
    schema: "portreeve",
    parameter: '$',
};

/// The statement of a commit.
#[derive(Default)]
pub(super) struct Statement<'a> {
    /// Named queries that lock rows, each with a comma after it.
    locks: String,
    /// For each change that can fail, `WHEN` it does `THEN` its position.
    failures: String,
    /// Named changes, each with a comma before it.
    changes: String,
    /// Summands of the number of rows that expired, each with a plus before it.
    expired: String,
    pub(super) values: Vec<Value<'a>>,
}

// === impl Statement ===

impl<'a> Statement<'a> {
    pub(super) fn of(changes: &'a [Change]) -> Self {
        let mut statement = Self::default();
        for (at, change) in changes.iter().enumerate() {
            statement.add(at, change);
        }
        statement
    }

    /// The text. It answers with the position of the change that failed, -1 if none did, and with the
    /// number of rows that expired.
    pub(super) fn sql(&self) -> String {
        let Self {
            locks,
            failures,
            changes,
            expired,
            ..
        } = self;
        // An empty CASE is a syntax error.
        let failed = format!("CASE WHEN false THEN 0{failures} ELSE -1 END");
        format!(
            "WITH {locks}outcome AS MATERIALIZED (SELECT {failed} AS failed){changes} \
             SELECT failed, 0::bigint{expired} FROM outcome"
        )
    }

    fn add(&mut self, at: usize, change: &'a Change) {
        let sql = match change {
            Change::Put {
                table,
                row,
                expected,
            } => self.put(at, *table, row, expected),
            Change::Remove {
                table,
                key,
                expected,
            } => self.remove(at, Layout::of(*table), key, expected.as_deref()),
            Change::Expire { table, before } => {
                self.expired += &format!(" + (SELECT count(*) FROM change{at})");
                self.expire(Layout::of(*table), *before)
            }
            Change::Trim { table, owner, keep } => self.trim(Layout::of(*table), owner, *keep),
        };
        self.changes += &format!(", change{at} AS ({sql})");
    }

    fn put(&mut self, at: usize, table: Table, row: &'a Row, expected: &'a Expected) -> String {
        let layout = Layout::of(table);
        let has_unique_owner = table.has_unique_owner();
        let values = self.parameters(layout, row);
        let (table, names, key) = (layout.table, layout.names(), layout.key());
        let insert = format!(
            "INSERT INTO portreeve.{table} ({names}) SELECT {} FROM outcome WHERE failed < 0",
            values.join(", ")
        );
        match expected {
            Expected::Anything => {
                let set = layout.join(", ", |_, name| format!("{name} = excluded.{name}"));
                format!("{insert} ON CONFLICT ({key}) DO UPDATE SET {set}")
            }
            Expected::Nothing => {
                let mut is_there = format!("{key} = {}", values[0]);
                if has_unique_owner {
                    let owner = self.parameter(Value::Text(&row.owner), Field::Owner);
                    is_there += &format!(" OR {} = {owner}", layout.owner());
                }
                self.failures += &format!(
                    " WHEN EXISTS (SELECT FROM portreeve.{table} WHERE {is_there}) THEN {at}"
                );
                insert
            }
            Expected::Row(from) => {
                let is_row = self.is_row(layout, from);
                self.lock(at, layout, &is_row);
                let set = layout.join(", ", |at, name| format!("{name} = {}", values[at]));
                format!(
                    "UPDATE portreeve.{table} SET {set} FROM outcome WHERE failed < 0 AND {key} = {}",
                    values[0]
                )
            }
        }
    }

    fn remove(
        &mut self,
        at: usize,
        layout: &'static Layout,
        key: &'a str,
        expected: Option<&'a Row>,
    ) -> String {
        let (table, name) = (layout.table, layout.key());
        let key = self.parameter(layout.key_value(key), layout.columns[0].1);
        let is_row = match expected {
            Some(row) => self.is_row(layout, row),
            None => format!("{name} = {key}"),
        };
        self.lock(at, layout, &is_row);
        format!("DELETE FROM portreeve.{table} USING outcome WHERE failed < 0 AND {name} = {key}")
    }

    fn expire(&mut self, layout: &Layout, before: i64) -> String {
        let before = self.parameter(Value::Number(before), Field::Number);
        let (table, is_expired) = (layout.table, layout.is_expired(&before));
        format!(
            "DELETE FROM portreeve.{table} USING outcome WHERE failed < 0 AND {is_expired} RETURNING 1"
        )
    }

    fn trim(&mut self, layout: &Layout, owner: &'a str, keep: usize) -> String {
        let owner = self.parameter(Value::Text(owner), Field::Owner);
        let keep = self.parameter(Value::limit(keep), Field::Number);
        let table = format!("portreeve.{}", layout.table);
        let is_surplus = layout.is_surplus(&table, &owner, &keep);
        format!("DELETE FROM {table} USING outcome WHERE failed < 0 AND {is_surplus}")
    }

    /// Locks the row for which `condition` holds, without which the change fails.
    fn lock(&mut self, at: usize, layout: &Layout, condition: &str) {
        self.locks += &format!(
            "row{at} AS MATERIALIZED (SELECT FROM portreeve.{} WHERE {condition} FOR UPDATE), ",
            layout.table
        );
        self.failures += &format!(" WHEN NOT EXISTS (SELECT FROM row{at}) THEN {at}");
    }

    /// The condition that a row is `row`.
    fn is_row(&mut self, layout: &'static Layout, row: &'a Row) -> String {
        let values = self.parameters(layout, row);
        let rest = layout.join(" AND ", |at, name| {
            format!("{name} IS NOT DISTINCT FROM {}", values[at])
        });
        // The equality by which it is found in the index.
        format!("{} = {} AND {rest}", layout.key(), values[0])
    }

    /// The names of the parameters with the values of `row`.
    fn parameters(&mut self, layout: &'static Layout, row: &'a Row) -> Vec<String> {
        let values = layout.values(row).into_iter().zip(layout.columns);
        values
            .map(|(value, column)| self.parameter(value, column.1))
            .collect()
    }

    fn parameter(&mut self, value: Value<'a>, field: Field) -> String {
        self.values.push(value);
        format!("${}::{}", self.values.len(), sql_type(field))
    }
}

/// Replaces rows of one table, each independently. The parameters are arrays: for each column the old values (NULL
/// where no row is expected), then for each the new ones. It answers with the keys of those that were replaced.
pub(super) fn replace_each(layout: &Layout) -> String {
    let width = layout.columns.len();
    let (table, key, names) = (layout.table, layout.key(), layout.names());
    let arrays = |from: usize| {
        let columns = layout.columns.iter().enumerate();
        let arrays = columns
            .map(|(at, Column(_, field))| format!("${}::{}[]", from + at + 1, sql_type(*field)));
        arrays.collect::<Vec<_>>().join(", ")
    };
    let old = layout.join(", ", |_, name| format!("old_{name}"));
    let new = layout.join(", ", |_, name| format!("new_{name}"));
    let set = layout.join(", ", |_, name| format!("{name} = new_{name}"));
    let is_old = layout.join(" AND ", |_, name| {
        format!("{name} IS NOT DISTINCT FROM old_{name}")
    });
    format!(
        "WITH given AS (SELECT * FROM unnest({}, {}) AS given ({old}, {new})), \
         replaced AS (UPDATE portreeve.{table} SET {set} FROM given \
             WHERE {key} = old_{key} AND {is_old} RETURNING {key}), \
         added AS (INSERT INTO portreeve.{table} ({names}) \
             SELECT {new} FROM given WHERE old_{key} IS NULL \
             ON CONFLICT DO NOTHING RETURNING {key}) \
         SELECT {key} FROM replaced UNION ALL SELECT {key} FROM added",
        arrays(0),
        arrays(width)
    )
}

/// The row of `layout` that `columns` hold.
pub(super) fn decode(layout: &Layout, columns: &tokio_postgres::Row) -> Result<Row, Error> {
    let key = key(layout, columns)?;
    let mut row = Row::new(key.clone(), key, 0);
    for (at, Column(_, field)) in layout.columns.iter().enumerate() {
        match field {
            Field::Key | Field::KeyNumber => {}
            Field::Owner => row.owner = columns.try_get::<_, &str>(at)?.into(),
            Field::Number => row.number = columns.try_get(at)?,
            Field::Sealed => row.sealed = columns.try_get::<_, &[u8]>(at)?.into(),
            Field::Count => row.count = columns.try_get::<_, i32>(at)?.cast_unsigned(),
            Field::Flag => row.count = columns.try_get::<_, bool>(at)?.into(),
            Field::Since => row.since = columns.try_get(at)?,
        }
    }
    Ok(row)
}

/// The first column.
pub(super) fn key(layout: &Layout, columns: &tokio_postgres::Row) -> Result<Arc<str>, Error> {
    Ok(match layout.columns[0].1 {
        Field::KeyNumber => format!("{:016x}", columns.try_get::<_, i64>(0)?).into(),
        _ => columns.try_get::<_, &str>(0)?.into(),
    })
}

fn sql_type(field: Field) -> &'static str {
    match field {
        Field::Key | Field::Owner => "text",
        Field::KeyNumber | Field::Number | Field::Since => "bigint",
        Field::Sealed => "bytea",
        Field::Count => "integer",
        Field::Flag => "boolean",
    }
}

impl ToSql for Value<'_> {
    fn to_sql(
        &self,
        ty: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        match self {
            Self::Text(text) => text.to_sql(ty, out),
            Self::Bytes(bytes) => bytes.to_sql(ty, out),
            Self::Number(number) => number.to_sql(ty, out),
            Self::Count(count) => count.cast_signed().to_sql(ty, out),
            Self::Flag(flag) => flag.to_sql(ty, out),
            Self::Since(since) => since.to_sql(ty, out),
        }
    }

    // Each has the type of its column.
    fn accepts(_: &Type) -> bool {
        true
    }

    tokio_postgres::types::to_sql_checked!();
}
