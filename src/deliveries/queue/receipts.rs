//! Receipts: what is to be matched, what can be pulled, what is kept.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::rows::{self, HEADER_LEN, RECEIPT, compared, list, millis, time};
use super::targets::settle;
use super::{
    Arrivals, Counts, Events, LEASE, MAX_PAGE, OVERHEAD, PUT_OFF, Queue, QueueError, Scope,
};
use crate::deliveries::{Receipt, TargetId};
use crate::vault::StoreError;
use crate::vault::deliveries::DeliveryTransaction;

/// Receipts, and deliveries of a removed target, that one transaction removes.
pub(super) const REMOVED_AT_ONCE: usize = 250;

/// Bytes of receipts that are read at once, but for the last one.
const MAX_READ: usize = 4 << 20;

#[expect(clippy::missing_errors_doc, reason = "each fails if the database does")]
impl Queue {
    /// Up to `limit` receipts for which no deliveries were made yet: first those that nobody has got, the oldest first,
    /// then those whose lease has run out for longest; fewer, if they have more than 4 MiB. Nobody else gets them for
    /// [`LEASE`], also if reading them fails. Those of the accounts `but_for` are put off.
    pub async fn unmatched(
        &self,
        limit: usize,
        but_for: &[Option<Box<str>>],
    ) -> Result<Vec<Receipt>, QueueError> {
        let but_for = but_for.iter().map(|it| it.as_deref().unwrap_or_default());
        let but_for: BTreeSet<Box<str>> = but_for.map(Into::into).collect();
        let leasing = self.change(move |tx, now| {
            Box::pin(async move {
                // With the limit outside, PostgreSQL would merge them from the oldest receipt on. SQLite would read all
                // receipts, but takes the tables of a cross join in this order.
                let sql = "SELECT u.position, length(r.sealed), r.account FROM ( \
                               SELECT leased_until, position FROM portreeve.unmatched_receipt \
                               WHERE leased_until <= $1 ORDER BY leased_until, position LIMIT $2 \
                           ) AS u CROSS JOIN portreeve.receipt AS r WHERE r.position = u.position \
                           ORDER BY u.leased_until, u.position";
                let found = tx.run(sql, vec![now.into(), (limit as i64).into()]).await?;
                let (put_off, found): (Vec<_>, Vec<_>) =
                    found.iter().partition(|row| but_for.contains(row.text(2)));
                if !put_off.is_empty() {
                    let put_off = put_off.iter().map(|row| row.number(0)).collect();
                    lease(tx, put_off, now + millis(PUT_OFF)).await?;
                }
                let mut room = MAX_READ as i64;
                let leased = found.iter().take_while(|row| {
                    let has_room = room > 0;
                    room -= row.number(1);
                    has_room
                });
                let leased: Vec<_> = leased.map(|row| row.number(0)).collect();
                if !leased.is_empty() {
                    lease(tx, leased.clone(), now + millis(LEASE)).await?;
                }
                Ok(leased)
            })
        });
        let leased = leasing.await?;
        if leased.is_empty() {
            return Ok(Vec::new());
        }
        // Afterwards: a reader that stalls must not keep the lock.
        let sql = format!(
            "SELECT {RECEIPT} FROM portreeve.receipt AS r WHERE r.position IN ( \
             SELECT CAST(value AS bigint) FROM portreeve.json_each($1))"
        );
        let found = self.read(sql, vec![list(leased)]).await?;
        let mut found: Vec<_> = found.iter().map(rows::receipt).collect();
        // Here, since a database would carry their bodies through its sorting.
        found.sort_unstable_by_key(|it| it.position);
        Ok(found)
    }

