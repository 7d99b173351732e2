//! The statements on rows. All tables have the same columns.

use super::{Change, Expected, Row, Table};

/// The columns of a table, in the order of their values.
pub(super) const COLUMNS: &str = "key, owner, number, sealed, count, since";

/// A parameter of a statement.
#[derive(Clone, Copy, Debug)]
pub(super) enum Value<'a> {
    Text(&'a str),
    Bytes(&'a [u8]),
    Number(Option<i64>),
}

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
    pub(super) fn one(self, table: Table, key: &str) -> Query<'_> {
        Query {
            sql: format!("{} WHERE key = {}1", self.select(table), self.sigil),
            values: vec![Value::Text(key)],
        }
    }

    /// Up to `limit` rows, of `owner` if one is named, after the key `after`, in the order of the keys.
    pub(super) fn page<'a>(
        self,
        table: Table,
        owner: Option<&'a str>,
        after: Option<&'a str>,
        limit: usize,
    ) -> Query<'a> {
        let mut parameters = Parameters::new(self);
        let mut conditions = String::from("TRUE");
        for (condition, text) in [("owner =", owner), ("key >", after)] {
            if let Some(text) = text {
                let text = parameters.bind(Value::Text(text));
                conditions += &format!(" AND {condition} {text}");
            }
        }
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let limit = parameters.bind(Value::Number(Some(limit)));
        let select = self.select(table);
        Query {
            sql: format!("{select} WHERE {conditions} ORDER BY key LIMIT {limit}"),
            values: parameters.values,
        }
    }

    /// How many credentials are active, and how many suspended.
    pub(super) fn count(self) -> Query<'static> {
        let schema = self.schema;
        Query {
            sql: format!("SELECT count(*) - count(since), count(since) FROM {schema}.credential"),
            values: Vec::new(),
        }
    }

    fn select(self, table: Table) -> String {
        format!("SELECT {COLUMNS} FROM {}", self.table(table))
    }

    fn table(self, table: Table) -> String {
        format!("{}.{}", self.schema, table.names().0)
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
                let is_it = match expected {
                    Some(row) => self.is_row(row),
                    None => format!("key = {}", self.bind(Value::Text(key))),
                };
                let (table, deleting_if) = (self.dialect.table(*table), self.dialect.deleting_if);
                ChangeSql {
                    sql: format!("DELETE FROM {table}{deleting_if} AND {is_it}"),
                    expects: Some(Expects::Row(format!("{table} WHERE {is_it}"))),
                }
            }
        }
    }

    fn put(&mut self, table: Table, row: &'a Row, expected: &'a Expected) -> ChangeSql {
        let has_unique_owner = table.has_unique_owner();
        let Dialect {
            storing_if, adding, ..
        } = self.dialect;
        let table = self.dialect.table(table);
        let values = self.row(row);
        let all = values.join(", ");
        let insert = format!("INSERT INTO {table} ({COLUMNS}) SELECT {all}{storing_if}");
        match expected {
            Expected::Anything => {
                let excluded = format!("excluded.{}", COLUMNS.replace(", ", ", excluded."));
                ChangeSql {
                    sql: format!(
                        "{insert} ON CONFLICT (key) DO UPDATE SET ({COLUMNS}) = ({excluded})"
                    ),
                    expects: None,
                }
            }
            Expected::Nothing => {
                let [key, owner, ..] = &values;
                let mut is_there = format!("key = {key}");
                if has_unique_owner {
                    is_there += &format!(" OR owner = {owner}");
                }
                ChangeSql {
                    sql: format!("{insert}{adding}"),
                    expects: Some(Expects::NoRow(format!("{table} WHERE {is_there}"))),
                }
            }
            Expected::Row(from) => {
                let is_from = self.is_row(from);
                ChangeSql {
                    sql: format!(
                        "UPDATE {table} SET ({COLUMNS}) = ({all}){storing_if} AND {is_from}"
                    ),
                    expects: Some(Expects::Row(format!("{table} WHERE {is_from}"))),
                }
            }
        }
    }

    /// The condition that a row is `row`.
    fn is_row(&mut self, row: &'a Row) -> String {
        let [key, owner, number, sealed, count, since] = self.row(row);
        format!(
            "key = {key} AND owner = {owner} AND number = {number} AND sealed = {sealed} \
             AND count = {count} AND since IS NOT DISTINCT FROM {since}"
        )
    }

    /// A parameter for each column.
    fn row(&mut self, row: &'a Row) -> [String; 6] {
        [
            Value::Text(&row.key),
            Value::Text(&row.owner),
            Value::Number(Some(row.number)),
            Value::Bytes(&row.sealed),
            Value::Number(Some(row.count.into())),
            Value::Number(row.since),
        ]
        .map(|value| self.bind(value))
    }

    fn bind(&mut self, value: Value<'a>) -> String {
        self.values.push(value);
        format!("{}{}", self.dialect.sigil, self.values.len())
    }
}
