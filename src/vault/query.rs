//! The statements on rows. All tables have the same columns.
//!
//! They are written as those on the [tables of deliveries](super::deliveries), and carried out in the same way.

use std::sync::Arc;

pub(super) use super::deliveries::Query;
use super::deliveries::{SqlRow, SqlValue};
use super::{Change, Expected, Row, Table};

const COLUMNS: &str = "key, owner, number, sealed, count, since";

/// How a database makes a change depend on others, where the two differ.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dialect {
    /// The beginning of the condition of an INSERT or an UPDATE, and of a DELETE.
    pub(super) storing_if: &'static str,
    pub(super) deleting_if: &'static str,
    /// The end of an INSERT that expects no row.
    pub(super) adding: &'static str,
}

/// The parameters of statements that are carried out together, numbered throughout.
pub(super) struct Parameters {
    dialect: Dialect,
    pub(super) values: Vec<SqlValue>,
}

pub(super) struct ChangeSql {
    pub(super) sql: String,
    pub(super) expects: Option<Expects>,
}

/// The expectation of a change: a table, `WHERE`, and a condition.
#[cfg_attr(
    not(feature = "postgres"),
    expect(dead_code, reason = "SQLite counts the rows that a statement changed")
)]
pub(super) enum Expects {
    Row(String),
    NoRow(String),
}

/// The methods of a [`Store`](super::Store) that only read, for one with the tables. It has the methods `cache`, `read`, and
/// `epoch`, which is that of the cache: `None` if nothing may be answered from it.
macro_rules! reading {
    () => {
        fn cached(&self, table: Table, key: &str) -> Option<Option<Arc<Row>>> {
            self.cache().lookup(table, key, || self.epoch()).ok()
        }

        fn get<'a>(&'a self, table: Table, key: &'a str) -> StoreFuture<'a, Option<Arc<Row>>> {
            Box::pin(async move {
                let ticket = match self.cache().lookup(table, key, || self.epoch()) {
                    Ok(row) => return Ok(row),
                    Err(ticket) => ticket,
                };
                let [action, _] = table.actions();
                let sql = format!("{} WHERE key = $1", select(table));
                let found = self.read(action, Query { sql, values: vec![key.into()] }).await?;
                let found = found.first().map(decode);
                self.cache().remember(ticket, table, key, found.clone());
                Ok(found)
            })
        }

        fn page<'a>(
            &'a self,
            table: Table,
            owner: Option<&'a str>,
            after: Option<&'a str>,
            limit: usize,
        ) -> StoreFuture<'a, Vec<Arc<Row>>> {
            Box::pin(async move {
                let (mut sql, mut values) = (select(table) + " WHERE TRUE", Vec::new());
                for (condition, text) in [("owner =", owner), ("key >", after)] {
                    if let Some(text) = text {
                        values.push(text.into());
                        sql += &format!(" AND {condition} ${}", values.len());
                    }
                }
                values.push(i64::try_from(limit).unwrap_or(i64::MAX).into());
                sql += &format!(" ORDER BY key LIMIT ${}", values.len());
                let [_, action] = table.actions();
                Ok(self.read(action, Query { sql, values }).await?.iter().map(decode).collect())
            })
        }

        fn count(&self) -> StoreFuture<'_, CredentialCounts> {
            let sql = "SELECT count(*) - count(since), count(since) FROM portreeve.credential";
            let query = Query { sql: sql.to_owned(), values: Vec::new() };
            Box::pin(async move {
                let rows = self.read("count the credentials", query).await?;
                let number = |at| rows.first().map_or(0, |row| row.number(at).cast_unsigned());
                Ok(CredentialCounts { active: number(0), suspended: number(1) })
            })
        }
    };
}

pub(super) use reading;

pub(super) fn select(table: Table) -> String {
    format!("SELECT {COLUMNS} FROM {}", name(table))
}

fn name(table: Table) -> String {
    format!("portreeve.{}", table.as_str())
}

pub(super) fn decode(row: &SqlRow) -> Arc<Row> {
    Arc::new(Row {
        key: row.text(0).into(),
        owner: row.text(1).into(),
        number: row.number(2),
        sealed: row.bytes(3).into(),
        count: u32::try_from(row.number(4)).unwrap_or_default(),
        since: row.number_at(5),
    })
}

impl Parameters {
    pub(super) fn new(dialect: Dialect) -> Self {
        Self { dialect, values: Vec::new() }
    }

    pub(super) fn change(&mut self, change: &Change) -> ChangeSql {
        match change {
            Change::Put { table, row, expected } => self.put(*table, row, expected),
            Change::Remove { table, key, expected } => {
                let is_it = match expected {
                    Some(row) => self.is_row(row),
                    None => format!("key = {}", self.bind(&**key)),
                };
                let (table, deleting_if) = (name(*table), self.dialect.deleting_if);
                ChangeSql {
                    sql: format!("DELETE FROM {table}{deleting_if} AND {is_it}"),
                    expects: Some(Expects::Row(format!("{table} WHERE {is_it}"))),
                }
            }
        }
    }

    fn put(&mut self, table: Table, row: &Row, expected: &Expected) -> ChangeSql {
        let has_unique_owner = table.has_unique_owner();
        let Dialect { storing_if, adding, .. } = self.dialect;
        let table = name(table);
        let values = self.row(row);
        let all = values.join(", ");
        let insert = format!("INSERT INTO {table} ({COLUMNS}) SELECT {all}{storing_if}");
        let (sql, expects) = match expected {
            Expected::Anything => {
                let excluded = format!("excluded.{}", COLUMNS.replace(", ", ", excluded."));
                let or = format!("ON CONFLICT (key) DO UPDATE SET ({COLUMNS}) = ({excluded})");
                (format!("{insert} {or}"), None)
            }
            Expected::Nothing => {
                let [key, owner, ..] = &values;
                let mut is_there = format!("key = {key}");
                if has_unique_owner {
                    is_there += &format!(" OR owner = {owner}");
                }
                let expects = Expects::NoRow(format!("{table} WHERE {is_there}"));
                (insert + adding, Some(expects))
            }
            Expected::Row(from) => {
                let mut is_from = self.is_row(from);
                let mut set = format!("({COLUMNS}) = ({all})");
                // What stays is not set: a trigger asks for its key, which may have been taken away.
                if row.sealed == from.sealed {
                    let [key, owner, number, sealed, count, since] = &values;
                    set = format!(
                        "key = {key}, owner = {owner}, number = {number}, count = {count}, since = {since}"
                    );
                    is_from += &format!(" AND sealed = {sealed}");
                }
                let update = format!("UPDATE {table} SET {set}");
                let expects = Expects::Row(format!("{table} WHERE {is_from}"));
                (format!("{update}{storing_if} AND {is_from}"), Some(expects))
            }
        };
        ChangeSql { sql, expects }
    }

    fn is_row(&mut self, row: &Row) -> String {
        let [key, owner, number, sealed, count, since] = self.row(row);
        format!(
            "key = {key} AND owner = {owner} AND number = {number} AND sealed = {sealed} \
             AND count = {count} AND since IS NOT DISTINCT FROM {since}"
        )
    }

    fn row(&mut self, row: &Row) -> [String; 6] {
        [
            self.bind(&*row.key),
            self.bind(&*row.owner),
            self.bind(row.number),
            self.bind(row.sealed.clone()),
            self.bind(i64::from(row.count)),
            self.bind(row.since.map_or(SqlValue::Null, SqlValue::Number)),
        ]
    }

    fn bind(&mut self, value: impl Into<SqlValue>) -> String {
        self.values.push(value.into());
        format!("${}", self.values.len())
    }
}
