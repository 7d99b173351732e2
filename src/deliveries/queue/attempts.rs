//! Deliveries: how attempts ended, looking at deliveries, and making them again.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::rows::{self, DELIVERY, attempt, compared, list, millis, since_epoch};
use super::targets::{DAY, Failing, IN_SCOPE, TargetChange, refresh_due};
use super::{DELIVERY_BYTES, DISABLE_AFTER, MAX_PAGE, Queue, QueueError, Scope};
use crate::deliveries::{
    AttemptOutcome, Claimed, Completed, Completion, Delivery, DeliveryId, DeliveryState, Replay,
    Retried, Target, TargetId,
};
use crate::vault::StoreError;
use crate::vault::deliveries::{DeliveryTransaction, News};

/// The events that are looked at together for a replay, and how often at most.
const LOOKED_AT: usize = 2000;
const LOOKS: usize = 4;

/// The characters of attempts that are kept.
const MAX_ATTEMPTS: i64 = 1000;

/// How the attempts at one target ended, in their order.
#[derive(Default)]
struct Ended {
    waiting: i64,
    bytes: i64,
    failing: Option<Failing>,
    is_gone: bool,
}

#[doc(hidden)]
impl Queue {
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
        let states = match state {
            Some(state) => state as i64..=state as i64,
            // Each is found by the index, and the newest of all are among them.
            None => 0..=3,
        };
        let of_states = states.map(|state| {
            format!(
                "SELECT * FROM (SELECT position FROM portreeve.delivery WHERE target = $1 AND state = {state} \
                 AND position < $2 ORDER BY position DESC LIMIT $3) AS of_state{state}"
            )
        });
        // Few columns are sorted.
        let sql = format!(
            "SELECT {DELIVERY} FROM ( \
                 SELECT position FROM ({}) AS of_all ORDER BY position DESC LIMIT $3 \
             ) AS p JOIN portreeve.delivery AS d ON d.position = p.position AND d.target = $1 \
             JOIN portreeve.receipt AS r ON r.position = p.position \
             WHERE EXISTS (SELECT 1 FROM portreeve.delivery_target WHERE id = $1 AND state < 3 \
                 AND ($4 = '' OR account = $4))",
            of_states.collect::<Vec<_>>().join(" UNION ALL ")
        );
        let (before, limit) = (before.unwrap_or(i64::MAX), limit.min(MAX_PAGE) as i64);
        let values = vec![target.0.into(), before.into(), limit.into(), compared(scope).into()];
        let found = self.read_for(scope, sql, values).await?;
        if found.is_empty() && self.target(scope, target).await?.is_none() {
            return Ok(None);
        }
        let mut found: Vec<_> = found.iter().map(rows::delivery).collect();
        found.sort_unstable_by_key(|it| Reverse(it.position));
        Ok(Some(found))
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
        Ok(self.read_for(scope, sql, values).await?.first().map(rows::delivery))
    }

    /// Makes a delivery to a target of `scope` due at once, with all its tries before it, unless it has been delivered or an
    /// attempt is under way. `None` if there is none, or it was given up.
    pub async fn retry(
        &self,
        scope: Scope<'_>,
        id: DeliveryId,
    ) -> Result<Option<Retried>, QueueError> {
        let found = self.delivery(scope, id).await?;
        let Some(found) = found.filter(|it| it.state != DeliveryState::Expired) else {
            return Ok(None);
        };
        if found.state == DeliveryState::Delivered {
            return Ok(Some(Retried::Delivered));
        }
        let again = self.repeat(scope, id.target, vec![found.position], "0, 2", false);
        Ok(again.await?.and_then(|found| found.first().copied()))
    }

    /// The kept events of a target's account after a position, in their order, that `replay` sends to the target. Those that
    /// wait are sent anyway. Returns their positions and classes, up to `limit`, and the position to go on after, if there
    /// may be more.
    pub async fn replayable(
        &self,
        target: &Target,
        replay: Replay,
        mut after: i64,
        limit: usize,
    ) -> Result<(Vec<(i64, Box<str>)>, Option<i64>), QueueError> {
        let of_account = match target.account {
            Some(_) => "r.account = $3",
            None => "$3 = ''",
        };
        let sql = format!(
            "SELECT r.position, r.received_at, r.class, length(r.sealed), ( \
                 SELECT d.state FROM portreeve.delivery AS d WHERE d.position = r.position AND d.target = $2 \
             ) FROM portreeve.receipt AS r WHERE {of_account} AND r.position > $1 \
             ORDER BY r.position LIMIT {LOOKED_AT}"
        );
        let received = since_epoch(replay.since)..replay.until.map_or(i64::MAX, since_epoch);
        let mut replayable = Vec::new();
        for _ in 0..LOOKS {
            let account = target.account.as_deref().unwrap_or_default();
            let values = vec![after.into(), target.id.0.into(), account.into()];
            let scope = target.account.as_deref().map_or(Scope::All, Scope::Account);
            let found = self.read_for(scope, sql.clone(), values).await?;
            for row in &found {
                if replayable.len() == limit {
                    return Ok((replayable, Some(after)));
                }
                after = row.number(0);
                let is_wanted = match row.number_at(4) {
                    None | Some(2) => true,
                    Some(1) => replay.all,
                    Some(_) => false,
                };
                // What was given up has no bytes.
                if is_wanted && received.contains(&row.number(1)) && row.number(3) > 0 {
                    replayable.push((after, row.text(2).into()));
                }
            }
            if found.len() < LOOKED_AT {
                return Ok((replayable, None));
            }
        }
        Ok((replayable, Some(after)))
    }

    /// Makes the deliveries of these receipts to a target of `scope` due at once, unless they wait already: those that were
    /// made before and failed, or with `all` arrived, and such as there are none of. Returns how many; `None` if there is no
    /// such target.
    pub async fn replay(
        &self,
        scope: Scope<'_>,
        target: TargetId,
        positions: Vec<i64>,
        all: bool,
    ) -> Result<Option<u64>, QueueError> {
        let states = if all { "1, 2" } else { "2" };
        let again = self.repeat(scope, target, positions, states, true).await?;
        let due = |found: Vec<_>| found.iter().filter(|it| **it == Retried::Due).count() as u64;
        Ok(again.map(due))
    }

    /// Makes deliveries in `states` due, unless they are claimed, and if it `adds`, those that were not made yet. `None` if
    /// there is no such target.
    async fn repeat(
        &self,
        scope: Scope<'_>,
        target: TargetId,
        positions: Vec<i64>,
        states: &'static str,
        adds: bool,
    ) -> Result<Option<Vec<Retried>>, QueueError> {
        let account = compared(scope).to_owned();
        transaction!(self.change_for_call(), |tx, now| {
            let sql = format!("SELECT id FROM portreeve.delivery_target WHERE {IN_SCOPE}");
            let found = tx.run(&sql, vec![target.0.into(), account.into()]).await?;
            if found.is_empty() {
                return Ok(None);
            }
            // Of what was given up since it was found there is nothing to send.
            const KEPT: &str = "SELECT r.position FROM portreeve.receipt AS r WHERE length(r.sealed) > 0 \
                                AND r.position IN (SELECT CAST(value AS bigint) FROM portreeve.json_each($2))";
            let these = format!("target = $1 AND position IN ({KEPT})");
            let is_free = format!("state IN ({states}) AND (claim IS NULL OR due_at <= $3)");
            let sql = format!(
                "SELECT state, CASE WHEN {is_free} THEN 1 ELSE 0 END FROM portreeve.delivery WHERE {these}"
            );
            let values = vec![target.0.into(), list(&positions), now.into()];
            let found = tx.run(&sql, values.clone()).await?;
            let found = found.iter().map(|row| (row.number(0), row.number(1) == 1));
            let found: Vec<_> = found.collect();
            let over = found.iter().filter(|(state, is_free)| *is_free && *state != 0);
            let over = over.count() as i64;
            let sql = format!(
                "UPDATE portreeve.delivery SET state = 0, tries = 0, claim = NULL, due_at = $3 \
                 WHERE {these} AND {is_free}"
            );
            tx.run(&sql, values.clone()).await?;
            let mut added = 0;
            if adds {
                let sql = format!(
                    "INSERT INTO portreeve.delivery (position, target, state, tries, due_at, attempts) \
                     SELECT r.position, t.id, 0, 0, $3, '' FROM portreeve.receipt AS r \
                     JOIN portreeve.delivery_target AS t ON t.id = $1 AND t.account IN ('', r.account) \
                     WHERE r.position IN ({KEPT}) ON CONFLICT DO NOTHING RETURNING position"
                );
                added = tx.run(&sql, values).await?.len();
            }
            let again = TargetChange {
                waiting: over + added as i64,
                bytes: added as i64 * DELIVERY_BYTES as i64,
                failing: None,
            };
            refresh_due(tx, now, BTreeMap::from([(target.0, again)]))?;
            tx.announce(News::Due);
            let retried = found.iter().map(|found| match found {
                (_, true) => Retried::Due,
                (0, false) => Retried::UnderWay,
                (_, false) => Retried::Delivered,
            });
            let added = std::iter::repeat_n(Retried::Due, added);
            Ok(Some(retried.chain(added).collect()))
        })
    }
}

