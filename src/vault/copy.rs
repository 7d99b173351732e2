//! Copying all records to another store, sealed as they are.

use std::pin::pin;
use std::sync::Arc;

use futures_util::stream::{self, Stream, StreamExt as _, TryStreamExt as _};

use super::scan::rows;
use super::{Change, Committed, Row, Store, StoreError, Table};

/// Rows that are stored at once.
const PAGE: usize = 256;

/// The tables that are copied: the operation of storing their rows, and their name in errors.
const TABLES: [(Table, &str, &str); 4] = [
    (Table::Credential, "store credentials", "credentials"),
    (Table::Binding, "bind an account", "bindings"),
    (Table::LoginFlow, "store a login flow", "login flows"),
    (
        Table::RefusedLogin,
        "note a refused login",
        "refused logins",
    ),
];

/// How much was copied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CopyReport {
    /// Credentials of the source, all of which the target has now.
    pub credentials: u64,
    /// Bindings, likewise.
    pub bindings: u64,
    /// Login flows, likewise.
    pub login_flows: u64,
    /// Refused logins, likewise.
    pub refused_logins: u64,
    /// Of all these, those that the target had before, from a copy that was interrupted.
    pub already_there: u64,
}

/// Why the records were not copied, or not all of them.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CopyError {
    /// A store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The target has records that the source does not have. Nothing was copied.
    #[error(
        "the target has {what} that the source does not have, or that differ there ({key}); nothing was \
         copied: name an empty target"
    )]
    Other {
        /// The kind of record.
        what: &'static str,
        /// Its account id, or the id of a login flow.
        key: Box<str>,
    },
    /// The source and the target differ after the copy.
    #[error(
        "{what} changed while they were copied ({key}); stop the gateways on both and begin again \
         with an empty target"
    )]
    Changed {
        /// The kind of record.
        what: &'static str,
        /// Its account id, or the id of a login flow.
        key: Box<str>,
    },
}

/// Copies everything in `from` to `to`, and compares the two. Sealed records are copied as they are: the
/// keys stay the same.
///
/// No gateway may serve on either of them at the same time: a change is noticed, and is an error. Another call
/// completes a copy that was interrupted.
///
/// # Errors
/// If the target has other records, if something changes during the copy, or a store fails.
pub async fn copy(
    from: &(dyn Store + 'static),
    to: &(dyn Store + 'static),
) -> Result<CopyReport, CopyError> {
    if let Some((what, key)) = difference(to, from).await? {
        return Err(CopyError::Other { what, key });
    }
    let mut report = CopyReport::default();
    for (table, action, what) in TABLES {
        let mut pages = pin!(compared(from, to, table).try_chunks(PAGE));
        while let Some(page) = pages.try_next().await.map_err(|failed| failed.1)? {
            let copied = match table {
                Table::Credential => &mut report.credentials,
                Table::Binding => &mut report.bindings,
                Table::LoginFlow => &mut report.login_flows,
                _ => &mut report.refused_logins,
            };
            *copied += page.len() as u64;
            let missing = page.iter().filter(|(_, is_there)| !is_there);
            let missing: Vec<_> = missing.map(|(row, _)| row.clone()).collect();
            report.already_there += (page.len() - missing.len()) as u64;
            let changes = missing.iter().map(|row| Change::add(table, row.clone()));
            if let Committed::Conflict { at } = to.commit(action, changes.collect()).await? {
                let key = whose(table, &missing[at]);
                return Err(CopyError::Changed { what, key });
            }
        }
    }
    for (one, other) in [(from, to), (to, from)] {
        if let Some((what, key)) = difference(one, other).await? {
            return Err(CopyError::Changed { what, key });
        }
    }
    Ok(report)
}

/// The first row of `one` that `other` does not have, or that differs there: its kind, and whose it is.
async fn difference(
    one: &(dyn Store + 'static),
    other: &(dyn Store + 'static),
) -> Result<Option<(&'static str, Box<str>)>, StoreError> {
    for (table, _, what) in TABLES {
        let mut rows = pin!(compared(one, other, table));
        while let Some((row, is_there)) = rows.try_next().await? {
            if !is_there {
                return Ok(Some((what, whose(table, &row))));
            }
        }
    }
    Ok(None)
}

/// The rows of `one`, each with whether `other` has the same row.
fn compared<'s>(
    one: &'s (dyn Store + 'static),
    other: &'s (dyn Store + 'static),
    table: Table,
) -> impl Stream<Item = Result<(Arc<Row>, bool), StoreError>> + Send + 's {
    // Both are in the order of their keys.
    let (ones, others) = (rows(one, table).boxed(), rows(other, table).boxed());
    let start = (ones, others, None::<Arc<Row>>);
    stream::try_unfold(start, |(mut ones, mut others, mut next)| async move {
        let Some(row) = ones.try_next().await? else {
            return Ok(None);
        };
        while next.as_ref().is_none_or(|it| it.key < row.key) {
            next = others.try_next().await?;
            if next.is_none() {
                break;
            }
        }
        let is_there = next.as_ref() == Some(&row);
        Ok(Some(((row, is_there), (ones, others, next))))
    })
}

/// The account id of a row, or the id of a login flow.
fn whose(table: Table, row: &Row) -> Box<str> {
    Box::from(match table {
        Table::LoginFlow => &*row.key,
        _ => &*row.owner,
    })
}
