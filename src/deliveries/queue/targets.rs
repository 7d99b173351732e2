//! Targets.

use std::collections::BTreeMap;
use std::time::SystemTime;

use super::rows::{self, TARGET, compared, list};
use super::{
    ALL_ROWS, DELIVERY_BYTES, MAX_CONCURRENT_PER_TARGET, MAX_PAGE, MAX_TARGETS, Queue, QueueError,
    Scope,
};
use crate::deliveries::{Maker, Target, TargetId, TargetState};
use crate::vault::StoreError;
use crate::vault::deliveries::{DeliveryTransaction, News};

/// The condition that a target is that of the id `$1` in the scope `$2`.
pub(super) const IN_SCOPE: &str = "id = $1 AND state < 3 AND ($2 = '' OR account = $2)";

/// The account for which the deliveries to a target `t` count: its own, or its maker's if it is one of all accounts. As a text,
/// so that SQLite takes the index.
pub(super) const PAYER: &str =
    "CAST(CASE t.account WHEN '' THEN t.made_by ELSE t.account END AS text)";

/// A day, in milliseconds; and the time between two failures that makes them more than those of some events among others.
pub(super) const DAY: i64 = 24 * 3600 * 1000;
const AN_OUTAGE: i64 = 4000;

/// Deliveries that are brought forward at once.
const BROUGHT_AT_ONCE: usize = 250;

/// Whether the attempts at a target fail, after some have ended.
#[derive(Clone, Copy)]
pub(super) enum Failing {
    /// The last one succeeded.
    No,
    /// All of them failed.
    Still,
    /// One succeeded, and the last one failed.
    Since,
}

#[doc(hidden)]
impl Queue {
    /// The targets that may want a receipt of `account`: those of the account and those of all accounts, in any state.
    pub async fn targets_for(&self, account: Option<&str>) -> Result<Vec<Target>, QueueError> {
        let sql = format!(
            "SELECT {TARGET} FROM portreeve.delivery_target AS t WHERE account IN ($1, '') AND state < 3"
        );
        let found = self.read_to_send(sql, vec![account.unwrap_or_default().into()]);
        Ok(found.await?.iter().map(rows::target).collect())
    }

    /// Keeps a new target, whose times and revision are not read, and returns when it was made. The error is
    /// [`QueueError::TooManyTargets`] if the account has [`MAX_TARGETS`].
    pub async fn add_target(&self, target: Target) -> Result<SystemTime, QueueError> {
        let created_at = transaction!(self.change_for_call(), |tx, now| {
            let sql = format!(
                "INSERT INTO portreeve.delivery_target \
                     (id, account, state, revision, created_at, created_after, waiting, sealed, made_by, person, is_bound, \
                     as_administrator, asked_at, confirmed_at) \
                 SELECT $1, $2, $3, 1, $4, (SELECT coalesce(max(position), 0) FROM portreeve.receipt), 0, $5, \
                     $6, $7, $8, $9, $4, $4 WHERE ( \
                     SELECT count(*) FROM portreeve.delivery_target WHERE account = $2 AND state < 3 \
                 ) < {MAX_TARGETS} RETURNING id"
            );
            let account = target.account.as_deref().unwrap_or_default();
            let state = target.state as i64;
            let mut values = vec![
                target.id.0.into(),
                account.into(),
                state.into(),
                now.into(),
                target.sealed.into(),
            ];
            values.extend(rows::maker(&target.maker));
            let is_added = !tx.run(&sql, values).await?.is_empty();
            Ok(is_added.then_some(now))
        })?;
        Ok(rows::time(created_at.ok_or(QueueError::TooManyTargets)?))
    }

    /// The target, if it is one of `scope`.
    pub async fn target(
        &self,
        scope: Scope<'_>,
        id: TargetId,
    ) -> Result<Option<Target>, QueueError> {
        let sql = format!("SELECT {TARGET} FROM portreeve.delivery_target AS t WHERE {IN_SCOPE}");
        let values = vec![id.0.into(), compared(scope).into()];
        Ok(self.read_for(scope, sql, values).await?.first().map(rows::target))
    }

