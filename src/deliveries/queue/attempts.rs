//! Deliveries: claims, attempts, and looking at them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::SystemTime;

use super::rows::{
    self, DELIVERY, TARGET, attempt, compared, list, millis, since_epoch, state_after,
};
use super::targets::{Failing, IN_SCOPE, settle, settle_ended};
use super::{AT_ONCE, DISABLE_AFTER, LEASE, MAX_PAGE, Queue, QueueError, Scope};
use crate::deliveries::{
    Claimed, Completed, Completion, Delivery, DeliveryId, DeliveryState, Outcome, Retried, TargetId,
};

/// The most deliveries of a claim, and of a replay.
const MAX_CLAIM: usize = 64;
const REPLAYED: usize = 500;

/// How the attempts at one target ended, in their order.
#[derive(Default)]
struct Ended {
    waiting: i64,
    has_succeeded: bool,
    is_failing: bool,
    is_gone: bool,
}

#[expect(clippy::missing_errors_doc, reason = "each fails if the database does")]
impl Queue {
    /// Claims up to `limit` deliveries (64 at most) that are due, of the targets that have been in line for longest first;
    /// with `slow`, only of targets that are none of these, and whose attempts do not fail. What is claimed counts as
    /// tried. No target has more than [`AT_ONCE`] claims in force, over all gateways; one whose attempts fail has one. The
    /// cost does not grow with what waits for targets that have all their claims.
    pub async fn claim(
        &self,
        limit: usize,
        slow: Option<Vec<TargetId>>,
    ) -> Result<Vec<Claimed>, QueueError> {
        let limit = limit.min(MAX_CLAIM);
        let claim = (getrandom::u64().unwrap_or_default() >> 1).cast_signed();
        let claiming = self.change(move |tx, now| {
            Box::pin(async move {
                let mut values = vec![now.into(), (limit as i64).into()];
                let mut wanted = "t.due_at <= $1".to_owned();
                if let Some(slow) = slow {
                    values.push(list(slow.iter().map(|it| it.0)));
                    wanted += " AND t.failing_since IS NULL AND t.id NOT IN ( \
                                SELECT CAST(value AS bigint) FROM portreeve.json_each($3))";
                }
                // What is due is one text: SQLite has no join that is limited for each row.
                let sql = format!(
                    "SELECT {TARGET}, \
                         CASE WHEN t.failing_since IS NULL THEN {AT_ONCE} ELSE 1 END - ( \
                             SELECT count(*) FROM portreeve.delivery AS d \
                             WHERE d.target = t.id AND d.claim IS NOT NULL AND d.due_at > $1 \
                         ), ( \
                             SELECT string_agg(CAST(f.position AS text), ',') FROM ( \
                                 SELECT d.position FROM portreeve.delivery AS d \
                                 WHERE d.target = t.id AND d.state = 0 AND d.due_at <= $1 \
                                 ORDER BY d.due_at, d.position LIMIT {AT_ONCE} \
                             ) AS f \
                         ) \
                     FROM portreeve.delivery_target AS t \
                     WHERE {wanted} ORDER BY t.due_at LIMIT $2"
                );
                let (mut targets, mut chosen) = (BTreeMap::new(), Vec::new());
                for row in tx.run(&sql, values).await? {
                    if chosen.len() == limit {
                        break;
                    }
                    let target = Arc::new(rows::target(&row));
                    let room = row.number(8).clamp(0, (limit - chosen.len()) as i64);
                    let due = row.text(9).split(',').take(room as usize);
                    let due = due.filter_map(|position| position.parse::<i64>().ok());
                    chosen.extend(due.map(|position| (position, target.id.0)));
                    targets.insert(target.id, target);
                }
                if targets.is_empty() {
                    return Ok(Vec::new());
                }
                let sql = "UPDATE portreeve.delivery SET claim = $2, due_at = $3, tries = tries + 1 FROM ( \
                               SELECT CAST(value ->> 0 AS bigint) AS at, CAST(value ->> 1 AS bigint) AS to_target \
                               FROM portreeve.json_each($1) \
                           ) AS c WHERE position = c.at AND target = c.to_target \
                           RETURNING position, target, tries, \
                               (SELECT r.id FROM portreeve.receipt AS r WHERE r.position = delivery.position)";
                let until = now + millis(LEASE);
                let values = vec![list(chosen), claim.into(), until.into()];
                let mut claimed = Vec::new();
                for row in tx.run(sql, values).await? {
                    let Some(target) = targets.get(&TargetId(row.number(1))) else {
                        continue;
                    };
                    claimed.push(Claimed {
                        position: row.number(0),
                        tries: row.number(2) as u32,
                        id: DeliveryId {
                            receipt: rows::receipt_id(row.text(3)),
                            target: target.id,
                        },
                        claim,
                        target: target.clone(),
                    });
                }
                settle(tx, now, targets.keys().map(|id| (id.0, 0)).collect()).await?;
                Ok(claimed)
            })
        });
        claiming.await
    }