    /// Makes the deliveries of receipts, by position, for the targets that want them, which are due at once. A
    /// receipt for which that was done before, or that is gone, and a target that is gone or disabled, or was made
    /// after the receipt came, are passed over.
    pub async fn fan_out(&self, wanted: Vec<(i64, Vec<TargetId>)>) -> Result<(), QueueError> {
        let making = self.change(move |tx, now| {
            Box::pin(async move {
                let sql = "DELETE FROM portreeve.unmatched_receipt WHERE position IN ( \
                           SELECT CAST(value AS bigint) FROM portreeve.json_each($1)) RETURNING position";
                let matched = list(wanted.iter().map(|it| it.0));
                let first_time = tx.run(sql, vec![matched]).await?;
                let first_time: BTreeSet<_> = first_time.iter().map(|row| row.number(0)).collect();
                let wanted = wanted.iter().filter(|it| first_time.contains(&it.0));
                let pairs = wanted.flat_map(|(position, targets)| {
                    targets.iter().map(move |target| (*position, target.0))
                });
                let sql = "INSERT INTO portreeve.delivery (position, target, state, tries, due_at, attempts) \
                           SELECT w.position, t.id, 0, 0, $2, '' FROM ( \
                               SELECT CAST(value ->> 0 AS bigint) AS position, CAST(value ->> 1 AS bigint) AS target \
                               FROM portreeve.json_each($1) \
                           ) AS w JOIN portreeve.delivery_target AS t \
                               ON t.id = w.target AND t.state < 2 AND t.created_after < w.position WHERE true \
                           ON CONFLICT DO NOTHING RETURNING target";
                let mut waiting = BTreeMap::new();
                for row in tx.run(sql, vec![list(pairs), now.into()]).await? {
                    *waiting.entry(row.number(0)).or_default() += 1;
                }
                settle(tx, now, waiting).await?;
                tx.announce();
                Ok(())
            })
        });
        making.await
    }

    /// Puts receipts off that [`unmatched`](Self::unmatched) gave, at these positions: they are given again after
    /// [`PUT_OFF`], not only when the lease runs out.
    pub async fn put_off(&self, positions: Vec<i64>) -> Result<(), QueueError> {
        let leasing = self.change(move |tx, now| {
            Box::pin(async move { lease(tx, positions, now + millis(PUT_OFF)).await })
        });
        leasing.await
    }

    /// The receipt at `position`.
    pub async fn receipt(&self, position: i64) -> Result<Option<Receipt>, QueueError> {
        let sql = format!("SELECT {RECEIPT} FROM portreeve.receipt AS r WHERE position = $1");
        let found = self.read(sql, vec![position.into()]).await?;
        Ok(found.first().map(rows::receipt))
    }

    /// Up to `limit` receipts of `scope` (an account's own ones) with positions after `after`; fewer, if they have
    /// more than 4 MiB.
    pub async fn events(
        &self,
        scope: Scope<'_>,
        after: i64,
        limit: usize,
    ) -> Result<Events, QueueError> {
        let of_account = match scope {
            Scope::Account(_) => "account = $3",
            Scope::All => "$3 = ''",
        };
        // One statement, so one instant: what is newer than `newest` is not read either.
        let sql = format!(
            "WITH known AS ( \
                 SELECT (SELECT coalesce(max(removed_through), 0) FROM portreeve.receipt_total) AS removed, \
                     (SELECT coalesce(max(position), 0) FROM portreeve.receipt) AS newest \
             ), listed AS ( \
                 SELECT position, length(sealed) AS size FROM portreeve.receipt \
                 WHERE {of_account} AND position > ( \
                     SELECT CASE WHEN $1 > newest AND $1 > removed THEN 0 ELSE $1 END FROM known \
                 ) ORDER BY position LIMIT $2 \
             ), measured AS ( \
                 SELECT position, sum(size) OVER (ORDER BY position) - size AS before FROM listed \
             ) \
             SELECT {RECEIPT}, known.removed, known.newest FROM known \
             LEFT JOIN measured AS m ON m.before < {MAX_READ} \
             LEFT JOIN portreeve.receipt AS r ON r.position = m.position ORDER BY m.position"
        );
        let limit = limit.min(MAX_PAGE) as i64;
        let values = vec![after.into(), limit.into(), compared(scope).into()];
        let found = self.read(sql, values).await?;
        let known = |at| found.first().map_or(0, |row| row.number(at));
        let (removed, newest) = (known(6), known(7).max(known(6)));
        let receipts = found.iter().filter(|row| row.number_at(0).is_some());
        let receipts: Vec<_> = receipts.map(rows::receipt).collect();
        Ok(Events {
            through: receipts.last().map_or(newest, |last| last.position),
            receipts,
            is_gap: removed > after || after > newest,
        })
    }