    /// Up to `limit` targets of `scope`, in ascending order of their ids, after `after`.
    pub async fn targets(
        &self,
        scope: Scope<'_>,
        after: Option<TargetId>,
        limit: usize,
    ) -> Result<Vec<Target>, QueueError> {
        let of_account = match scope {
            Scope::Account(_) => "account = $3",
            Scope::All => "$3 = ''",
        };
        let sql = format!(
            "SELECT {TARGET} FROM portreeve.delivery_target AS t \
             WHERE {of_account} AND id > $1 AND state < 3 ORDER BY id LIMIT $2"
        );
        let values = vec![
            after.map_or(-1, |after| after.0).into(),
            (limit.min(MAX_PAGE) as i64).into(),
            compared(scope).into(),
        ];
        Ok(self.read_for(scope, sql, values).await?.iter().map(rows::target).collect())
    }

    /// How many targets each account has that comes after `after` and has any: of up to `limit` accounts, in the order
    /// of their ids.
    pub async fn target_counts(
        &self,
        after: &str,
        limit: usize,
    ) -> Result<Vec<(String, u64)>, QueueError> {
        let sql = "SELECT account, count(*) FROM portreeve.delivery_target WHERE account > $1 AND state < 3 \
                   GROUP BY account ORDER BY account LIMIT $2";
        let values = vec![after.into(), (limit as i64).into()];
        let found = self.read(sql.to_owned(), values).await?;
        let count = |number: i64| number.cast_unsigned();
        Ok(found.iter().map(|row| (row.text(0).to_owned(), count(row.number(1)))).collect())
    }

    /// Replaces state and settings of a target of `scope`, if it has the `revision` that they were made from: then it
    /// has the next one. One that becomes active counts as answering again. `false` if it was changed meanwhile or is gone.
    /// With a `maker` it is theirs from now on, and not suspended.
    pub async fn change_target(
        &self,
        scope: Scope<'_>,
        id: TargetId,
        (revision, state): (i64, TargetState),
        sealed: Box<[u8]>,
        maker: Option<&Maker>,
    ) -> Result<bool, QueueError> {
        let account = compared(scope).to_owned();
        let adopter = maker.map(|maker| maker.account.to_string());
        let maker = maker.map(rows::maker);
        transaction!(self.change_for_call(), |tx, now| {
            let adopted = match maker {
                None => "",
                Some(_) => {
                    ", made_by = $6, person = $7, is_bound = $8, as_administrator = $9, asked_at = $10, \
                     confirmed_at = $10, suspended = NULL"
                }
            };
            let sql = format!(
                "UPDATE portreeve.delivery_target SET sealed = $5, revision = revision + 1, \
                 failing_since = CASE WHEN state > 0 AND $4 = 0 THEN NULL ELSE failing_since END, \
                 missed = CASE WHEN $4 < 2 THEN 0 ELSE missed END, state = $4{adopted} \
                 WHERE {IN_SCOPE} AND revision = $3 RETURNING id"
            );
            let mut values = vec![
                id.0.into(),
                account.into(),
                revision.into(),
                (state as i64).into(),
                sealed.into(),
            ];
            if let Some(maker) = maker {
                values.extend(maker.into_iter().chain([now.into()]));
            }
            let former = "SELECT made_by, (SELECT CAST(coalesce(sum($2 + length(d.attempts)), 0) AS bigint) \
                              FROM portreeve.delivery AS d WHERE d.target = t.id) \
                          FROM portreeve.delivery_target AS t WHERE t.id = $1 AND t.account = '' AND $3 = 1";
            let is_adopted = i64::from(adopter.is_some()).into();
            let of_target = vec![id.0.into(), (DELIVERY_BYTES as i64).into(), is_adopted];
            let former = tx.run(former, of_target).await?;
            let is_changed = !tx.run(&sql, values).await?.is_empty();
            if is_changed {
                let mut accounts = BTreeMap::<_, AccountChange>::new();
                for (row, adopter) in former.iter().zip(adopter) {
                    accounts.entry(adopter).or_default().bytes += row.number(1);
                    accounts.entry(row.text(0).to_owned()).or_default().bytes -= row.number(1);
                }
                let changed = BTreeMap::from([(id.0, TargetChange::default())]);
                refresh_due_with(tx, now, changed, accounts, false)?;
                tx.announce(News::Due);
            }
            Ok(is_changed)
        })
    }