    /// Notes how attempts ended, in the order given.
    pub async fn complete(&self, ended: Vec<Completion>) -> Result<Vec<Completed>, QueueError> {
        let noting = self.change(move |tx, now| {
            Box::pin(async move {
                let sql = "SELECT d.position, d.target, d.claim FROM ( \
                               SELECT CAST(value ->> 0 AS bigint) AS at, CAST(value ->> 1 AS bigint) AS to_target \
                               FROM portreeve.json_each($1) \
                           ) AS e CROSS JOIN portreeve.delivery AS d \
                           WHERE d.position = e.at AND d.target = e.to_target AND d.claim IS NOT NULL";
                let asked = ended.iter().map(|it| (it.position, it.target.0));
                let claimed = tx.run(sql, vec![list(asked)]).await?;
                let claimed = claimed.iter().map(|row| [0, 1, 2].map(|at| row.number(at)));
                let claimed: BTreeSet<_> = claimed.collect();
                let is_noted = |it: &&Completion| {
                    claimed.contains(&[it.position, it.target.0, it.claim])
                };
                let attempts = ended.iter().filter(is_noted).map(|it| {
                    let due_at = now.saturating_add(it.again.map_or(0, millis));
                    let (target, state) = (it.target.0, state_after(it) as i64);
                    (it.position, target, state, due_at, attempt(now, it))
                });
                let sql = "UPDATE portreeve.delivery SET state = e.to_state, claim = NULL, due_at = e.again_at, \
                               attempts = substr(e.attempt || attempts, 1, 1000) FROM ( \
                               SELECT CAST(value ->> 0 AS bigint) AS at, CAST(value ->> 1 AS bigint) AS to_target, \
                                   CAST(value ->> 2 AS bigint) AS to_state, CAST(value ->> 3 AS bigint) AS again_at, \
                                   value ->> 4 AS attempt FROM portreeve.json_each($1) \
                           ) AS e WHERE position = e.at AND target = e.to_target";
                tx.run(sql, vec![list(attempts)]).await?;

                let mut targets = BTreeMap::<_, Ended>::new();
                for it in ended.iter().filter(is_noted) {
                    let target = targets.entry(it.target.0).or_default();
                    target.waiting -= i64::from(state_after(it) != DeliveryState::Waiting);
                    target.is_failing = it.outcome != Outcome::Delivered;
                    target.has_succeeded |= !target.is_failing;
                    target.is_gone |= it.outcome == Outcome::Gone;
                }
                let all_failed = targets.iter();
                let all_failed = all_failed.filter(|(_, it)| it.is_gone || !it.has_succeeded);
                let all_failed = all_failed.map(|(id, it)| (*id, i64::from(it.is_gone)));
                let all_failed: Vec<_> = all_failed.collect();
                let mut disabled = BTreeSet::new();
                if !all_failed.is_empty() {
                    let sql = "UPDATE portreeve.delivery_target SET state = 2, revision = revision + 1 FROM ( \
                                   SELECT CAST(value ->> 0 AS bigint) AS of_id, CAST(value ->> 1 AS bigint) AS gone \
                                   FROM portreeve.json_each($1) \
                               ) AS e WHERE id = e.of_id AND state < 2 AND (e.gone = 1 OR failing_since <= $2) \
                               RETURNING id";
                    let since = now - millis(DISABLE_AFTER);
                    let found = tx.run(sql, vec![list(all_failed), since.into()]).await?;
                    disabled.extend(found.iter().map(|row| row.number(0)));
                }
                let settled = targets.iter().map(|(id, it)| {
                    let failing = match (it.is_failing, it.has_succeeded) {
                        (false, _) => Failing::No,
                        (true, true) => Failing::Since,
                        (true, false) => Failing::Still,
                    };
                    (*id, it.waiting, Some(failing as i64))
                });
                settle_ended(tx, now, settled.collect()).await?;
                let completed = ended.iter().map(|it| match is_noted(&it) {
                    false => Completed::Stale,
                    true if disabled.remove(&it.target.0) => Completed::Disabled,
                    true => Completed::Done,
                });
                Ok(completed.collect())
            })
        });
        noting.await
    }