    /// Which receipts of all accounts have positions after `after`, the oldest [`MAX_PAGE`] of them.
    pub async fn arrivals(&self, after: i64) -> Result<Arrivals, QueueError> {
        let sql = format!(
            "SELECT r.position, r.account, known.removed, known.newest FROM ( \
                 SELECT (SELECT coalesce(max(removed_through), 0) FROM portreeve.receipt_total) AS removed, \
                     (SELECT coalesce(max(position), 0) FROM portreeve.receipt) AS newest \
             ) AS known LEFT JOIN ( \
                 SELECT position, account FROM portreeve.receipt \
                 WHERE position > $1 ORDER BY position LIMIT {MAX_PAGE} \
             ) AS r ON true ORDER BY r.position"
        );
        let found = self.read(sql, vec![after.into()]).await?;
        let first = found.first();
        let newest = first.map_or(0, |row| row.number(2).max(row.number(3)));
        let receipts = found.iter().filter_map(|row| {
            let account = rows::account(row.text(1));
            row.number_at(0).map(|position| (position, account))
        });
        let receipts: Vec<_> = receipts.collect();
        let last = receipts.last().filter(|_| receipts.len() == MAX_PAGE);
        Ok(Arrivals {
            through: last.map_or(newest, |last| last.0),
            receipts,
        })
    }

    /// Removes up to a few hundred receipts, with their deliveries, that are older than `keep`, the oldest first, and
    /// what is left of removed targets. Returns how many receipts and deliveries; call it again until it is 0.
    pub async fn clean(&self, keep: Duration) -> Result<u64, QueueError> {
        let cleaning = self.change(move |tx, now| {
            Box::pin(async move {
                // By their times: one of a time when the clock was ahead does not keep those after it.
                let sql = format!(
                    "SELECT position FROM portreeve.receipt WHERE received_at <= $1 \
                     ORDER BY received_at LIMIT {REMOVED_AT_ONCE}"
                );
                let until = now.saturating_sub(millis(keep));
                let old = tx.run(&sql, vec![until.into()]).await?;
                let old: Vec<_> = old.iter().map(|row| row.number(0)).collect();
                if !old.is_empty() {
                    remove_receipts(tx, now, &old).await?;
                }
                Ok(old.len() as u64 + clean_removed_target(tx).await?)
            })
        });
        cleaning.await
    }

    /// What waits, and what is kept.
    pub async fn counts(&self) -> Result<Counts, QueueError> {
        let sql = "WITH waiting AS ( \
                 SELECT t.state, CASE t.state WHEN 0 THEN t.waiting ELSE 0 END AS number, \
                     CASE WHEN t.waiting > 0 AND t.state = 0 THEN (SELECT min(d.position) \
                         FROM portreeve.delivery AS d WHERE d.target = t.id AND d.state = 0) END AS first \
                 FROM portreeve.delivery_target AS t \
                 UNION ALL SELECT -1, count(*), min(position) FROM portreeve.unmatched_receipt \
             ) SELECT (SELECT CAST(coalesce(sum(number), 0) AS bigint) FROM waiting), \
                 (SELECT received_at FROM portreeve.receipt WHERE position = (SELECT min(first) FROM waiting)), \
                 CAST(coalesce(sum(receipts), 0) AS bigint), CAST(coalesce(sum(bytes), 0) AS bigint), \
                 (SELECT count(*) FROM waiting WHERE state = 0), (SELECT count(*) FROM waiting WHERE state = 1), \
                 (SELECT count(*) FROM waiting WHERE state = 2) \
             FROM portreeve.receipt_total";
        let found = self.read(sql.to_owned(), Vec::new()).await?;
        let first = found.first();
        let number = |at| first.map_or(0, |row| row.number(at)).cast_unsigned();
        Ok(Counts {
            pending: number(0),
            oldest_pending: first.and_then(|row| row.number_at(1)).map(time),
            receipts: number(2),
            bytes: number(3),
            targets: [number(4), number(5), number(6)],
        })
    }
}

