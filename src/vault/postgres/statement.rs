//! The statement of a commit: one, however many rows it changes.
//!
//! For each change that expects a row, that row is locked; `failed` is the position of the first change that does not find the
//! row it expects, and the changes are made if there is none. A row that another transaction stores at the same time under a
//! key where none is expected violates a unique index: nothing is changed, and the statement is repeated.

use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{SimpleQueryMessage, SimpleQueryRow};

use super::super::Change;
use super::super::query::{ChangeSql, Dialect, Expects, Parameters, Query};

const DIALECT: Dialect = Dialect {
    storing_if: " FROM outcome WHERE failed < 0",
    deleting_if: " USING outcome WHERE failed < 0",
    adding: "",
};

pub(super) type Parameter<'a> = (&'a (dyn ToSql + Sync), Type);

/// Whether a statement can be repeated although it may have been carried out already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Read,
    Write,
}

/// It answers with the position of the change that failed, -1 if none did.
pub(super) fn commit(changes: &[Change]) -> Query {
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

pub(super) fn last_row(answers: &[SimpleQueryMessage]) -> Option<&SimpleQueryRow> {
    answers.iter().rev().find_map(|answer| match answer {
        SimpleQueryMessage::Row(row) => Some(row),
        _ => None,
    })
}
