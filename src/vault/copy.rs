//! Copying all records to another database, sealed as they are, row by row.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::deliveries::{DeliveryTables, Durability, Lock, Reader, SqlRow, SqlValue, Work};
use super::{Store, StoreError, Table};

/// The tables of the vault, all of which have these columns: the key, and the others.
const OF_VAULT: &str = "registration sealing_key credential binding login_flow refused_login";
const COLUMNS: &str = "key; owner, number, sealed, count, since";

/// Those of deliveries, with their columns.
const OF_DELIVERIES: [(&str, &str); 9] = [
    (
        "delivery_target",
        "id; account, state, revision, created_at, created_after, failing_since, waiting, due_at, sealed, made_by, person, \
         is_bound, as_administrator, asked_at, confirmed_at, suspended, failed_at, failing_run, missed",
    ),
    ("delivery_account", "account; due_at, bytes, removed_through"),
    ("account_total", "account; bytes"),
    ("receipt", "position; id, account, class, received_at, sealed"),
    ("unmatched_receipt", "position; account, size, leased_until"),
    ("delivery", "position, target; state, tries, due_at, claim, attempts"),
    ("receipt_total", "sealed; receipts, bytes, removed_through"),
    ("delivery_presence", "gateway; seen_at, there_until"),
    ("delivery_gap", "number; from_at, until_at, reason"),
];

/// The key of the row in [`Table::SealingKey`] that a database has until its copy is complete.
const UNFINISHED: &str = "unfinished copy";

/// All that a database keeps: of the vault, and of deliveries.
#[derive(Clone, Debug)]
pub struct Records {
    pub(super) vault: Arc<dyn DeliveryTables>,
    pub(super) deliveries: Arc<dyn DeliveryTables>,
}

/// How much was copied.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CopyReport {
    /// The rows of each table of the source, all of which the target has now.
    pub rows: BTreeMap<&'static str, u64>,
    /// Of all these, those that the target had before, from a copy that was interrupted.
    pub already_there: u64,
}

/// Why the records were not copied, or not all of them.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CopyError {
    /// A database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A gateway receives deliveries on the source: the copy would lack the last ones.
    #[error("a gateway receives deliveries on the source, or did 15 seconds ago: stop it first")]
    Serving,
    /// The target has other records than the source: in this table, of this key or account.
    #[error(
        "the target has records that the source does not have, or that differ there ({0}: {1}); nothing was copied: name \
         an empty target"
    )]
    NotEmpty(&'static str, Box<str>),
    /// The two differ after the copy.
    #[error(
        "records changed while they were copied ({0}: {1}); stop the gateways on both and begin again with an empty target"
    )]
    Changed(&'static str, Box<str>),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Pass {
    Before,
    Copying,
    After,
}

/// Copies everything in `from` to `to`, and compares the two. Sealed records are copied as they are: the keys stay the
/// same. The copy [is unfinished](is_unfinished_copy) until all is done.
///
/// No gateway may serve on either of them at the same time: one that is noticed, or a change, is an error. Another call
/// completes a copy that was interrupted.
///
/// # Errors
/// If the target has other records, if something changes during the copy, or a database fails.
pub async fn copy(from: &Records, to: &Records) -> Result<CopyReport, CopyError> {
    let there = "SELECT gateway FROM portreeve.delivery_presence \
                 WHERE seen_at < there_until AND there_until - $1 BETWEEN 1 AND 60000";
    let now = vec![super::time::to_millis(std::time::SystemTime::now()).into()];
    if !from.deliveries.read(Reader::Calls, there.to_owned(), now).await?.is_empty() {
        return Err(CopyError::Serving);
    }
    walk(from, to, Pass::Before).await?;
    let begin = "INSERT INTO portreeve.sealing_key (key, owner, number, sealed, count) VALUES ($1, $1, 0, $2, 0) \
                 ON CONFLICT DO NOTHING";
    let mark = vec![UNFINISHED.into(), SqlValue::Bytes(Vec::new())];
    change(&to.vault, begin.to_owned(), mark).await?;
    let report = walk(from, to, Pass::Copying).await?;
    walk(from, to, Pass::After).await?;
    let end = "DELETE FROM portreeve.sealing_key WHERE key = $1";
    change(&to.vault, end.to_owned(), vec![UNFINISHED.into()]).await?;
    Ok(report)
}

/// Whether `store` is a copy that was begun and not finished.
///
/// # Errors
/// If the store fails.
pub async fn is_unfinished_copy(store: &dyn Store) -> Result<bool, StoreError> {
    Ok(store.get(Table::SealingKey, UNFINISHED).await?.is_some())
}

