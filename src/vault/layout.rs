//! The columns of each table, which are the same in both databases.

use super::{Row, Table};

/// A table as SQL knows it. The first column is the key.
#[derive(Debug)]
pub(super) struct Layout {
    pub(super) table: &'static str,
    /// The operations of reading one row, and a page, as errors and metrics name them.
    pub(super) reading: &'static str,
    pub(super) listing: &'static str,
    pub(super) columns: &'static [Column],
}

/// A column: its name, and the field of a [`Row`] that it holds.
#[derive(Debug)]
pub(super) struct Column(pub(super) &'static str, pub(super) Field);

/// The field of a row that a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Field {
    Key,
    /// The key, kept as the number that its hexadecimal digits are.
    KeyNumber,
    Owner,
    Number,
    Sealed,
    Count,
    /// The count, kept as whether it is above 0.
    Flag,
    Since,
}

/// A parameter of a statement.
#[derive(Clone, Copy, Debug)]
pub(super) enum Value<'a> {
    Text(&'a str),
    Bytes(&'a [u8]),
    Number(i64),
    Count(u32),
    Flag(bool),
    Since(Option<i64>),
}

const CREDENTIAL: Layout = Layout {
    table: "credential",
    reading: "read a credential",
    listing: "list the credentials",
    columns: &[
        Column("user_id", Field::Key),
        Column("revision", Field::Number),
        Column("sealed", Field::Sealed),
        Column("suspended_at", Field::Since),
        Column("refusals", Field::Count),
    ],
};

const LOGIN_FLOW: Layout = Layout {
    table: "login_flow",
    reading: "read a login flow",
    listing: "list the login flows",
    columns: &[
        Column("flow_id", Field::Key),
        Column("user_id", Field::Owner),
        Column("expires_at", Field::Number),
        Column("sealed", Field::Sealed),
        Column("holds_password", Field::Flag),
    ],
};

const BINDING: Layout = Layout {
    table: "binding",
    reading: "read a binding",
    listing: "list the bindings",
    columns: &[
        Column("person_id", Field::Key),
        Column("user_id", Field::Owner),
        Column("sealed", Field::Sealed),
    ],
};

const REFUSED_LOGIN: Layout = Layout {
    table: "refused_login",
    reading: "read a refused login",
    listing: "read the refused logins",
    columns: &[
        Column("id", Field::KeyNumber),
        Column("refused_at", Field::Number),
    ],
};

const BEARER_SERVER: Layout = Layout {
    table: "bearer_server",
    reading: "read which server takes bearer logins",
    listing: "list the servers that take bearer logins",
    columns: &[Column("url", Field::Key)],
};

// === impl Layout ===

impl Layout {
    pub(super) fn of(table: Table) -> &'static Self {
        match table {
            Table::Credential => &CREDENTIAL,
            Table::LoginFlow => &LOGIN_FLOW,
            Table::Binding => &BINDING,
            Table::RefusedLogin => &REFUSED_LOGIN,
            Table::BearerServer => &BEARER_SERVER,
        }
    }

    /// The name of the key's column.
    pub(super) fn key(&self) -> &'static str {
        self.columns[0].0
    }

    /// The name of the owner's column; the key's, where there is none.
    pub(super) fn owner(&self) -> &'static str {
        self.columns[self.position(Field::Owner).unwrap_or_default()].0
    }

    /// The position of the column of `field`, if there is one.
    pub(super) fn position(&self, field: Field) -> Option<usize> {
        self.columns.iter().position(|column| column.1 == field)
    }

    /// The text that `text` gives for each column, from its position and name, joined by `separator`.
    pub(super) fn join(
        &self,
        separator: &str,
        text: impl Fn(usize, &'static str) -> String,
    ) -> String {
        let columns = self.columns.iter().enumerate();
        let texts: Vec<_> = columns.map(|(at, column)| text(at, column.0)).collect();
        texts.join(separator)
    }

    /// The names of all columns.
    pub(super) fn names(&self) -> String {
        self.join(", ", |_, name| name.into())
    }

    /// `key` as its column holds it.
    pub(super) fn key_value<'a>(&self, key: &'a str) -> Value<'a> {
        match self.columns[0].1 {
            Field::KeyNumber => Value::Number(i64::from_str_radix(key, 16).unwrap_or(-1)),
            _ => Value::Text(key),
        }
    }

    /// The values of all columns.
    pub(super) fn values<'a>(&self, row: &'a Row) -> Vec<Value<'a>> {
        let value = |column: &Column| match column.1 {
            Field::Key | Field::KeyNumber => self.key_value(&row.key),
            Field::Owner => Value::Text(&row.owner),
            Field::Number => Value::Number(row.number),
            Field::Sealed => Value::Bytes(&row.sealed),
            Field::Count => Value::Count(row.count),
            Field::Flag => Value::Flag(row.count > 0),
            Field::Since => Value::Since(row.since),
        };
        self.columns.iter().map(value).collect()
    }
}
