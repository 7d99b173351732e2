//! The statements on rows, made from the layout of their tables.

use super::layout::{Field, Layout, Value};
use super::{Change, Expected, Row, Table};

/// How a database writes SQL, where the two differ.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dialect {
    /// The name of the schema that has the tables.
    pub(super) schema: &'static str,
    /// What stands before the number of a parameter.
    pub(super) sigil: char,
    /// The beginning of the condition of an INSERT or an UPDATE, and of a DELETE.
    pub(super) storing_if: &'static str,
    pub(super) deleting_if: &'static str,
    /// The end of an INSERT that expects no row.
    pub(super) adding: &'static str,
}

/// A statement and its parameters.
#[derive(Debug)]
pub(super) struct Query<'a> {
    pub(super) sql: String,
    pub(super) values: Vec<Value<'a>>,
}

/// The parameters of statements that are carried out together, numbered throughout.
pub(super) struct Parameters<'a> {
    dialect: Dialect,
    pub(super) values: Vec<Value<'a>>,
}

/// A change as a statement.
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
    /// There is such a row.
    Row(String),
    /// There is no such row.
    NoRow(String),
}

// === impl Dialect ===

impl Dialect {
    /// The row under `key`.
    pub(super) fn one<'a>(self, layout: &Layout, key: &'a str) -> Query<'a> {
        let mut parameters = Parameters::new(self);
        let wanted = parameters.key(layout, key);
        Query {
            sql: format!("{} WHERE {} = {wanted}", self.select(layout), layout.key()),
            values: parameters.values,
        }
    }

    /// Up to `limit` rows, of `owner` if one is named, after the key `after`, in the order of the keys.
    pub(super) fn page<'a>(
        self,
        layout: &Layout,
        owner: Option<&'a str>,
        after: Option<&'a str>,
        limit: usize,
    ) -> Query<'a> {
        let mut parameters = Parameters::new(self);
        let mut conditions = String::from("TRUE");
        if let Some(owner) = owner {
            let owner = parameters.bind(Value::Text(owner));
            conditions += &format!(" AND {} = {owner}", layout.owner());
        }
        if let Some(after) = after {
            let after = parameters.key(layout, after);
            conditions += &format!(" AND {} > {after}", layout.key());
        }
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let limit = parameters.bind(Value::Number(limit));
        let (select, key) = (self.select(layout), layout.key());
        Query {
            sql: format!("{select} WHERE {conditions} ORDER BY {key} LIMIT {limit}"),
            values: parameters.values,
        }
    }

    /// How many credentials are active, and how many suspended.
    pub(super) fn count(self) -> Query<'static> {
        let schema = self.schema;
        Query {
            sql: format!(
                "SELECT count(*) - count(suspended_at), count(suspended_at) FROM {schema}.credential"
            ),
            values: Vec::new(),
        }
    }

    /// Reads as little as it takes to know that the tables are there.
    pub(super) fn probe(self) -> Query<'static> {
        Query {
            sql: format!("SELECT 1 FROM {}.credential LIMIT 1", self.schema),
            values: Vec::new(),
        }
    }

    fn select(self, layout: &Layout) -> String {
        format!("SELECT {} FROM {}", layout.names(), self.table(layout))
    }

    fn table(self, layout: &Layout) -> String {
        format!("{}.{}", self.schema, layout.table)
    }
}

// === impl Parameters ===

impl<'a> Parameters<'a> {
    pub(super) fn new(dialect: Dialect) -> Self {
        Self {
            dialect,
            values: Vec::new(),
        }
    }

    /// The statement that makes `change`.
    pub(super) fn change(&mut self, change: &'a Change) -> ChangeSql {
        match change {
            Change::Put {
                table,
                row,
                expected,
            } => self.put(*table, row, expected),
            Change::Remove {
                table,
                key,
                expected,
            } => {
                let layout = Layout::of(*table);
                let is_it = match expected {
                    Some(row) => self.is_row(layout, row),
                    None => format!("{} = {}", layout.key(), self.key(layout, key)),
                };
                let (table, deleting_if) = (self.dialect.table(layout), self.dialect.deleting_if);
                ChangeSql {
                    sql: format!("DELETE FROM {table}{deleting_if} AND {is_it}"),
                    expects: Some(Expects::Row(format!("{table} WHERE {is_it}"))),
                }
            }
        }
    }

    fn put(&mut self, table: Table, row: &'a Row, expected: &'a Expected) -> ChangeSql {
        let layout = Layout::of(table);
        let has_unique_owner = table.has_unique_owner();
        let Dialect {
            storing_if, adding, ..
        } = self.dialect;
        let (table, names, key) = (self.dialect.table(layout), layout.names(), layout.key());
        let values = self.row(layout, row);
        let insert = format!(
            "INSERT INTO {table} ({names}) SELECT {}{storing_if}",
            values.join(", ")
        );
        match expected {
            Expected::Anything => {
                let set = layout.join(", ", |_, name| format!("{name} = excluded.{name}"));
                ChangeSql {
                    sql: format!("{insert} ON CONFLICT ({key}) DO UPDATE SET {set}"),
                    expects: None,
                }
            }
            Expected::Nothing => {
                let mut is_there = format!("{key} = {}", values[0]);
                if has_unique_owner {
                    let at = layout.position(Field::Owner).unwrap_or_default();
                    is_there += &format!(" OR {} = {}", layout.owner(), values[at]);
                }
                ChangeSql {
                    sql: format!("{insert}{adding}"),
                    expects: Some(Expects::NoRow(format!("{table} WHERE {is_there}"))),
                }
            }
            Expected::Row(from) => {
                let set = layout.join(", ", |at, name| format!("{name} = {}", values[at]));
                let is_from = self.is_row(layout, from);
                ChangeSql {
                    sql: format!("UPDATE {table} SET {set}{storing_if} AND {is_from}"),
                    expects: Some(Expects::Row(format!("{table} WHERE {is_from}"))),
                }
            }
        }
    }

    /// The condition that a row is `row`.
    fn is_row(&mut self, layout: &Layout, row: &'a Row) -> String {
        let values = self.row(layout, row);
        let is_same = layout.join(" AND ", |at, name| {
            format!("{name} IS NOT DISTINCT FROM {}", values[at])
        });
        // PostgreSQL finds a row in the index by equality alone.
        format!("{} = {} AND {is_same}", layout.key(), values[0])
    }

    /// A parameter for each column.
    fn row(&mut self, layout: &Layout, row: &'a Row) -> Vec<String> {
        let values = layout.values(row).into_iter();
        values.map(|value| self.bind(value)).collect()
    }

    fn key(&mut self, layout: &Layout, key: &'a str) -> String {
        self.bind(layout.key_value(key))
    }

    fn bind(&mut self, value: Value<'a>) -> String {
        self.values.push(value);
        format!("{}{}", self.dialect.sigil, self.values.len())
    }
}