    /// Removes a target of `scope`, and its deliveries later; `false` if there is none.
    pub async fn remove_target(&self, scope: Scope<'_>, id: TargetId) -> Result<bool, QueueError> {
        let account = compared(scope).to_owned();
        transaction!(self.change_for_call(), |tx, _| {
            let sql = format!(
                "UPDATE portreeve.delivery_target SET state = 3, due_at = NULL WHERE {IN_SCOPE} RETURNING id"
            );
            let removed = tx.run(&sql, vec![id.0.into(), account.into()]).await?;
            Ok(!removed.is_empty())
        })
    }
}

/// Makes a portion of what waits due at once for one of the targets that answer again: nobody asks them before that, and
/// the next step may be hours away.
pub(super) async fn bring_forward(
    tx: &mut dyn DeliveryTransaction,
    now: i64,
) -> Result<u64, StoreError> {
    let sql = "SELECT id FROM portreeve.delivery_target WHERE failing_since IS NULL AND failed_at IS NOT NULL \
               AND state = 0 AND suspended IS NULL LIMIT 1";
    let found = tx.run(sql, Vec::new()).await?;
    let Some(target) = found.first().map(|row| row.number(0)) else {
        return Ok(0);
    };
    let sql = format!(
        "UPDATE portreeve.delivery SET due_at = $2 WHERE target = $1 AND position IN ( \
             SELECT position FROM portreeve.delivery WHERE target = $1 AND state = 0 AND claim IS NULL AND due_at > $2 \
             ORDER BY due_at LIMIT {BROUGHT_AT_ONCE}) RETURNING position"
    );
    let brought = tx.run(&sql, vec![target.into(), now.into()]).await?;
    if brought.len() < BROUGHT_AT_ONCE {
        let sql = "UPDATE portreeve.delivery_target SET failed_at = NULL WHERE id = $1";
        tx.run(sql, vec![target.into()]).await?;
    }
    let unchanged = TargetChange::default();
    refresh_due(tx, now, BTreeMap::from([(target, unchanged)]))?;
    tx.announce(News::Due);
    Ok(brought.len().max(1) as u64)
}

/// What a transaction changed of a target.
#[derive(Default)]
pub(super) struct TargetChange {
    /// What is added to what waits for it.
    pub(super) waiting: i64,
    /// The bytes that its deliveries take more.
    pub(super) bytes: i64,
    /// If attempts have ended.
    pub(super) failing: Option<Failing>,
}

/// What a transaction changed of an account.
#[derive(Default)]
pub(super) struct AccountChange {
    /// The bytes that it takes more.
    pub(super) bytes: i64,
    /// The position of the last of its receipts that was removed.
    pub(super) removed_through: i64,
}

/// For how many milliseconds after a failure at this time nothing else is attempted at the target: an eighth of the time for
/// which it has been failing, 5 s at most; nothing as long as that is less than [`AN_OUTAGE`].
fn pause(at: &str) -> String {
    let failing = format!("({at} - t.failing_since)");
    format!(
        "coalesce(CASE WHEN {failing} >= 40000 THEN 5000 WHEN {failing} >= {AN_OUTAGE} THEN {failing} / 8 END, 0)"
    )
}

/// Notes what was changed of these targets, and computes anew when each is due, and when something is for their accounts.
/// However long something has waited for a target, it gets its turn after the targets of its account that are due
/// already, and keeps that turn.
pub(super) fn refresh_due(
    tx: &mut dyn DeliveryTransaction,
    now: i64,
    targets: BTreeMap<i64, TargetChange>,
) -> Result<(), StoreError> {
    refresh_due_with(tx, now, targets, BTreeMap::new(), false)
}