/// Gives the receipts at `positions` to nobody else before `until`.
async fn lease(
    tx: &mut dyn DeliveryTransaction,
    positions: Vec<i64>,
    until: i64,
) -> Result<(), StoreError> {
    let sql = "UPDATE portreeve.unmatched_receipt SET leased_until = $1 WHERE position IN ( \
               SELECT CAST(value AS bigint) FROM portreeve.json_each($2))";
    tx.run(sql, vec![until.into(), list(positions)]).await?;
    Ok(())
}

/// Removes the receipts at `positions` with their deliveries.
pub(super) async fn remove_receipts(
    tx: &mut dyn DeliveryTransaction,
    now: i64,
    positions: &[i64],
) -> Result<(), StoreError> {
    const THESE: &str = "position IN (SELECT CAST(value AS bigint) FROM portreeve.json_each($1))";
    let sql = format!("DELETE FROM portreeve.delivery WHERE {THESE} RETURNING target, state");
    let mut waiting = BTreeMap::new();
    for row in tx.run(&sql, vec![list(positions)]).await? {
        if row.number(1) == 0 {
            *waiting.entry(row.number(0)).or_default() -= 1;
        }
    }
    let sql = format!("DELETE FROM portreeve.unmatched_receipt WHERE {THESE}");
    tx.run(&sql, vec![list(positions)]).await?;
    let sql = format!(
        "UPDATE portreeve.receipt_total SET receipts = receipts - c.number, bytes = bytes - c.size, \
         removed_through = CASE WHEN removed_through < c.through THEN c.through ELSE removed_through END \
         FROM ( \
             SELECT substr(sealed, 1, {HEADER_LEN}) AS header, count(*) AS number, \
                 sum(length(sealed) + {OVERHEAD}) AS size, max(position) AS through \
             FROM portreeve.receipt WHERE {THESE} GROUP BY 1 \
         ) AS c WHERE sealed = c.header"
    );
    tx.run(&sql, vec![list(positions)]).await?;
    let sql = format!("DELETE FROM portreeve.receipt WHERE {THESE}");
    tx.run(&sql, vec![list(positions)]).await?;
    settle(tx, now, waiting).await
}

/// Removes a portion of what is left of a target that was removed.
async fn clean_removed_target(tx: &mut dyn DeliveryTransaction) -> Result<u64, StoreError> {
    let sql = "SELECT id FROM portreeve.delivery_target WHERE state = 3 LIMIT 1";
    let found = tx.run(sql, Vec::new()).await?;
    let Some(target) = found.first().map(|row| row.number(0)) else {
        return Ok(0);
    };
    let sql = format!(
        "DELETE FROM portreeve.delivery WHERE target = $1 AND position IN ( \
         SELECT position FROM portreeve.delivery WHERE target = $1 LIMIT {REMOVED_AT_ONCE}) RETURNING position"
    );
    let removed = tx.run(&sql, vec![target.into()]).await?.len() as u64;
    if removed == 0 {
        let sql = "DELETE FROM portreeve.delivery_target WHERE id = $1";
        tx.run(sql, vec![target.into()]).await?;
    }
    Ok(removed.max(1))
}
