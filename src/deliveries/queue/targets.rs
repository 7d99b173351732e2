//! Targets.

use std::collections::BTreeMap;
use std::time::SystemTime;

use super::rows::{self, TARGET, compared, list};
use super::{AT_ONCE, MAX_PAGE, MAX_TARGETS, Queue, QueueError, Scope};
use crate::deliveries::{Target, TargetId, TargetState};
use crate::vault::StoreError;
use crate::vault::deliveries::DeliveryTransaction;

/// The condition that a target is that of the id `$1` in the scope `$2`.
pub(super) const IN_SCOPE: &str = "id = $1 AND state < 3 AND ($2 = '' OR account = $2)";

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

#[expect(clippy::missing_errors_doc, reason = "each fails if the database does")]
impl Queue {
    /// The targets that may want a receipt of `account`: those of the account and those of all accounts, active
    /// or paused.
    pub async fn targets_for(&self, account: Option<&str>) -> Result<Vec<Target>, QueueError> {
        let sql = format!(
            "SELECT {TARGET} FROM portreeve.delivery_target AS t WHERE account IN ($1, '') AND state < 2"
        );
        let found = self.read(sql, vec![account.unwrap_or_default().into()]);
        Ok(found.await?.iter().map(rows::target).collect())
    }

    /// Keeps a new target, whose times and revision are not read, and returns when it was made. The error is
    /// [`QueueError::TooManyTargets`] if the account has [`MAX_TARGETS`].
    pub async fn add_target(&self, target: Target) -> Result<SystemTime, QueueError> {
        let adding = self.change(move |tx, now| {
            Box::pin(async move {
                let sql = format!(
                    "INSERT INTO portreeve.delivery_target \
                         (id, account, state, revision, created_at, created_after, waiting, sealed) \
                     SELECT $1, $2, $3, 1, $4, (SELECT coalesce(max(position), 0) FROM portreeve.receipt), 0, $5 WHERE ( \
                         SELECT count(*) FROM portreeve.delivery_target WHERE account = $2 AND state < 3 \
                     ) < {MAX_TARGETS} RETURNING id"
                );
                let account = target.account.as_deref().unwrap_or_default();
                let state = target.state as i64;
                let values = vec![
                    target.id.0.into(),
                    account.into(),
                    state.into(),
                    now.into(),
                    target.sealed.into(),
                ];
                let is_added = !tx.run(&sql, values).await?.is_empty();
                Ok(is_added.then_some(now))
            })
        });
        let created_at = adding.await?.ok_or(QueueError::TooManyTargets)?;
        Ok(rows::time(created_at))
    }

    /// The target, if it is one of `scope`.
    pub async fn target(
        &self,
        scope: Scope<'_>,
        id: TargetId,
    ) -> Result<Option<Target>, QueueError> {
        let sql = format!("SELECT {TARGET} FROM portreeve.delivery_target AS t WHERE {IN_SCOPE}");
        let values = vec![id.0.into(), compared(scope).into()];
        Ok(self.read(sql, values).await?.first().map(rows::target))
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
        let found = self.read(sql, values).await?;
        Ok(found.iter().map(rows::target).collect())
    }

    /// Replaces state and settings of a target of `scope`, if it has the `revision` that they were made from: then it
    /// has the next one. A target that becomes active goes on with what waits when that is due. `false` if it was changed
    /// meanwhile or is gone.
    pub async fn change_target(
        &self,
        scope: Scope<'_>,
        id: TargetId,
        revision: i64,
        state: TargetState,
        sealed: Box<[u8]>,
    ) -> Result<bool, QueueError> {
        let account = compared(scope).to_owned();
        let changing = self.change(move |tx, now| {
            Box::pin(async move {
                let sql = format!(
                    "UPDATE portreeve.delivery_target SET sealed = $5, revision = revision + 1, \
                     failing_since = CASE WHEN state = 2 THEN NULL ELSE failing_since END, state = $4 \
                     WHERE {IN_SCOPE} AND revision = $3 RETURNING id"
                );
                let values = vec![
                    id.0.into(),
                    account.into(),
                    revision.into(),
                    (state as i64).into(),
                    sealed.into(),
                ];
                let is_changed = !tx.run(&sql, values).await?.is_empty();
                if is_changed {
                    settle(tx, now, BTreeMap::from([(id.0, 0)])).await?;
                    tx.announce();
                }
                Ok(is_changed)
            })
        });
        changing.await
    }

    /// Removes a target of `scope`, and its deliveries later; `false` if there is none.
    pub async fn remove_target(&self, scope: Scope<'_>, id: TargetId) -> Result<bool, QueueError> {
        let account = compared(scope).to_owned();
        let removing = self.change(move |tx, _| {
            Box::pin(async move {
                let sql = format!(
                    "UPDATE portreeve.delivery_target SET state = 3, due_at = NULL WHERE {IN_SCOPE} RETURNING id"
                );
                let removed = tx.run(&sql, vec![id.0.into(), account.into()]).await?;
                Ok(!removed.is_empty())
            })
        });
        removing.await
    }
}

/// Adds to what waits for each of these targets, and computes anew when each is due. However long something has
/// waited for it, it gets its turn after the targets that are due already, and keeps that turn.
pub(super) async fn settle(
    tx: &mut dyn DeliveryTransaction,
    now: i64,
    waiting: BTreeMap<i64, i64>,
) -> Result<(), StoreError> {
    let waiting = waiting.into_iter().map(|(id, added)| (id, added, None));
    settle_ended(tx, now, waiting.collect()).await
}

/// The same after attempts at targets have ended; the third number is that of [`Failing`].
pub(super) async fn settle_ended(
    tx: &mut dyn DeliveryTransaction,
    now: i64,
    targets: Vec<(i64, i64, Option<i64>)>,
) -> Result<(), StoreError> {
    let claimed = "FROM portreeve.delivery AS d WHERE d.target = t.id AND d.claim IS NOT NULL AND d.due_at > $2";
    let sql = format!(
        "UPDATE portreeve.delivery_target AS t SET waiting = t.waiting + c.added, failing_since = CASE c.failing \
             WHEN 0 THEN NULL WHEN 1 THEN coalesce(t.failing_since, $2) WHEN 2 THEN $2 ELSE t.failing_since \
         END, due_at = CASE \
             WHEN t.state <> 0 THEN NULL \
             WHEN (SELECT count(*) {claimed}) >= \
                 CASE WHEN coalesce(c.failing, t.failing_since, 0) = 0 THEN {AT_ONCE} ELSE 1 END \
             THEN (SELECT min(d.due_at) {claimed}) \
             ELSE (SELECT CASE WHEN min(d.due_at) >= $2 THEN min(d.due_at) \
                 WHEN min(d.due_at) < $2 THEN CASE WHEN t.due_at < $2 THEN t.due_at ELSE $2 END \
             END FROM portreeve.delivery AS d WHERE d.target = t.id AND d.state = 0) \
         END FROM ( \
             SELECT CAST(value ->> 0 AS bigint) AS id, CAST(value ->> 1 AS bigint) AS added, \
                 CAST(value ->> 2 AS bigint) AS failing FROM portreeve.json_each($1) \
         ) AS c WHERE t.id = c.id"
    );
    tx.run(&sql, vec![list(targets), now.into()]).await?;
    Ok(())
}