/// The same, and notes what was changed of these accounts. If all accounts `had_turn` just now, they get the next one
/// after all that are in line; otherwise each keeps its turn.
pub(super) fn refresh_due_with(
    tx: &mut dyn DeliveryTransaction,
    now: i64,
    targets: BTreeMap<i64, TargetChange>,
    mut accounts: BTreeMap<String, AccountChange>,
    had_turn: bool,
) -> Result<(), StoreError> {
    if targets.is_empty() && accounts.is_empty() {
        return Ok(());
    }
    // From when on the next attempt may be made: at once, unless the target is failing and has its pause.
    let next = format!(
        "CASE WHEN c.failing = 1 THEN $2 + {} WHEN c.failing IS NULL AND t.failed_at + {after} > $2 \
         THEN t.failed_at + {after} ELSE $2 END",
        pause("$2"),
        after = pause("t.failed_at")
    );
    let claimed = "FROM portreeve.delivery AS d WHERE d.target = t.id AND d.claim IS NOT NULL AND d.due_at > $2";
    let sql = format!(
        "UPDATE portreeve.delivery_target AS t SET waiting = t.waiting + c.added, failing_since = CASE c.failing \
             WHEN 0 THEN NULL WHEN 1 THEN coalesce(t.failing_since, $2) WHEN 2 THEN $2 ELSE t.failing_since \
         END, failing_run = CASE WHEN c.failing = 2 OR c.failing = 1 AND (t.failing_since IS NULL OR t.failed_at IS NULL \
                 OR ($2 - t.failing_since) / {DAY} - (t.failed_at - t.failing_since) / {DAY} > 1) \
             THEN $2 ELSE t.failing_run \
         END, failed_at = CASE WHEN c.failing > 0 THEN $2 \
             WHEN c.failing = 0 AND t.failed_at - t.failing_since < {AN_OUTAGE} THEN NULL ELSE t.failed_at \
         END, due_at = CASE \
             WHEN t.state <> 0 OR t.suspended IS NOT NULL THEN NULL \
             WHEN (SELECT count(DISTINCT d.claim) {claimed}) >= \
                 CASE WHEN coalesce(c.failing, t.failing_since, 0) = 0 THEN {MAX_CONCURRENT_PER_TARGET} ELSE 1 END \
             THEN (SELECT min(d.due_at) {claimed}) \
             ELSE (SELECT CASE WHEN min(d.due_at) >= {next} THEN min(d.due_at) \
                 WHEN min(d.due_at) < {next} THEN CASE WHEN t.due_at < {next} THEN t.due_at ELSE {next} END \
             END FROM portreeve.delivery AS d WHERE d.target = t.id AND d.state = 0) \
         END FROM ( \
             SELECT CAST(value ->> 0 AS bigint) AS of_id, CAST(value ->> 1 AS bigint) AS added, \
                 CAST(value ->> 2 AS bigint) AS failing FROM portreeve.json_each($1) \
         ) AS c WHERE t.id = c.of_id"
    );
    let changes = targets.iter();
    let changes =
        list(changes.map(|(id, it)| (id, it.waiting, it.failing.map(|it| it as i64), it.bytes)));
    tx.put(sql, vec![changes.clone(), now.into()])?;
    // What has bytes is there.
    let bytes: i64 = targets.values().map(|it| it.bytes).sum();
    if bytes != 0 {
        accounts.entry(ALL_ROWS.to_owned()).or_default().bytes += bytes;
    }
    let sql = format!(
        "INSERT INTO portreeve.delivery_account AS a (account, bytes, removed_through, due_at) \
               SELECT c.account, c.bytes, c.removed, (SELECT min(t.due_at) FROM portreeve.delivery_target AS t \
                   WHERE {PAYER} = c.account AND t.due_at IS NOT NULL) \
               FROM ( \
                   SELECT account, CAST(sum(bytes) AS bigint) AS bytes, max(removed) AS removed FROM ( \
                       SELECT {PAYER} AS account, CAST(value ->> 3 AS bigint) AS bytes, 0 AS removed \
                       FROM portreeve.json_each($4) JOIN portreeve.delivery_target AS t \
                           ON t.id = CAST(value ->> 0 AS bigint) \
                       UNION ALL SELECT value ->> 0, CAST(value ->> 1 AS bigint), CAST(value ->> 2 AS bigint) \
                       FROM portreeve.json_each($1) \
                   ) AS one GROUP BY account \
               ) AS c WHERE true \
               ON CONFLICT (account) DO UPDATE SET bytes = a.bytes + excluded.bytes, removed_through = CASE \
                   WHEN a.removed_through < excluded.removed_through THEN excluded.removed_through \
                   ELSE a.removed_through \
               END, due_at = CASE \
                   WHEN excluded.due_at <= $2 THEN CASE WHEN a.due_at <= $2 AND $3 = 0 THEN a.due_at ELSE $2 END \
                   ELSE excluded.due_at \
               END"
    );
    let accounts = accounts.iter();
    let accounts = list(accounts.map(|(account, it)| (account, it.bytes, it.removed_through)));
    tx.put(sql, vec![accounts, now.into(), i64::from(had_turn).into(), changes])
}
