//! Receipts: what is to be matched, what can be pulled, what is kept.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::Arc;

use parking_lot::Mutex;

use super::presence::OF_BEGIN;
use super::removal::{MAX_ROWS, THESE};
use super::rounds::Takers;
use super::rows::{self, RECEIPT, compared, list, millis, time};
use super::targets::{TargetChange, refresh_due};
use super::{
    ALL_ROWS, Arrivals, Counts, DELIVERY_BYTES, Database, Events, LEASE, MAX_PAGE, Mark, Queue,
    QueueError, Scope,
};
use crate::deliveries::{Receipt, ReceiptId, TargetId};
use crate::vault::StoreError;
use crate::vault::deliveries::{DeliveryTransaction, Durability, Lock, News, SqlRow, SqlValue};

/// How many targets may want the receipts of an account.
const TARGETS: &str = "(SELECT count(*) FROM portreeve.delivery_target AS t \
                           WHERE t.account IN ('', turn.account))";

/// The table of receipts for which no deliveries were made yet.
pub(super) const UNMATCHED: &str = "unmatched_receipt";

/// The accounts that one look for receipts comes to.
const MAX_TURNS: usize = 256;

/// The first receipts of an account for which no deliveries were made yet, with their sizes, as one text: SQLite has no
/// join that is limited for each row.
const FIRST: &str = "(SELECT string_agg(CAST(f.position AS text) || ' ' || CAST(f.size AS text), ',') FROM ( \
                         SELECT u.position, u.size FROM portreeve.unmatched_receipt AS u \
                         WHERE u.account = turn.account AND u.leased_until <= $1 \
                         ORDER BY u.leased_until, u.position LIMIT $2 \
                     ) AS f)";

/// Receipts in which classes of events are looked for.
const NEWEST: i64 = 10_000;

/// Deliveries that receipts which are matched together may become, but for the last one: one transaction makes them.
const MAX_MATCHED: i64 = MAX_ROWS;

/// Bytes of receipts that are read at once, but for the last one.
pub(super) const MAX_READ: usize = 4 << 20;

/// What the receipts of accounts have cost (fair queueing): one each, and one more for each target that may want it. Whoever asks
/// for less than others waits for no backlog of theirs.
#[derive(Debug, Default)]
pub(super) struct Load {
    /// Where the last receipt of each account ended.
    ends: HashMap<String, i64>,
    /// The latest start of a receipt that was chosen: an account that had none waiting begins there.
    now: i64,
    /// Accounts that one look came to.
    accounts: usize,
}

