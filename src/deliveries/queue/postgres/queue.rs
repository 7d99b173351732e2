//! The operations of the queue, each one statement.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use tokio::sync::{Notify, oneshot};
use tokio_postgres::types::Type;
use tokio_postgres::{Error, Row};

use super::super::rows::{
    self, DELIVERY, MAX_READ, RECEIPT, REMOVED, TARGET, compared, list_sql, millis, since_epoch,
    time,
};
use super::super::{
    Arrivals, Counts, Events, MAX_PAGE, MAX_TARGETS, Queue, QueueError, QueueFuture, Scope,
};
use super::{CHANGE, PostgresQueue, Waiting};
use crate::deliveries::{
    Claimed, Completed, Completion, Delivery, DeliveryId, DeliveryState, NewReceipt, Outcome,
    StoredReceipt, StoredTarget, TargetId, TargetState,
};
use crate::vault::StoreError;

/// The most deliveries of a claim, and of a replay.
const MAX_CLAIM: usize = 64;
const REPLAYED: usize = 500;

impl Queue for PostgresQueue {
    fn insert(&self, receipt: NewReceipt, max: u64) -> QueueFuture<'_, i64> {
        Box::pin(async move {
            let (answer, answered) = oneshot::channel();
            let waiting = Waiting {
                receipt,
                max,
                ahead: self.ahead(),
                answer,
            };
            let ended = || StoreError::new(CHANGE, "the runtime ends");
            self.receipts.send(waiting).await.map_err(|_| ended())?;
            answered.await.map_err(|_| ended())?
        })
    }

    fn unmatched(&self, limit: usize) -> QueueFuture<'_, Vec<StoredReceipt>> {
        Box::pin(async move {
            let sql = "WITH picked AS ( \
                 SELECT position FROM portreeve.unmatched_receipt \
                 WHERE leased_until <= portreeve.delivery_clock($1) ORDER BY position LIMIT $2 \
                 FOR UPDATE SKIP LOCKED \
             ), leased AS ( \
                 UPDATE portreeve.unmatched_receipt AS u \
                 SET leased_until = portreeve.delivery_clock($1) + 45000 \
                 FROM picked WHERE u.position = picked.position RETURNING u.position \
             ) SELECT r.position, r.id, r.account, r.class, r.received_at, r.sealed \
               FROM leased JOIN portreeve.receipt AS r ON r.position = leased.position ORDER BY r.position";
            let parameters = [
                (&self.ahead() as _, Type::INT8),
                (&(limit as i64) as _, Type::INT8),
            ];
            let rows = self.pool.change(CHANGE, sql, &parameters).await?;
            self.decode(&rows, to_receipt)
        })
    }

    fn targets_for<'a>(&'a self, account: Option<&'a str>) -> QueueFuture<'a, Vec<StoredTarget>> {
        Box::pin(async move {
            let sql = format!(
                "SELECT {TARGET} FROM portreeve.delivery_target WHERE account IN ($1, '') AND state < 2"
            );
            let account = account.unwrap_or_default();
            self.select(&sql, &[(&account as _, Type::TEXT)], to_target)
                .await
        })
    }

    fn fan_out(&self, wanted: Vec<(i64, Vec<TargetId>)>) -> QueueFuture<'_, ()> {
        Box::pin(async move {
            let matched: Vec<_> = wanted.iter().map(|it| it.0).collect();
            let pairs = wanted.iter().flat_map(|(position, targets)| {
                targets.iter().map(move |target| (*position, target.0))
            });
            let (positions, targets): (Vec<_>, Vec<_>) = pairs.unzip();
            let parameters = [
                (&matched as _, Type::INT8_ARRAY),
                (&positions as _, Type::INT8_ARRAY),
                (&targets as _, Type::INT8_ARRAY),
                (&self.ahead() as _, Type::INT8),
            ];
            let sql = "SELECT portreeve.fan_out_receipts($1, $2, $3, $4)";
            self.change(sql, &parameters, |_| Ok(())).await?;
            self.pool.changed().notify_waiters();
            Ok(())
        })
    }

    fn claim(&self, limit: usize) -> QueueFuture<'_, Vec<Claimed>> {
        Box::pin(async move {
            let number = (getrandom::u64().unwrap_or_default() >> 1).cast_signed();
            let target = TARGET.replace(", ", ", t.");
            let sql = format!(
                "SELECT t.{target}, c.at_position, c.tried, r.id \
                 FROM portreeve.claim_deliveries($1, $2, $3) AS c \
                 JOIN portreeve.delivery_target AS t ON t.id = c.to_target \
                 JOIN portreeve.receipt AS r ON r.position = c.at_position"
            );
            let parameters = [
                (&(limit.min(MAX_CLAIM) as i32) as _, Type::INT4),
                (&number as _, Type::INT8),
                (&self.ahead() as _, Type::INT8),
            ];
            let rows = self.pool.change(CHANGE, &sql, &parameters).await?;
            self.decode(&rows, |row| {
                let target = Arc::new(to_target(row)?);
                Ok(Claimed {
                    position: row.try_get(8)?,
                    tries: row.try_get::<_, i32>(9)?.cast_unsigned(),
                    id: DeliveryId {
                        receipt: rows::receipt_id(row.try_get(10)?),
                        target: target.id,
                    },
                    claim: number,
                    target,
                })
            })
        })
    }

    fn complete(&self, ended: Vec<Completion>) -> QueueFuture<'_, Vec<Completed>> {
        Box::pin(async move {
            let positions: Vec<_> = ended.iter().map(|it| it.position).collect();
            let targets: Vec<_> = ended.iter().map(|it| it.target.0).collect();
            let claims: Vec<_> = ended.iter().map(|it| it.claim).collect();
            let states = ended.iter().map(|it| rows::state_after(it) as i32);
            let states: Vec<_> = states.collect();
            let agains = ended.iter().map(|it| it.again.map_or(0, millis));
            let agains: Vec<_> = agains.collect();
            let endings: Vec<_> = ended.iter().map(rows::attempt).collect();
            let is = |outcome| -> Vec<_> { ended.iter().map(|it| it.outcome == outcome).collect() };
            let parameters = [
                (&positions as _, Type::INT8_ARRAY),
                (&targets as _, Type::INT8_ARRAY),
                (&claims as _, Type::INT8_ARRAY),
                (&states as _, Type::INT4_ARRAY),
                (&agains as _, Type::INT8_ARRAY),
                (&endings as _, Type::TEXT_ARRAY),
                (&is(Outcome::Delivered) as _, Type::BOOL_ARRAY),
                (&is(Outcome::Gone) as _, Type::BOOL_ARRAY),
                (&self.ahead() as _, Type::INT8),
            ];
            let sql = "SELECT portreeve.complete_deliveries($1, $2, $3, $4, $5, $6, $7, $8, $9)";
            let outcomes = self.change(sql, &parameters, |row| row.try_get(0));
            let outcomes: Vec<i32> = outcomes.await?;
            let outcome = |number| match number {
                0 => Completed::Stale,
                1 => Completed::Done,
                _ => Completed::Disabled,
            };
            Ok(outcomes.into_iter().map(outcome).collect())
        })
    }

    fn receipt(&self, position: i64) -> QueueFuture<'_, Option<StoredReceipt>> {
        Box::pin(async move {
            let sql = format!("SELECT {RECEIPT} FROM portreeve.receipt WHERE position = $1");
            let parameters = [(&position as _, Type::INT8)];
            Ok(self.select(&sql, &parameters, to_receipt).await?.pop())
        })
    }

    fn add_target(&self, target: StoredTarget) -> QueueFuture<'_, ()> {
        Box::pin(async move {
            let account = target.account.as_deref().unwrap_or_default();
            let parameters = [
                (&target.id.0 as _, Type::INT8),
                (&account as _, Type::TEXT),
                (&(target.state as i32) as _, Type::INT4),
                (&&*target.sealed as _, Type::BYTEA),
                (&MAX_TARGETS as _, Type::INT8),
                (&self.ahead() as _, Type::INT8),
            ];
            let sql = "SELECT portreeve.add_target($1, $2, $3, $4, $5, $6)";
            match self.change(sql, &parameters, |row| row.try_get(0)).await? {
                true => Ok(()),
                false => Err(QueueError::TooManyTargets),
            }
        })
    }

    fn target<'a>(
        &'a self,
        scope: Scope<'a>,
        id: TargetId,
    ) -> QueueFuture<'a, Option<StoredTarget>> {
        Box::pin(async move {
            let sql = format!(
                "SELECT {TARGET} FROM portreeve.delivery_target \
                 WHERE id = $1 AND state < 3 AND account = coalesce($2, account)"
            );
            let parameters = [
                (&id.0 as _, Type::INT8),
                (&compared(scope) as _, Type::TEXT),
            ];
            Ok(self.select(&sql, &parameters, to_target).await?.pop())
        })
    }

    fn targets<'a>(
        &'a self,
        scope: Scope<'a>,
        after: Option<TargetId>,
        limit: usize,
    ) -> QueueFuture<'a, Vec<StoredTarget>> {
        Box::pin(async move {
            let account = compared(scope);
            let of_account = account.map_or("$3::text IS NULL", |_| "account = $3");
            let sql = format!(
                "SELECT {TARGET} FROM portreeve.delivery_target \
                 WHERE {of_account} AND id > $1 AND state < 3 ORDER BY id LIMIT $2"
            );
            let parameters = [
                (&after.map_or(-1, |after| after.0) as _, Type::INT8),
                (&(limit.min(MAX_PAGE) as i64) as _, Type::INT8),
                (&account as _, Type::TEXT),
            ];
            self.select(&sql, &parameters, to_target).await
        })
    }

    fn change_target<'a>(
        &'a self,
        scope: Scope<'a>,
        id: TargetId,
        revision: i64,
        state: TargetState,
        sealed: Box<[u8]>,
    ) -> QueueFuture<'a, bool> {
        Box::pin(async move {
            let parameters = [
                (&id.0 as _, Type::INT8),
                (&compared(scope) as _, Type::TEXT),
                (&revision as _, Type::INT8),
                (&(state as i32) as _, Type::INT4),
                (&&*sealed as _, Type::BYTEA),
                (&self.ahead() as _, Type::INT8),
            ];
            let sql = "SELECT portreeve.change_target($1, $2, $3, $4, $5, $6)";
            let is_changed = self.change(sql, &parameters, |row| row.try_get(0)).await?;
            self.pool.changed().notify_waiters();
            Ok(is_changed)
        })
    }

    fn remove_target<'a>(&'a self, scope: Scope<'a>, id: TargetId) -> QueueFuture<'a, bool> {
        Box::pin(async move {
            let sql = format!(
                "UPDATE portreeve.delivery_target SET state = {REMOVED}, due_at = NULL \
                 WHERE id = $1 AND state < 3 AND account = coalesce($2, account) RETURNING 1"
            );
            let parameters = [
                (&id.0 as _, Type::INT8),
                (&compared(scope) as _, Type::TEXT),
            ];
            Ok(!self
                .pool
                .change(CHANGE, &sql, &parameters)
                .await?
                .is_empty())
        })
    }

    fn deliveries<'a>(
        &'a self,
        scope: Scope<'a>,
        target: TargetId,
        state: Option<DeliveryState>,
        before: Option<i64>,
        limit: usize,
    ) -> QueueFuture<'a, Option<Vec<Delivery>>> {
        Box::pin(async move {
            if self.target(scope, target).await?.is_none() {
                return Ok(None);
            }
            let parameters = [
                (&target.0 as _, Type::INT8),
                (&before.unwrap_or(i64::MAX) as _, Type::INT8),
                (&(limit.min(MAX_PAGE) as i64) as _, Type::INT8),
            ];
            let sql = list_sql("portreeve", state);
            self.select(&sql, &parameters, to_delivery).await.map(Some)
        })
    }

    fn delivery<'a>(
        &'a self,
        scope: Scope<'a>,
        id: DeliveryId,
    ) -> QueueFuture<'a, Option<Delivery>> {
        Box::pin(async move {
            let sql = format!(
                "SELECT {DELIVERY} FROM portreeve.receipt AS r \
                 JOIN portreeve.delivery AS d ON d.position = r.position \
                 JOIN portreeve.delivery_target AS t ON t.id = d.target \
                 WHERE r.id = $1 AND d.target = $2 AND t.state < 3 AND t.account = coalesce($3, t.account)"
            );
            let parameters = [
                (&id.receipt.to_string() as _, Type::TEXT),
                (&id.target.0 as _, Type::INT8),
                (&compared(scope) as _, Type::TEXT),
            ];
            Ok(self.select(&sql, &parameters, to_delivery).await?.pop())
        })
    }

    fn retry<'a>(&'a self, scope: Scope<'a>, id: DeliveryId) -> QueueFuture<'a, bool> {
        Box::pin(async move {
            let Some(found) = self.delivery(scope, id).await? else {
                return Ok(false);
            };
            let position = [found.position];
            let repeated = self.repeat(compared(scope), id.target, &position).await?;
            let is_there = repeated.is_some_and(|number| number > 0);
            self.pool.changed().notify_waiters();
            Ok(is_there)
        })
    }

    fn replay<'a>(
        &'a self,
        scope: Scope<'a>,
        target: TargetId,
        since: SystemTime,
        all: bool,
        after: i64,
    ) -> QueueFuture<'a, Option<(u64, Option<i64>)>> {
        Box::pin(async move {
            if self.target(scope, target).await?.is_none() {
                return Ok(None);
            }
            let of_state = |state| {
                format!(
                    "(SELECT position FROM portreeve.delivery WHERE target = $1 AND state = {state} \
                     AND position > $2 ORDER BY position LIMIT {REPLAYED})"
                )
            };
            let mut states = of_state(2);
            if all {
                states = format!("{states} UNION ALL {}", of_state(1));
            }
            let sql = format!(
                "SELECT r.position, r.received_at FROM ({states}) AS d \
                 JOIN portreeve.receipt AS r ON r.position = d.position ORDER BY 1 LIMIT {REPLAYED}"
            );
            let parameters = [(&target.0 as _, Type::INT8), (&after as _, Type::INT8)];
            let found = self.select(&sql, &parameters, |row| {
                Ok((row.try_get(0)?, row.try_get(1)?))
            });
            let found: Vec<(i64, i64)> = found.await?;
            let next = found.get(REPLAYED - 1).map(|last| last.0);
            let since = since_epoch(since);
            let wanted = found
                .iter()
                .filter(|(_, received_at)| *received_at >= since);
            let wanted: Vec<_> = wanted.map(|found| found.0).collect();
            let repeated = self.repeat(compared(scope), target, &wanted).await?;
            self.pool.changed().notify_waiters();
            Ok(repeated.map(|number| (number.cast_unsigned(), next)))
        })
    }

    fn events<'a>(&'a self, scope: Scope<'a>, after: i64, limit: usize) -> QueueFuture<'a, Events> {
        Box::pin(async move {
            let account = compared(scope);
            let of_account = account.map_or("$3::text IS NULL", |_| "account = $3");
            // One statement, so one instant: what is newer than `newest` is not read either.
            let sql = format!(
                "WITH known AS MATERIALIZED ( \
                     SELECT (SELECT coalesce(max(removed_through), 0) FROM portreeve.receipt_total) AS removed, \
                         (SELECT coalesce(max(position), 0) FROM portreeve.receipt) AS newest \
                 ), listed AS ( \
                     SELECT {RECEIPT} FROM portreeve.receipt \
                     WHERE {of_account} AND position > ( \
                         SELECT CASE WHEN $1 > greatest(newest, removed) THEN 0 ELSE $1 END FROM known \
                     ) ORDER BY position LIMIT $2 \
                 ), measured AS ( \
                     SELECT listed.*, sum(length(sealed)) OVER (ORDER BY position) - length(sealed) AS before \
                     FROM listed \
                 ) \
                 SELECT m.position, m.id, m.account, m.class, m.received_at, m.sealed, known.removed, known.newest \
                 FROM known LEFT JOIN measured AS m ON m.before < {MAX_READ} ORDER BY m.position"
            );
            let parameters = [
                (&after as _, Type::INT8),
                (&(limit.min(MAX_PAGE) as i64) as _, Type::INT8),
                (&account as _, Type::TEXT),
            ];
            let found = self.select(&sql, &parameters, |row| {
                let is_there = row.try_get::<_, Option<i64>>(0)?.is_some();
                let receipt = is_there.then(|| to_receipt(row)).transpose()?;
                Ok((receipt, row.try_get(6)?, row.try_get(7)?))
            });
            let found: Vec<(Option<StoredReceipt>, i64, i64)> = found.await?;
            let (removed, newest) = found.first().map_or((0, 0), |first| (first.1, first.2));
            let receipts: Vec<_> = found.into_iter().filter_map(|it| it.0).collect();
            let (last, newest) = (
                receipts.last().map(|last| last.position),
                newest.max(removed),
            );
            Ok(Events {
                receipts,
                through: last.unwrap_or(newest),
                is_gap: removed > after || after > newest,
            })
        })
    }

    fn arrivals(&self, after: i64) -> QueueFuture<'_, Arrivals> {
        Box::pin(async move {
            let sql = "SELECT known.newest, listed.position, listed.account FROM ( \
                     SELECT greatest( \
                         (SELECT coalesce(max(removed_through), 0) FROM portreeve.receipt_total), \
                         (SELECT coalesce(max(position), 0) FROM portreeve.receipt) \
                     ) AS newest \
                 ) AS known LEFT JOIN ( \
                     SELECT position, account FROM portreeve.receipt \
                     WHERE position > $1 ORDER BY position LIMIT $2 \
                 ) AS listed ON true ORDER BY listed.position";
            let parameters = [
                (&after as _, Type::INT8),
                (&(MAX_PAGE as i64) as _, Type::INT8),
            ];
            let found = self.select(sql, &parameters, |row| {
                let position: Option<i64> = row.try_get(1)?;
                let account: Option<String> = row.try_get(2)?;
                let listed = position.zip(account);
                let listed = listed.map(|(position, account)| (position, rows::account(account)));
                Ok((row.try_get(0)?, listed))
            });
            let found: Vec<(i64, Option<_>)> = found.await?;
            let newest = found.first().map_or(0, |first| first.0);
            let receipts = found.into_iter().filter_map(|it| it.1).collect();
            Ok(rows::arrivals(receipts, newest))
        })
    }

    fn clean(&self, keep: Duration) -> QueueFuture<'_, u64> {
        Box::pin(async move {
            let parameters = [
                (&millis(keep) as _, Type::INT8),
                (&self.ahead() as _, Type::INT8),
            ];
            let sql = "SELECT portreeve.clean_deliveries($1, $2)";
            let removed = self.change(sql, &parameters, |row| row.try_get::<_, i64>(0));
            Ok(removed.await?.cast_unsigned())
        })
    }

    fn counts(&self) -> QueueFuture<'_, Counts> {
        Box::pin(async move {
            let sql = "WITH waiting AS ( \
                     SELECT coalesce(sum(waiting), 0)::bigint AS number, min(( \
                         SELECT min(d.position) FROM portreeve.delivery AS d WHERE d.target = t.id AND d.state = 0 \
                     )) AS first FROM portreeve.delivery_target AS t WHERE t.waiting > 0 AND t.state = 0 \
                 ), unmatched AS ( \
                     SELECT count(*) AS number, min(position) AS first FROM portreeve.unmatched_receipt \
                 ), total AS ( \
                     SELECT coalesce(sum(receipts), 0)::bigint AS receipts, coalesce(sum(bytes), 0)::bigint AS bytes \
                     FROM portreeve.receipt_total \
                 ) SELECT waiting.number + unmatched.number, total.receipts, total.bytes, ( \
                     SELECT received_at FROM portreeve.receipt \
                     WHERE position = least(waiting.first, unmatched.first) \
                 ) FROM waiting, unmatched, total";
            let counted = self.select(sql, &[], |row| {
                Ok(Counts {
                    pending: row.try_get::<_, i64>(0)?.cast_unsigned(),
                    receipts: row.try_get::<_, i64>(1)?.cast_unsigned(),
                    bytes: row.try_get::<_, i64>(2)?.cast_unsigned(),
                    oldest_pending: row.try_get::<_, Option<i64>>(3)?.map(time),
                })
            });
            Ok(counted.await?.pop().unwrap_or_default())
        })
    }

    fn changed(&self) -> &Notify {
        self.pool.changed()
    }
}

