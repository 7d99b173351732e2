//! The statements that read, which both databases understand.

use super::layout::{Layout, Value};

/// How a database writes SQL, where they differ.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dialect {
    /// The name of the schema that has the tables.
    pub(super) schema: &'static str,
    /// The character before the number of a parameter.
    pub(super) parameter: char,
}

/// A statement and its parameters.
#[derive(Debug)]
pub(super) struct Query<'a> {
    pub(super) sql: String,
    pub(super) values: Vec<Value<'a>>,
}

// === impl Dialect ===

impl Dialect {
    /// The row under `key`.
    pub(super) fn one<'a>(self, layout: &Layout, key: &'a str) -> Query<'a> {
        let parameter = self.parameter;
        Query {
            sql: format!(
                "{} WHERE {} = {parameter}1",
                self.select(layout),
                layout.key()
            ),
            values: vec![layout.key_value(key)],
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
        let (key, parameter) = (layout.key(), self.parameter);
        let mut values = vec![Value::limit(limit)];
        let mut conditions = String::from("TRUE");
        if let Some(owner) = owner {
            values.push(Value::Text(owner));
            conditions += &format!(" AND {} = {parameter}{}", layout.owner(), values.len());
        }
        if let Some(after) = after {
            values.push(layout.key_value(after));
            conditions += &format!(" AND {key} > {parameter}{}", values.len());
        }
        let select = self.select(layout);
        let sql = format!("{select} WHERE {conditions} ORDER BY {key} LIMIT {parameter}1");
        Query { sql, values }
    }

    /// How many credentials are active, and how many suspended.
    pub(super) fn count(self) -> String {
        let schema = self.schema;
        format!(
            "SELECT count(*) - count(suspended_at), count(suspended_at) FROM {schema}.credential"
        )
    }

    /// Reads as little as it takes to know that the tables are there.
    pub(super) fn probe(self) -> String {
        format!("SELECT 1 FROM {}.credential LIMIT 1", self.schema)
    }

    fn select(self, layout: &Layout) -> String {
        let (schema, table) = (self.schema, layout.table);
        format!("SELECT {} FROM {schema}.{table}", layout.names())
    }
}