/// Compares all tables page by page, and adds what is missing while copying.
async fn walk(from: &Records, to: &Records, pass: Pass) -> Result<CopyReport, CopyError> {
    let mut report = CopyReport::default();
    let in_vault = |name| ((name, COLUMNS), &from.vault, &to.vault);
    let of_vault = OF_VAULT.split(' ').map(in_vault);
    let beside = |table| (table, &from.deliveries, &to.deliveries);
    let of_deliveries = OF_DELIVERIES.into_iter().map(beside);
    for (table, from, to) in of_vault.chain(of_deliveries) {
        if pass == Pass::Before && page(to, table, &[], &[], 1).await?.is_empty() {
            continue;
        }
        let (name, keys) = (table.0, key(table).split(',').count());
        // A receipt may have a megabyte.
        let limit = if name == "receipt" { 50 } else { 300 };
        let mut after = Vec::new();
        loop {
            let rows = page(from, table, &after, &[], limit).await?;
            *report.rows.entry(name).or_default() += rows.len() as u64;
            // The last page is compared with all the rest.
            let next = rows.get(limit - 1).map_or(&[][..], |row| &row.0[..keys]);
            let there = page(to, table, &after, next, limit + 1).await?;
            let (mut there, mut missing) = (there.into_iter().peekable(), Vec::new());
            for row in &rows {
                match there.next_if_eq(row) {
                    Some(_) => report.already_there += 1,
                    None => missing.push(row),
                }
            }
            let lost = missing.first().copied().filter(|_| pass == Pass::After);
            if let Some(row) = there.peek().or(lost) {
                let differ = match pass {
                    Pass::Before => CopyError::NotEmpty,
                    Pass::Copying | Pass::After => CopyError::Changed,
                };
                return Err(differ(name, whose(row)));
            }
            if pass == Pass::Copying && !missing.is_empty() {
                insert(to, table, &missing).await?;
            }
            if next.is_empty() {
                break;
            }
            after = next.to_vec();
        }
    }
    Ok(report)
}

fn key((_, columns): (&str, &'static str)) -> &'static str {
    columns.split(';').next().unwrap_or_default()
}

/// Up to `limit` rows with keys after one and through another, if these are named.
async fn page(
    tables: &Arc<dyn DeliveryTables>,
    table: (&str, &'static str),
    after: &[SqlValue],
    through: &[SqlValue],
    limit: usize,
) -> Result<Vec<SqlRow>, StoreError> {
    let (name, columns, key) = (table.0, table.1.replace(';', ","), key(table));
    let mut sql = format!("SELECT {columns} FROM portreeve.{name} WHERE ");
    sql += &match name {
        "sealing_key" => format!("key <> '{UNFINISHED}'"),
        _ => "TRUE".to_owned(),
    };
    let mut values = Vec::new();
    for (compared, bound) in [(">", after), ("<=", through)] {
        if !bound.is_empty() {
            let bounds = parameters(values.len(), bound.len());
            sql += &format!(" AND ({key}) {compared} ({bounds})");
            values.extend_from_slice(bound);
        }
    }
    sql += &format!(" ORDER BY {key} LIMIT {limit}");
    tables.read(Reader::Calls, sql, values).await
}

async fn insert(
    to: &Arc<dyn DeliveryTables>,
    (name, columns): (&str, &str),
    missing: &[&SqlRow],
) -> Result<(), StoreError> {
    let (mut rows, mut values) = (Vec::with_capacity(missing.len()), Vec::new());
    for row in missing {
        rows.push(format!("({})", parameters(values.len(), row.0.len())));
        values.extend_from_slice(&row.0);
    }
    let (columns, rows) = (columns.replace(';', ","), rows.join(", "));
    let insert =
        format!("INSERT INTO portreeve.{name} ({columns}) VALUES {rows} ON CONFLICT DO NOTHING");
    change(to, insert, values).await
}

async fn change(
    to: &Arc<dyn DeliveryTables>,
    sql: String,
    values: Vec<SqlValue>,
) -> Result<(), StoreError> {
    let work: Work = Box::new(move |transaction| {
        Box::pin(async move { transaction.run(&sql, values).await.map(drop) })
    });
    to.change(Lock::Deliveries, Durability::Synced, work).await
}

/// The account of a row, or what its key begins with.
fn whose(row: &SqlRow) -> Box<str> {
    match (row.text(1), row.text(0)) {
        ("", "") => row.number(0).to_string().into(),
        ("", key) => key.into(),
        (owner, _) => owner.into(),
    }
}

/// `count` parameters after the first `before` ones.
fn parameters(before: usize, count: usize) -> String {
    let parameters = (before + 1..=before + count).map(|number| format!("${number}"));
    parameters.collect::<Vec<_>>().join(", ")
}
