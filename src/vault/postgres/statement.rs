//! The statements that change rows. A commit is one statement.
//!
//! For each change that expects a row, that row is locked; `failed` is the position of the first change that
//! does not find the row it expects, and the changes are made if there is none. A row that another transaction
//! stores at the same time under a key where none is expected violates a unique index: nothing is changed, and the
//! statement is repeated.

use tokio_postgres::Error;
use tokio_postgres::types::{ToSql, Type};

use super::super::query::{ChangeSql, Dialect, Expects, Parameters, Query, Value};
use super::super::{Change, Row};

pub(super) const DIALECT: Dialect = Dialect {
    schema: "portreeve",
    sigil: '$',
    storing_if: " FROM outcome WHERE failed < 0",
    deleting_if: " USING outcome WHERE failed < 0",
    adding: "",
};

/// A parameter and its type.
pub(super) type Parameter<'a> = (&'a (dyn ToSql + Sync), Type);

/// Whether a statement can be repeated although it may have been carried out already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Read,
    Write,
}

/// The statement of a commit. It answers with the position of the change that failed, -1 if none did.
pub(super) fn commit(changes: &[Change]) -> Query<'_> {
    let mut parameters = Parameters::new(DIALECT);
    let (mut locks, mut failures, mut made) = (String::new(), String::new(), String::new());
    for (at, change) in changes.iter().enumerate() {
        let ChangeSql { sql, expects } = parameters.change(change);
        match expects {
            Some(Expects::Row(row)) => {
                locks += &format!("row{at} AS MATERIALIZED (SELECT FROM {row} FOR UPDATE), ");
                failures += &format!(" WHEN NOT EXISTS (SELECT FROM row{at}) THEN {at}");
            }
            Some(Expects::NoRow(row)) => {
                failures += &format!(" WHEN EXISTS (SELECT FROM {row}) THEN {at}");
            }
            None => {}
        }
        made += &format!(", change{at} AS ({sql})");
    }
    // An empty CASE is a syntax error.
    let failed = format!("CASE WHEN false THEN 0{failures} ELSE -1 END");
    Query {
        sql: format!(
            "WITH {locks}outcome AS MATERIALIZED (SELECT {failed} AS failed){made} \
             SELECT failed FROM outcome"
        ),
        values: parameters.values,
    }
}

/// The row that `columns` hold.
pub(super) fn decode(columns: &tokio_postgres::Row) -> Result<Row, Error> {
    Ok(Row {
        key: columns.try_get::<_, &str>(0)?.into(),
        owner: columns.try_get::<_, &str>(1)?.into(),
        number: columns.try_get(2)?,
        sealed: columns.try_get::<_, &[u8]>(3)?.into(),
        count: u32::try_from(columns.try_get::<_, i64>(4)?).unwrap_or_default(),
        since: columns.try_get(5)?,
    })
}

/// `value`, and the type of the column that it is stored in.
pub(super) fn parameter<'a>(value: &'a Value<'_>) -> Parameter<'a> {
    match value {
        Value::Text(text) => (text, Type::TEXT),
        Value::Bytes(bytes) => (bytes, Type::BYTEA),
        Value::Number(number) => (number, Type::INT8),
    }
}