fn to_receipt(row: &Row) -> Result<StoredReceipt, Error> {
    Ok(StoredReceipt {
        position: row.try_get(0)?,
        id: rows::receipt_id(row.try_get(1)?),
        account: rows::account(row.try_get(2)?),
        class: row.try_get::<_, &str>(3)?.into(),
        received_at: time(row.try_get(4)?),
        sealed: row.try_get::<_, &[u8]>(5)?.into(),
    })
}

fn to_target(row: &Row) -> Result<StoredTarget, Error> {
    Ok(StoredTarget {
        id: TargetId(row.try_get(0)?),
        account: rows::account(row.try_get(1)?),
        state: rows::target_state(row.try_get::<_, i32>(2)?.into()),
        revision: row.try_get(3)?,
        created_at: time(row.try_get(4)?),
        failing_since: row.try_get::<_, Option<i64>>(5)?.map(time),
        waiting: row.try_get::<_, i64>(6)?.cast_unsigned(),
        sealed: row.try_get::<_, &[u8]>(7)?.into(),
    })
}

fn to_delivery(row: &Row) -> Result<Delivery, Error> {
    let state = rows::delivery_state(row.try_get::<_, i32>(5)?.into());
    let due_at = time(row.try_get(6)?);
    Ok(Delivery {
        position: row.try_get(0)?,
        id: DeliveryId {
            target: TargetId(row.try_get(1)?),
            receipt: rows::receipt_id(row.try_get(2)?),
        },
        class: row.try_get::<_, &str>(3)?.into(),
        received_at: time(row.try_get(4)?),
        state,
        due_at: (state == DeliveryState::Waiting).then_some(due_at),
        tries: row.try_get::<_, i32>(7)?.cast_unsigned(),
        attempts: rows::attempts(row.try_get(8)?),
    })
}