/// Accounts whose receipts are matched; `None` stands for those that belong to nobody.
#[derive(Clone, Copy, Debug)]
pub enum Accounts<'a> {
    /// All others.
    AllBut(&'a [Option<Box<str>>]),
    /// These, in this order.
    Only(&'a [Option<Box<str>>]),
}

#[doc(hidden)]
impl Queue {
    /// Up to `limit` receipts of `accounts` for which no deliveries were made yet; fewer, if they have more than 4 MiB or very
    /// many targets may want them. Accounts have them in fair shares of the work. Of each, those come first that nobody has
    /// got, the oldest first, then those whose lease has run out for longest. Nobody else gets them for [`LEASE`].
    pub async fn lease(
        &self,
        limit: usize,
        accounts: Accounts<'_>,
    ) -> Result<Vec<Receipt>, QueueError> {
        self.database.release(Vec::new()).await?;
        let skipped = match accounts {
            Accounts::AllBut(skipped) => texts(skipped),
            Accounts::Only([]) => return Ok(Vec::new()),
            Accounts::Only(accounts) => {
                let sql = format!(
                    "SELECT turn.account, {FIRST}, {TARGETS} FROM ( \
                         SELECT value ->> 0 AS account FROM portreeve.json_each($3) \
                     ) AS turn"
                );
                let first = first_of_each(limit, accounts.len());
                let values = vec![texts(accounts)];
                let leasing = self.lease_some(limit, first, sql, values, None);
                return self.leased(leasing.await?.0).await;
            }
        };
        let mut is_anew = self.turn.lock().is_empty();
        loop {
            let from = std::mem::take(&mut *self.turn.lock());
            let sql = format!(
                "WITH RECURSIVE turn (account, number) AS ( \
                     SELECT (SELECT min(account) FROM portreeve.unmatched_receipt WHERE account >= $3), 1 \
                     UNION ALL SELECT ( \
                         SELECT min(u.account) FROM portreeve.unmatched_receipt AS u WHERE u.account > turn.account \
                     ), turn.number + 1 FROM turn WHERE turn.account IS NOT NULL AND turn.number < {MAX_TURNS} \
                 ) SELECT turn.account, CASE WHEN turn.account NOT IN ( \
                     SELECT value ->> 0 FROM portreeve.json_each($4) \
                 ) THEN {FIRST} END, {TARGETS} FROM turn WHERE turn.account IS NOT NULL"
            );
            let values = vec![from.clone().into(), skipped.clone()];
            let first = first_of_each(limit, self.load.lock()[0].accounts);
            let leasing = self.lease_some(limit, first, sql, values, Some(from));
            let (leased, next) = leasing.await?;
            // No account has a control character: it begins after the last one.
            let is_end = next.is_none();
            *self.turn.lock() = next.map(|last| last + "\u{1}").unwrap_or_default();
            if !leased.is_empty() || (is_end && is_anew) {
                return self.leased(leased).await;
            }
            is_anew |= is_end;
        }
    }

    /// Leases receipts of the accounts that a statement names, with the `first` ones of each: their positions, and the last
    /// account that was looked at, if there may be more. It names those that wait from an account on, or some that are matched
    /// apart.
    async fn lease_some(
        &self,
        limit: usize,
        first: i64,
        sql: String,
        values: Vec<SqlValue>,
        from: Option<String>,
    ) -> Result<(Vec<i64>, Option<String>), QueueError> {
        let (gateway, load) = (self.database.tables.gateway(), self.load.clone());
        let durability = Durability::Repeatable;
        let chosen = Arc::<Mutex<Vec<i64>>>::default();
        let of_lease = chosen.clone();
        let done = transaction!(self.database.change(Lock::Deliveries, durability), |tx, now| {
            let values = [now.into(), first.into()].into_iter().chain(values);
            let found = tx.run(&sql, values.collect()).await?;
            let last = found.last().filter(|_| found.len() == MAX_TURNS);
            let last = last.map(|row| row.text(0).to_owned());
            let is_seen = |account: &str| {
                from.as_deref().is_none_or(|from| account >= from)
                    && last.as_deref().is_none_or(|last| account <= last)
            };
            let leased = {
                let load = &mut load.lock()[usize::from(from.is_none())];
                let is_whole = from.as_deref().unwrap_or_default().is_empty();
                load.accounts = if is_whole { found.len() } else { MAX_TURNS };
                choose(&found, limit, load, is_seen)
            };
            if !leased.is_empty() {
                of_lease.lock().clone_from(&leased);
                lease(tx, leased.clone(), now + millis(LEASE), gateway).await?;
            }
            Ok((leased, last))
        });
        if done.as_ref().is_err_and(|error| error.is_effect_unknown) {
            self.database.abandoned.lock().append(&mut chosen.lock());
        }
        Ok(done?)
    }

    /// Those of `classes` that none of the newest 10,000 receipts is of.
    pub async fn not_arrived(&self, classes: &[&str]) -> Result<Vec<String>, QueueError> {
        // So many take long to read: that is done once, and by one caller at a time.
        let mut arrived = self.arrived.lock().await;
        let newest = "SELECT coalesce(max(position), 0) FROM portreeve.receipt".to_owned();
        let newest = self.read(newest, Vec::new()).await?.first().map_or(0, |row| row.number(0));
        // After a failover, positions are given again.
        arrived.retain(|_, position| (newest - NEWEST + 1..=newest).contains(position));
        let sql = format!(
            "SELECT class, max(position) FROM ( \
                 SELECT class, position FROM portreeve.receipt WHERE position > $1 ORDER BY position DESC LIMIT {NEWEST} \
             ) AS r GROUP BY class"
        );
        let known = arrived.values().max().copied().unwrap_or(0);
        let found = self.read(sql, vec![known.into()]).await?;
        arrived.extend(found.iter().map(|row| (row.text(0).to_owned(), row.number(1))));
        let missing = classes.iter().filter(|class| !arrived.contains_key(**class));
        Ok(missing.map(|class| (*class).to_owned()).collect())
    }

    /// The receipts at these positions, in their order.
    async fn leased(&self, positions: Vec<i64>) -> Result<Vec<Receipt>, QueueError> {
        if positions.is_empty() {
            return Ok(Vec::new());
        }
        // Not in the transaction: a reader that stalls must not keep the lock.
        let sql = format!(
            "SELECT {RECEIPT} FROM portreeve.receipt AS r WHERE r.position IN ( \
             SELECT CAST(value AS bigint) FROM portreeve.json_each($1))"
        );
        let found = self.read_to_send(sql, vec![list(&positions)]).await;
        let found = found.inspect_err(|_| self.database.abandoned.lock().extend(positions))?;
        let mut found: Vec<_> = found.iter().map(rows::receipt).collect();
        // Here, since a database would carry their bodies through its sorting.
        found.sort_unstable_by_key(|it| it.position);
        Ok(found)
    }

    /// Makes the deliveries of receipts, by position, for the targets that want them, which are due at once. A
    /// receipt for which that was done before, or that is gone, and a target that is gone, belongs to another account, or was
    /// made after the receipt came, are passed over; a disabled one misses it.
    pub async fn fan_out(&self, wanted: Vec<(i64, Vec<TargetId>)>) -> Result<(), QueueError> {
        let mut wanted = wanted.into_iter().peekable();
        while wanted.peek().is_some() {
            let mut rows = 0;
            let portion = std::iter::from_fn(|| {
                let (_, targets) = wanted.peek()?;
                rows += targets.len().max(1);
                // One receipt has its deliveries at once.
                (rows <= MAX_ROWS as usize || rows == targets.len()).then(|| wanted.next())?
            });
            let (wanted, gateway) = (portion.collect::<Vec<_>>(), self.database.tables.gateway());
            let (round, waiting) = Takers::take(&self.takers.sending).unzip();
            let mut round = round.unwrap_or_default();
            let lock = Lock::Deliveries;
            let done = transaction!(self.database.change(lock, round.durability()), |tx, now| {
                round.carry_out(tx, now, (&wanted, UNMATCHED), gateway).await
            });
            let done = done?;
            _ = waiting.map(|waiting| waiting.send(done));
        }
        Ok(())
    }

    /// Gives receipts back that [`lease`](Self::lease) gave, at these positions; if it fails, that tries again.
    pub async fn release(&self, positions: Vec<i64>) -> Result<(), QueueError> {
        Ok(self.database.release(positions).await?)
    }

    /// The receipt at `position`, if it is still there.
    pub async fn receipt(&self, position: i64) -> Result<Option<Receipt>, QueueError> {
        let sql = format!("SELECT {RECEIPT} FROM portreeve.receipt AS r WHERE r.position = $1");
        Ok(self.read_to_send(sql, vec![position.into()]).await?.first().map(rows::receipt))
    }

    /// Up to `limit` receipts of `scope` (an account's own ones) that follow `after`; fewer, if they have more than 4 MiB.
    pub async fn events(
        &self,
        scope: Scope<'_>,
        after: Mark,
        limit: usize,
    ) -> Result<Events, QueueError> {
        let (of_account, lost) = match scope {
            Scope::Account(_) => (
                "account = $3",
                "(SELECT removed_through FROM portreeve.delivery_account WHERE account = $3)",
            ),
            Scope::All => ("$3 = ''", "(SELECT max(removed_through) FROM portreeve.receipt_total)"),
        };
        // One statement, so one instant: what is newer than `newest` is not read either.
        let sql = format!(
            "WITH known AS ( \
                 SELECT (SELECT coalesce(max(removed_through), 0) FROM portreeve.receipt_total) AS removed, \
                     (SELECT coalesce(max(position), 0) FROM portreeve.receipt) AS newest, {lost} AS lost, \
                     (SELECT substr(id, 1, 16) FROM portreeve.receipt WHERE position = $1) AS found, \
                     coalesce((SELECT removed_through FROM portreeve.receipt_total WHERE sealed = $5), 0) AS first \
             ), begun AS ( \
                 SELECT CASE WHEN found IS NULL THEN $1 <= 0 OR $1 BETWEEN first AND removed \
                     ELSE $4 IN ('', found) END AS is_there FROM known \
             ), listed AS ( \
                 SELECT position, length(sealed) AS size FROM portreeve.receipt \
                 WHERE {of_account} AND position > (SELECT CASE WHEN is_there THEN $1 ELSE 0 END FROM begun) \
                 ORDER BY position LIMIT $2 \
             ), measured AS ( \
                 SELECT position, sum(size) OVER (ORDER BY position) - size AS before FROM listed \
             ) \
             SELECT {RECEIPT}, CASE WHEN newest < removed THEN removed ELSE newest END, \
                 (SELECT id FROM portreeve.receipt WHERE position = newest AND newest >= removed), \
                 CASE WHEN is_there AND coalesce(lost, 0) <= $1 THEN 0 ELSE 1 END FROM known CROSS JOIN begun \
             LEFT JOIN measured AS m ON m.before < {MAX_READ} \
             LEFT JOIN portreeve.receipt AS r ON r.position = m.position ORDER BY m.position"
        );
        let limit = limit.min(MAX_PAGE) as i64;
        let event = after.event.map(|half| format!("{half:016x}"));
        let values = vec![
            after.position.into(),
            limit.into(),
            compared(scope).into(),
            event.unwrap_or_default().into(),
            OF_BEGIN,
        ];
        let found = self.read_for(scope, sql, values).await?;
        let newest = found.first().map_or(Mark::default(), |row| Mark {
            position: row.number(6),
            event: Some(row.text(7).parse().map_or(0, ReceiptId::half)),
            gap: 0,
        });
        let receipts = found.iter().filter(|row| row.number_at(0).is_some());
        let receipts: Vec<_> = receipts.map(rows::receipt).collect();
        Ok(Events {
            through: receipts.last().map_or(newest, Receipt::mark),
            receipts,
            is_gap: found.first().is_some_and(|row| row.number(8) == 1),
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
        let newest = found.first().map_or(0, |row| row.number(2).max(row.number(3)));
        let receipts = found.iter().filter_map(|row| {
            let account = rows::account(row.text(1));
            row.number_at(0).map(|position| (position, account))
        });
        let receipts: Vec<_> = receipts.collect();
        let last = receipts.last().filter(|_| receipts.len() == MAX_PAGE);
        Ok(Arrivals { through: last.map_or(newest, |last| last.0), receipts })
    }

    /// What waits, and what is kept.
    pub async fn counts(&self) -> Result<Counts, QueueError> {
        let sql = "WITH waiting AS ( \
                 SELECT CASE WHEN t.suspended IS NULL OR t.state > 1 THEN t.state ELSE 4 END AS state, \
                     CASE WHEN t.state = 0 AND t.suspended IS NULL THEN t.waiting ELSE 0 END AS number, \
                     CASE WHEN t.waiting > 0 AND t.state = 0 AND t.suspended IS NULL THEN (SELECT min(d.position) \
                         FROM portreeve.delivery AS d WHERE d.target = t.id AND d.state = 0) END AS first \
                 FROM portreeve.delivery_target AS t \
                 UNION ALL SELECT -1, count(*), min(position) FROM portreeve.unmatched_receipt \
             ) SELECT (SELECT CAST(coalesce(sum(number), 0) AS bigint) FROM waiting), \
                 (SELECT received_at FROM portreeve.receipt WHERE position = (SELECT min(first) FROM waiting)), \
                 CAST(coalesce(sum(receipts), 0) AS bigint), CAST(coalesce(sum(bytes), 0) \
                     + coalesce((SELECT bytes FROM portreeve.delivery_account WHERE account = $1), 0) AS bigint), \
                 (SELECT count(*) FROM waiting WHERE state = 0), (SELECT count(*) FROM waiting WHERE state = 1), \
                 (SELECT count(*) FROM waiting WHERE state = 2), (SELECT count(*) FROM waiting WHERE state = 4) \
             FROM portreeve.receipt_total";
        let found = self.read(sql.to_owned(), vec![ALL_ROWS.into()]).await?;
        let first = found.first();
        let number = |at| first.map_or(0, |row| row.number(at)).cast_unsigned();
        Ok(Counts {
            pending: number(0),
            oldest_pending: first.and_then(|row| row.number_at(1)).map(time),
            receipts: number(2),
            bytes: number(3),
            targets: [number(4), number(5), number(6)],
            suspended: number(7),
        })
    }
}

// === impl Database ===

impl Database {
    /// Lets others have receipts that were leased, and those that were abandoned.
    pub(super) async fn release(&self, mut positions: Vec<i64>) -> Result<(), StoreError> {
        positions.append(&mut self.abandoned.lock());
        if positions.is_empty() {
            return Ok(());
        }
        let leased = positions.clone();
        let released =
            transaction!(self.change(Lock::Deliveries, Durability::Repeatable), |tx, _| {
                tx.announce(News::Unmatched);
                lease(tx, leased, 0, 0).await
            });
        released.inspect_err(|_| self.abandoned.lock().extend(positions))
    }
}

/// How many receipts of each account are looked at: of many accounts few are enough.
fn first_of_each(limit: usize, accounts: usize) -> i64 {
    (2 * limit / accounts.max(1)).clamp(limit.min(8), limit) as i64
}

/// The positions of receipts: of the accounts in these rows, the one whose receipt would end first is next. They are those
/// that wait of the accounts that are seen.
fn choose(
    found: &[SqlRow],
    limit: usize,
    load: &mut Load,
    is_seen: impl Fn(&str) -> bool,
) -> Vec<i64> {
    let now = load.now;
    let waiting: BTreeSet<_> = found.iter().map(|row| row.text(0)).collect();
    let stays = |account: &str| !is_seen(account) || waiting.contains(account);
    load.ends.retain(|account, end| *end > now || stays(account));
    let accounts = found.iter().map(|row| {
        let receipts = row.text(1).split(',').filter_map(|it| {
            let (position, size) = it.split_once(' ')?;
            Some((position.parse().ok()?, size.parse().ok()?))
        });
        // It stays where it was while it waits, so that others cannot pass it for ever.
        let end = *load.ends.entry(row.text(0).to_owned()).or_insert(now);
        (end, row.number(2), receipts.collect::<VecDeque<(i64, i64)>>())
    });
    let mut accounts: Vec<_> = accounts.collect();
    let (mut leased, mut bytes, mut rows) = (Vec::new(), 0, 0);
    while leased.len() < limit && bytes < MAX_READ as i64 && rows < MAX_MATCHED {
        let left = accounts.iter_mut().zip(found).filter(|(it, _)| !it.2.is_empty());
        let next = left.min_by_key(|((end, targets, _), _)| (*end + *targets, *targets));
        let Some(((end, targets, receipts), row)) = next else { break };
        let Some((position, size)) = receipts.pop_front() else { break };
        leased.push(position);
        bytes += size;
        rows += *targets;
        load.now = load.now.max(*end);
        *end += 1 + *targets;
        load.ends.insert(row.text(0).to_owned(), *end);
    }
    leased
}

/// Makes the deliveries of receipts for which that was not done before, in a transaction: they are in the table `of` then.
/// Returns how many.
pub(super) async fn make(
    tx: &mut dyn DeliveryTransaction,
    now: i64,
    wanted: &[(i64, Vec<TargetId>)],
    of: &str,
) -> Result<usize, StoreError> {
    let pairs = wanted
        .iter()
        .flat_map(|(position, targets)| targets.iter().map(move |target| (*position, target.0)));
    let pairs: Vec<_> = pairs.collect();
    let sql = format!(
        "INSERT INTO portreeve.delivery (position, target, state, tries, due_at, attempts) \
                   SELECT w.position, t.id, 0, 0, $2, '' FROM ( \
                       SELECT CAST(value ->> 0 AS bigint) AS position, CAST(value ->> 1 AS bigint) AS target \
                       FROM portreeve.json_each($1) \
                   ) AS w JOIN portreeve.{of} AS u ON u.position = w.position \
                   JOIN portreeve.delivery_target AS t ON t.id = w.target AND t.account IN ('', u.account) \
                       AND t.state < 2 AND t.created_after < w.position WHERE true \
                   ON CONFLICT DO NOTHING RETURNING target"
    );
    let made = tx.run(&sql, vec![list(&pairs), now.into()]).await?;
    if made.len() < pairs.len() {
        let sql = format!(
            "UPDATE portreeve.delivery_target SET missed = missed + w.number FROM ( \
                       SELECT CAST(value ->> 1 AS bigint) AS target, count(*) AS number \
                       FROM portreeve.json_each($1) JOIN portreeve.{of} AS u \
                           ON u.position = CAST(value ->> 0 AS bigint) GROUP BY 1 \
                   ) AS w WHERE id = w.target AND state = 2"
        );
        tx.put(sql, vec![list(&pairs)])?;
    }
    if of == UNMATCHED {
        let sql = format!("DELETE FROM portreeve.{UNMATCHED} WHERE {THESE}");
        tx.put(sql, vec![list(wanted.iter().map(|it| it.0))])?;
    }
    let mut targets = BTreeMap::<_, TargetChange>::new();
    for row in &made {
        let target = targets.entry(row.number(0)).or_default();
        target.waiting += 1;
        target.bytes += DELIVERY_BYTES as i64;
    }
    refresh_due(tx, now, targets)?;
    Ok(made.len())
}

/// These accounts, for `json_each`.
fn texts(accounts: &[Option<Box<str>>]) -> SqlValue {
    list(accounts.iter().map(|it| [it.as_deref().unwrap_or_default()]))
}

/// Gives the receipts at `positions` to nobody else before `until`.
async fn lease(
    tx: &mut dyn DeliveryTransaction,
    positions: Vec<i64>,
    until: i64,
    by: i64,
) -> Result<(), StoreError> {
    let sql = "UPDATE portreeve.unmatched_receipt SET leased_until = $1, leased_by = $2 WHERE position IN ( \
               SELECT CAST(value AS bigint) FROM portreeve.json_each($3))";
    tx.run(sql, vec![until.into(), by.into(), list(positions)]).await?;
    Ok(())
}