    /// Up to `limit` deliveries to a target of `scope`, the newest first, of receipts before the position `before`; in
    /// `state`, if one is named. `None` if there is no such target.
    pub async fn deliveries(
        &self,
        scope: Scope<'_>,
        target: TargetId,
        state: Option<DeliveryState>,
        before: Option<i64>,
        limit: usize,
    ) -> Result<Option<Vec<Delivery>>, QueueError> {
        if self.target(scope, target).await?.is_none() {
            return Ok(None);
        }
        let states = match state {
            Some(state) => state as i64..=state as i64,
            // Each is found by the index, and the newest of all are among them.
            None => 0..=2,
        };
        let of_states = states.map(|state| {
            format!(
                "SELECT * FROM (SELECT * FROM portreeve.delivery WHERE target = $1 AND state = {state} \
                 AND position < $2 ORDER BY position DESC LIMIT $3) AS of_state{state}"
            )
        });
        let sql = format!(
            "SELECT {DELIVERY} FROM ({}) AS d JOIN portreeve.receipt AS r ON r.position = d.position \
             ORDER BY d.position DESC LIMIT $3",
            of_states.collect::<Vec<_>>().join(" UNION ALL ")
        );
        let (before, limit) = (before.unwrap_or(i64::MAX), limit.min(MAX_PAGE) as i64);
        let values = vec![target.0.into(), before.into(), limit.into()];
        let found = self.read(sql, values).await?;
        Ok(Some(found.iter().map(rows::delivery).collect()))
    }

    /// The delivery, if its target is one of `scope`.
    pub async fn delivery(
        &self,
        scope: Scope<'_>,
        id: DeliveryId,
    ) -> Result<Option<Delivery>, QueueError> {
        let sql = format!(
            "SELECT {DELIVERY} FROM portreeve.receipt AS r \
             JOIN portreeve.delivery AS d ON d.position = r.position \
             WHERE r.id = $3 AND d.target IN (SELECT id FROM portreeve.delivery_target WHERE {IN_SCOPE})"
        );
        let (target, receipt) = (id.target.0, id.receipt.to_string());
        let values = vec![target.into(), compared(scope).into(), receipt.into()];
        Ok(self.read(sql, values).await?.first().map(rows::delivery))
    }

    /// Makes a delivery to a target of `scope` due at once, with all its tries before it, unless it has been delivered or an
    /// attempt is under way. `None` if there is none.
    pub async fn retry(
        &self,
        scope: Scope<'_>,
        id: DeliveryId,
    ) -> Result<Option<Retried>, QueueError> {
        let Some(found) = self.delivery(scope, id).await? else {
            return Ok(None);
        };
        let again = self.repeat(scope, id.target, vec![found.position], "0, 2");
        Ok(again.await?.and_then(|found| found.first().copied()))
    }