/// Notes how attempts ended, in the order given, in a transaction.
pub(super) async fn complete(
    tx: &mut dyn DeliveryTransaction,
    now: i64,
    mut ended: &[Completion],
) -> Result<Vec<Completed>, StoreError> {
    let mut completed = Vec::with_capacity(ended.len());
    while !ended.is_empty() {
        // One that was claimed again, since it was not noted in time, is noted apart.
        let mut seen = BTreeSet::new();
        let portion = ended.iter().take_while(|it| seen.insert(it.claimed.id())).count();
        completed.extend(complete_portion(tx, now, &ended[..portion]).await?);
        ended = &ended[portion..];
    }
    Ok(completed)
}

async fn complete_portion(
    tx: &mut dyn DeliveryTransaction,
    now: i64,
    ended: &[Completion],
) -> Result<Vec<Completed>, StoreError> {
    let steps = |outcome| i64::from(!matches!(outcome, None | Some(AttemptOutcome::Unopened)));
    let asked = ended.iter().map(|it| {
        let Claimed { receipt, target, claim, .. } = &it.claimed;
        let due_at = now.saturating_add(it.again.map_or(0, millis));
        let state = it.state_after() as i64;
        let gone = it.outcome.filter(|it| *it == AttemptOutcome::Gone).map(|_| target.revision);
        let noted = (attempt(now, it), steps(it.outcome), gone);
        (receipt.position, target.id.0, claim, state, due_at, noted.0, noted.1, noted.2)
    });
    let sql = format!(
        "UPDATE portreeve.delivery SET claim = NULL, due_at = e.again_at, state = CASE WHEN EXISTS ( \
                 SELECT 1 FROM portreeve.delivery_target AS t WHERE t.id = e.to_target AND t.revision > e.gone AND t.state < 2 \
             ) THEN 0 ELSE e.to_state END, \
             tries = tries + e.steps, attempts = substr(e.attempt || attempts, 1, {MAX_ATTEMPTS}) FROM ( \
             SELECT CAST(value ->> 0 AS bigint) AS at, CAST(value ->> 1 AS bigint) AS to_target, \
                 CAST(value ->> 2 AS bigint) AS of_claim, CAST(value ->> 3 AS bigint) AS to_state, \
                 CAST(value ->> 4 AS bigint) AS again_at, value ->> 5 AS attempt, \
                 CAST(value ->> 6 AS integer) AS steps, CAST(value ->> 7 AS bigint) AS gone \
             FROM portreeve.json_each($1) \
         ) AS e WHERE position = e.at AND target = e.to_target AND coalesce(claim, -1) = e.of_claim RETURNING position, target, state"
    );
    let noted = tx.run(&sql, vec![list(asked)]).await?;
    let noted = noted.iter().map(|row| ((row.number(0), row.number(1)), row.number(2)));
    let noted: BTreeMap<_, _> = noted.collect();
    let noted = |it: &Completion| {
        noted.get(&(it.claimed.receipt.position, it.claimed.target.id.0)).copied()
    };

    let mut targets = BTreeMap::<_, Ended>::new();
    for (it, state) in ended.iter().filter_map(|it| Some((it, noted(it)?))) {
        let target = targets.entry(it.claimed.target.id.0).or_default();
        let waits = state == DeliveryState::Waiting as i64;
        target.waiting -= i64::from(!waits);
        let before = it.claimed.attempts_len;
        let after = before + attempt(now, it).len() as i64;
        target.bytes += after.min(MAX_ATTEMPTS) - before;
        target.failing = match (it.outcome, target.failing) {
            // That a key is missing is no failure of the target.
            (None | Some(AttemptOutcome::Unopened), before) => before,
            (Some(AttemptOutcome::Delivered), _) => Some(Failing::No),
            (_, None | Some(Failing::Still)) => Some(Failing::Still),
            (_, Some(Failing::No | Failing::Since)) => Some(Failing::Since),
        };
        // One that was changed since may have another address: that is asked, too.
        target.is_gone |= it.outcome == Some(AttemptOutcome::Gone) && !waits;
    }
    let all_failed = targets.iter();
    let all_failed =
        all_failed.filter(|(_, it)| it.is_gone || matches!(it.failing, Some(Failing::Still)));
    let all_failed = all_failed.map(|(id, it)| (*id, i64::from(it.is_gone)));
    let all_failed: Vec<_> = all_failed.collect();
    let mut disabled = BTreeSet::new();
    if !all_failed.is_empty() {
        let sql = format!(
            "UPDATE portreeve.delivery_target SET state = 2, revision = revision + 1 FROM ( \
                 SELECT CAST(value ->> 0 AS bigint) AS of_id, CAST(value ->> 1 AS bigint) AS gone \
                 FROM portreeve.json_each($1) \
             ) AS e WHERE id = e.of_id AND state < 2 AND (e.gone = 1 OR failing_since <= $2 - {} \
                 AND ($2 - failing_since) / {DAY} - (failed_at - failing_since) / {DAY} <= 1 \
                 AND ($2 - failing_since) / {DAY} - (failing_run - failing_since) / {DAY} >= 2) \
             RETURNING id",
            millis(DISABLE_AFTER)
        );
        let found = tx.run(&sql, vec![list(all_failed), now.into()]).await?;
        disabled.extend(found.iter().map(|row| row.number(0)));
    }
    let settled = targets.iter().map(|(id, it)| {
        let change = TargetChange { waiting: it.waiting, bytes: it.bytes, failing: it.failing };
        (*id, change)
    });
    refresh_due(tx, now, settled.collect())?;
    let completed = ended.iter().map(|it| match noted(it) {
        None => Completed::Stale,
        Some(_) if disabled.remove(&it.claimed.target.id.0) => Completed::Disabled,
        Some(_) => Completed::Done,
    });
    Ok(completed.collect())
}
