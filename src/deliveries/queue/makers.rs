//! Whether those who made targets still may have what these get.

use std::time::Duration;

use super::removal::remove_first;
use super::rows::{self, TARGET, list, millis};
use super::targets::{TargetChange, refresh_due};
use super::{MAX_PAGE, Queue, QueueError};
use crate::deliveries::{Maker, Target, TargetId};
use crate::vault::deliveries::{News, SqlValue};

/// Administrators who are asked about at once.
const ASKED_AT_ONCE: usize = 64;

/// What is kept for an account, or was.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct OfAccount {
    /// Its targets.
    pub targets: u64,
    /// Its events.
    pub events: u64,
    /// Targets for others that it made as an administrator.
    pub for_others: Vec<TargetId>,
}

/// The time at which makers were asked about.
#[derive(Clone, Copy, Debug)]
pub struct AskedAt(i64);

/// When it is asked about one who has left. Whoever has their account next is somebody else.
const NEVER: i64 = i64::MAX;

/// The condition of targets that somebody made as an administrator.
const OF_ADMINISTRATORS: &str = "as_administrator = 1 AND state < 3";

#[doc(hidden)]
impl Queue {
    /// Up to a page of targets whose makers have their accounts by bindings, in ascending order of their ids, after `after`.
    pub async fn bound_targets(&self, after: Option<TargetId>) -> Result<Vec<Target>, QueueError> {
        let sql = format!(
            "SELECT {TARGET} FROM portreeve.delivery_target AS t \
             WHERE is_bound = 1 AND state < 3 AND id > $1 ORDER BY id LIMIT {MAX_PAGE}"
        );
        let found = self.read(sql, vec![after.map_or(-1, |it| it.0).into()]);
        Ok(found.await?.iter().map(rows::target).collect())
    }

    /// From now on the accounts of persons who made targets are theirs by bindings.
    pub async fn bind_makers(&self) -> Result<(), QueueError> {
        let condition = "is_bound = 0 AND person <> '' AND state < 3";
        self.update("is_bound = 1", condition, Vec::new()).await.map(drop)
    }

    /// Suspends a target that has `revision`, or lifts that it is [`Suspension::Unbound`]; `false` if there is nothing to
    /// change.
    pub async fn set_unbound(
        &self,
        id: TargetId,
        revision: i64,
        is_unbound: bool,
    ) -> Result<bool, QueueError> {
        let (to, from) = match is_unbound {
            true => ("suspended = 0", "suspended IS NULL"),
            false => ("suspended = NULL", "suspended = 0"),
        };
        let condition = format!("id = $1 AND revision = $2 AND state < 3 AND ({from})");
        let values = vec![id.0.into(), revision.into()];
        Ok(!self.update(to, &condition, values).await?.is_empty())
    }

    /// The accounts of a few makers who are administrators to their targets, and about whom nobody has asked for `every`:
    /// nobody else is given them meanwhile. The time of the question is that of the answer for
    /// [`confirm_maker`](Self::confirm_maker).
    pub async fn makers_to_ask(
        &self,
        every: Duration,
    ) -> Result<(Vec<Box<str>>, AskedAt), QueueError> {
        transaction!(self.change(), |tx, now| {
            let sql = format!(
                "SELECT DISTINCT made_by FROM portreeve.delivery_target \
                 WHERE {OF_ADMINISTRATORS} AND asked_at <= $1 LIMIT {ASKED_AT_ONCE}"
            );
            let found = tx.run(&sql, vec![(now - millis(every)).into()]).await?;
            let makers: Vec<Box<str>> = found.iter().map(|row| row.text(0).into()).collect();
            if !makers.is_empty() {
                let sql = format!(
                    "UPDATE portreeve.delivery_target SET asked_at = $1 WHERE {OF_ADMINISTRATORS} \
                     AND asked_at < {NEVER} AND made_by IN (SELECT value ->> 0 FROM portreeve.json_each($2))"
                );
                let names = list(makers.iter().map(|it| [it]));
                tx.run(&sql, vec![now.into(), names]).await?;
            }
            Ok((makers, AskedAt(now)))
        })
    }

    /// Whether `maker` was an administrator when `asked`: their targets for others are suspended, or no longer. Returns those
    /// that changed; none if they [left](Self::maker_left) since.
    pub async fn confirm_maker(
        &self,
        maker: &str,
        is_administrator: bool,
        asked: AskedAt,
    ) -> Result<Vec<Target>, QueueError> {
        let own = format!("{OF_ADMINISTRATORS} AND made_by = $1 AND asked_at = $2");
        let values: Vec<SqlValue> = vec![maker.into(), asked.0.into()];
        if !is_administrator {
            return self.suspend_former(&own, values).await;
        }
        self.update("confirmed_at = $now", &own, values.clone()).await?;
        self.update("suspended = NULL", &format!("{own} AND suspended > 0"), values).await
    }

    /// There was no answer: it is asked again so much earlier.
    pub async fn ask_earlier(
        &self,
        maker: &str,
        asked: AskedAt,
        by: Duration,
    ) -> Result<(), QueueError> {
        let own = format!("{OF_ADMINISTRATORS} AND made_by = $1 AND asked_at = $2");
        let values = vec![maker.into(), asked.0.into(), millis(by).into()];
        self.update("asked_at = asked_at - $3", &own, values).await.map(drop)
    }

    /// `maker` has left: their targets for others are suspended until somebody adopts them, whatever a question that is under
    /// way finds. Returns those that changed.
    pub async fn maker_left(&self, maker: &str) -> Result<Vec<Target>, QueueError> {
        let own = format!("{OF_ADMINISTRATORS} AND made_by = $1 AND asked_at < {NEVER}");
        // An answer counts only for the time at which it was asked for.
        let change = format!("suspended = 1, asked_at = {NEVER}");
        self.update(&change, &own, vec![maker.into()]).await
    }