    /// Does that with up to 500 deliveries to a target of `scope` that failed, or with `all` also with those that were
    /// delivered, of receipts received since `since`, before `until`, and with positions after `after`. `None` if there
    /// is no such target; otherwise how many, and the `after` of the next call, if there may be more.
    pub async fn replay(
        &self,
        scope: Scope<'_>,
        target: TargetId,
        since: SystemTime,
        until: Option<SystemTime>,
        all: bool,
        after: i64,
    ) -> Result<Option<(u64, Option<i64>)>, QueueError> {
        let states = if all { "1, 2" } else { "2" };
        let of_states = states.split(", ").map(|state| {
            format!(
                "SELECT * FROM (SELECT position FROM portreeve.delivery WHERE target = $1 AND state = {state} \
                 AND position > $2 ORDER BY position LIMIT {REPLAYED}) AS of_state{state}"
            )
        });
        let sql = format!(
            "SELECT r.position, r.received_at FROM ({}) AS d \
             JOIN portreeve.receipt AS r ON r.position = d.position ORDER BY r.position LIMIT {REPLAYED}",
            of_states.collect::<Vec<_>>().join(" UNION ALL ")
        );
        let found = self.read(sql, vec![target.0.into(), after.into()]).await?;
        let next = found.get(REPLAYED - 1).map(|last| last.number(0));
        let received = since_epoch(since)..until.map_or(i64::MAX, since_epoch);
        let wanted = found.iter().filter(|row| received.contains(&row.number(1)));
        let wanted = wanted.map(|row| row.number(0)).collect();
        let again = self.repeat(scope, target, wanted, states).await?;
        let due = |found: Vec<_>| found.iter().filter(|it| **it == Retried::Due).count() as u64;
        Ok(again.map(|found| (due(found), next)))
    }

    /// Makes deliveries in `states` due, unless they are claimed. `None` if there is no such target.
    async fn repeat(
        &self,
        scope: Scope<'_>,
        target: TargetId,
        positions: Vec<i64>,
        states: &'static str,
    ) -> Result<Option<Vec<Retried>>, QueueError> {
        let account = compared(scope).to_owned();
        let repeating = self.change(move |tx, now| {
            Box::pin(async move {
                let sql = format!("SELECT id FROM portreeve.delivery_target WHERE {IN_SCOPE}");
                let found = tx.run(&sql, vec![target.0.into(), account.into()]).await?;
                if found.is_empty() {
                    return Ok(None);
                }
                const THESE: &str = "target = $1 AND position IN ( \
                                     SELECT CAST(value AS bigint) FROM portreeve.json_each($2))";
                let is_free = format!("state IN ({states}) AND (claim IS NULL OR due_at <= $3)");
                let sql = format!(
                    "SELECT state, CASE WHEN {is_free} THEN 1 ELSE 0 END FROM portreeve.delivery WHERE {THESE}"
                );
                let values = vec![target.0.into(), list(&positions), now.into()];
                let found = tx.run(&sql, values.clone()).await?;
                let found = found.iter().map(|row| (row.number(0), row.number(1) == 1));
                let found: Vec<_> = found.collect();
                let over = found.iter().filter(|(state, is_free)| *is_free && *state != 0);
                let over = over.count() as i64;
                let sql = format!(
                    "UPDATE portreeve.delivery SET state = 0, tries = 0, claim = NULL, due_at = $3 \
                     WHERE {THESE} AND {is_free}"
                );
                tx.run(&sql, values).await?;
                settle(tx, now, BTreeMap::from([(target.0, over)])).await?;
                tx.announce();
                let retried = found.iter().map(|found| match found {
                    (_, true) => Retried::Due,
                    (0, false) => Retried::UnderWay,
                    (_, false) => Retried::Delivered,
                });
                Ok(Some(retried.collect()))
            })
        });
        repeating.await
    }
}
