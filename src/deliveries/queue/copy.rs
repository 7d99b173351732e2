//! Copying to a queue in another database, row by row, sealed as it is.

use super::{MAX_PAGE, Queue, QueueError, Scope};
use crate::vault::deliveries::SqlValue;

/// Why deliveries were not copied, or not all of them.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CopyError {
    /// A queue failed.
    #[error(transparent)]
    Queue(#[from] QueueError),
    /// The target has deliveries of its own, or of a copy that was interrupted.
    #[error(
        "the target has targets of deliveries or receipts already; none was copied: name an empty database"
    )]
    NotEmpty,
}

/// Each table: its key, the other columns, and the rows of a page. A receipt may have a megabyte.
const TABLES: [(&str, &[&str], &str, usize); 5] = [
    (
        "delivery_target",
        &["id"],
        "account, state, revision, created_at, created_after, failing_since, waiting, due_at, sealed",
        MAX_PAGE,
    ),
    (
        "receipt",
        &["position"],
        "id, account, class, received_at, sealed",
        50,
    ),
    ("unmatched_receipt", &["position"], "leased_until", MAX_PAGE),
    (
        "delivery",
        &["position", "target"],
        "state, tries, due_at, claim, attempts",
        MAX_PAGE,
    ),
    (
        "receipt_total",
        &["sealed"],
        "receipts, bytes, removed_through",
        MAX_PAGE,
    ),
];

/// Copies everything: targets, receipts at their positions, and deliveries with their attempts. Returns how many receipts.
///
/// No gateway may serve on either of them at the same time.
///
/// # Errors
/// If `to` is not empty, or a queue fails.
pub async fn copy(from: &Queue, to: &Queue) -> Result<u64, CopyError> {
    let is_empty = async |queue: &Queue| {
        let targets = queue.targets(Scope::All, None, 1).await?;
        let counts = queue.counts().await?;
        Ok::<_, QueueError>(targets.is_empty() && counts.receipts == 0)
    };
    if is_empty(from).await? {
        return Ok(0);
    }
    if !is_empty(to).await? {
        return Err(CopyError::NotEmpty);
    }
    for (table, key, others, limit) in TABLES {
        let keys = key.join(", ");
        let mut last: Option<Vec<SqlValue>> = None;
        loop {
            let after = match &last {
                None => String::new(),
                Some(last) => format!("WHERE ({keys}) > ({})", parameters(0, last.len())),
            };
            let sql = format!(
                "SELECT {keys}, {others} FROM portreeve.{table} {after} ORDER BY {keys} LIMIT {limit}"
            );
            let page = from.read(sql, last.unwrap_or_default()).await?;
            let Some(row) = page.last() else { break };
            last = Some(row.0[..key.len()].to_vec());
            let (mut rows, mut values) = (Vec::with_capacity(page.len()), Vec::new());
            for row in page {
                rows.push(format!("({})", parameters(values.len(), row.0.len())));
                values.extend(row.0);
            }
            let sql = format!(
                "INSERT INTO portreeve.{table} ({keys}, {others}) VALUES {}",
                rows.join(", ")
            );
            to.change(move |tx, _| {
                Box::pin(async move {
                    tx.run(&sql, values).await?;
                    Ok(())
                })
            })
            .await?;
        }
    }
    Ok(to.counts().await?.receipts)
}

/// `count` parameters after the first `before` ones.
fn parameters(before: usize, count: usize) -> String {
    let parameters = (before + 1..=before + count).map(|number| format!("${number}"));
    parameters.collect::<Vec<_>>().join(", ")
}