    /// A person made a request with the scope of administrators, or without it: then their targets for others are
    /// suspended. Returns those that changed.
    pub async fn maker_seen(
        &self,
        maker: &Maker,
        has_scope: bool,
    ) -> Result<Vec<Target>, QueueError> {
        let own = format!("{OF_ADMINISTRATORS} AND made_by = $1 AND person = $2");
        let values = vec![(&*maker.account).into(), maker.person_key().into()];
        if !has_scope {
            return self.suspend_former(&own, values).await;
        }
        self.update("confirmed_at = $now", &own, values).await?;
        Ok(Vec::new())
    }

    /// Their maker is no administrator: whatever else they are suspended for would end before that is asked again.
    async fn suspend_former(
        &self,
        own: &str,
        values: Vec<SqlValue>,
    ) -> Result<Vec<Target>, QueueError> {
        let condition = format!("{own} AND (suspended IS NULL OR suspended <> 1)");
        self.update("suspended = 1", &condition, values).await
    }

    /// Suspends the targets whose makers have not been confirmed as administrators for `within`, and returns them.
    pub async fn suspend_unconfirmed(&self, within: Duration) -> Result<Vec<Target>, QueueError> {
        let condition = format!(
            "{OF_ADMINISTRATORS} AND coalesce(suspended, 0) = 0 AND confirmed_at + $1 <= $now"
        );
        let values = vec![millis(within).into()];
        self.update("suspended = 2", &condition, values).await
    }

    /// Whether anybody made targets as an administrator.
    pub async fn has_administrators(&self) -> Result<bool, QueueError> {
        let sql =
            format!("SELECT 1 FROM portreeve.delivery_target WHERE {OF_ADMINISTRATORS} LIMIT 1");
        Ok(!self.read(sql, Vec::new()).await?.is_empty())
    }

    /// The makers of targets for others that are not suspended: account and person.
    pub async fn administrators(&self) -> Result<Vec<(Box<str>, Box<str>)>, QueueError> {
        let sql = format!(
            "SELECT DISTINCT made_by, person FROM portreeve.delivery_target WHERE {OF_ADMINISTRATORS} AND suspended IS NULL"
        );
        let found = self.read(sql, Vec::new()).await?;
        Ok((found.iter()).map(|row| (row.text(0).into(), row.text(1).into())).collect())
    }

    /// The targets of an account, those that it made for others, and the number of its events.
    pub async fn of_account(&self, account: &str) -> Result<OfAccount, QueueError> {
        // What belongs to nobody or to all is no account's.
        if account.is_empty() {
            return Ok(OfAccount::default());
        }
        let sql = "SELECT id, account FROM portreeve.delivery_target WHERE state < 3 AND account = $1 \
                   UNION ALL SELECT id, '' FROM portreeve.delivery_target \
                   WHERE made_by = $1 AND as_administrator = 1 AND state < 3 AND account <> $1";
        let found = self.read(sql.to_owned(), vec![account.into()]).await?;
        let sql = "SELECT count(*) FROM portreeve.receipt WHERE account = $1";
        let events = self.read(sql.to_owned(), vec![account.into()]).await?;
        let (own, others): (Vec<_>, Vec<_>) = found.iter().partition(|row| !row.text(1).is_empty());
        Ok(OfAccount {
            targets: own.len() as u64,
            events: events.first().map_or(0, |row| row.number(0)).cast_unsigned(),
            for_others: others.iter().map(|row| TargetId(row.number(0))).collect(),
        })
    }

    /// Removes the targets and events of an account, in portions. Nobody else is told of a gap.
    pub async fn remove_account(&self, account: &str) -> Result<OfAccount, QueueError> {
        let found = self.of_account(account).await?;
        if account.is_empty() {
            return Ok(found);
        }
        let mut events = 0;
        loop {
            let account = account.to_owned();
            let removed = transaction!(self.change(), |tx, now| {
                let sql = "UPDATE portreeve.delivery_target SET state = 3, due_at = NULL \
                           WHERE account = $1 AND state < 3";
                tx.run(sql, vec![(&*account).into()]).await?;
                let own = "r.account = $1 ORDER BY r.position";
                remove_first(tx, now, own, account.into()).await
            })?;
            match removed {
                0 => return Ok(OfAccount { events, ..found }),
                removed => events += removed,
            }
        }
    }

    /// Makes a change to the targets that fulfil `condition`, and returns them; in both, `$now` is the time.
    async fn update(
        &self,
        change: &str,
        condition: &str,
        mut values: Vec<SqlValue>,
    ) -> Result<Vec<Target>, QueueError> {
        // SQLite has no alias there.
        let columns = TARGET.replace("t.", "");
        let mut sql = format!(
            "UPDATE portreeve.delivery_target SET {change} WHERE {condition} RETURNING {columns}"
        );
        transaction!(self.change(), |tx, now| {
            if sql.contains("$now") {
                values.push(now.into());
                sql = sql.replace("$now", &format!("${}", values.len()));
            }
            let changed = tx.run(&sql, values).await?;
            let changed: Vec<_> = changed.iter().map(rows::target).collect();
            if !changed.is_empty() {
                let changes = changed.iter().map(|it| (it.id.0, TargetChange::default()));
                refresh_due(tx, now, changes.collect())?;
                tx.announce(News::Due);
            }
            Ok(changed)
        })
    }
}

impl OfAccount {
    /// What is left to do with its targets for others, a sentence for each.
    pub fn left(&self) -> impl Iterator<Item = String> {
        self.for_others.iter().map(|id| {
            format!(
                "Adopt or remove the target {id}, which the user made for others: it is suspended"
            )
        })
    }
}
