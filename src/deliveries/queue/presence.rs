//! Signs of life of the gateways that receive deliveries, and gaps: the times without any.

use std::sync::atomic::Ordering;
use std::time::{Duration, SystemTime};

use super::rows::{millis, since_epoch, time};
use super::{Database, Queue, QueueError};
use crate::labels::labels;
use crate::vault::StoreError;
use crate::vault::deliveries::{Durability, Lock, SqlValue};

/// How often a gateway leaves a sign of life.
pub const SIGN_INTERVAL: Duration = Duration::from_secs(10);

/// A time in which no gateway received deliveries, one refused some, or what came was lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gap {
    /// Grows with each that is noted.
    pub number: i64,
    /// When it began.
    pub from: SystemTime,
    /// When it was over.
    pub until: SystemTime,
    /// Why.
    pub reason: GapReason,
}

labels! {
    /// Why deliveries were not received.
    pub enum GapReason {
        /// The last one was stopped.
        Stopped = "stopped",
        /// There was no sign of life: it was killed, it hung, or had no database.
        Downtime = "downtime",
        /// A gateway could not keep those that came, for lack of room or of its database.
        Refused = "refused",
        /// The database has lost them: a standby took over that lacked them, or it was restored.
        Lost = "lost",
    }
}

/// The condition that the receipt with the id `$3` is at the position `$2`, or was removed.
pub(super) const IS_THERE: &str = "$3 = coalesce((SELECT id FROM portreeve.receipt WHERE position = $2), \
    CASE WHEN $2 <= (SELECT coalesce(max(removed_through), 0) FROM portreeve.receipt_total) THEN $3 ELSE '' END)";

/// The key of the total with the position at which a database begins, which is the time then: lower ones are of another one.
pub(super) const OF_BEGIN: SqlValue = SqlValue::Bytes(Vec::new());

/// What a sign of life does: the values are the time, the gateway, for how long gaps are kept, when it first and last refused
/// deliveries, and [`OF_BEGIN`]. Others take a gateway to be there for 15 seconds after one, and it itself for a minute: it may
/// only be late. The clock may have been set back: nobody was seen in a time to come, and no gap is in it. Of more than 100 gaps
/// the oldest become one, and the last one stays, so that none is passed over.
const SIGN: [&str; 9] = [
    "INSERT INTO portreeve.receipt_total (sealed, receipts, bytes, removed_through) SELECT $6, 0, 0, $1 \
     WHERE NOT EXISTS (SELECT 1 FROM portreeve.receipt_total)",
    "UPDATE portreeve.delivery_presence SET seen_at = $1, there_until = $1 + 15000 WHERE seen_at > $1",
    "UPDATE portreeve.delivery_gap SET from_at = from_at - until_at + $1, until_at = $1 WHERE until_at > $1",
    "INSERT INTO portreeve.delivery_gap (number, from_at, until_at, reason) \
     SELECT CASE WHEN newest >= $1 THEN newest + 1 ELSE $1 END, seen, $1, \
         CASE there WHEN seen THEN 'stopped' ELSE 'downtime' END \
     FROM (SELECT max(seen_at) AS seen, max(there_until) AS there, \
             max(CASE gateway WHEN $2 THEN seen_at END) AS own FROM portreeve.delivery_presence) AS p \
         CROSS JOIN (SELECT max(number) AS newest FROM portreeve.delivery_gap) AS g \
     WHERE there < $1 AND coalesce(own, 0) < $1 - 60000",
    "INSERT INTO portreeve.delivery_gap (number, from_at, until_at, reason) \
     SELECT CASE WHEN newest >= $1 THEN newest + 1 ELSE $1 END, $4, $5, 'refused' \
     FROM (SELECT max(number) AS newest FROM portreeve.delivery_gap) AS g WHERE $4 > 0",
    "INSERT INTO portreeve.delivery_presence (gateway, seen_at, there_until) VALUES ($2, $1, $1 + 15000) \
     ON CONFLICT (gateway) DO UPDATE SET seen_at = excluded.seen_at, there_until = excluded.there_until",
    // This one was there later than those.
    "DELETE FROM portreeve.delivery_presence WHERE there_until < $1",
    "UPDATE portreeve.delivery_gap SET from_at = (SELECT min(from_at) FROM portreeve.delivery_gap) \
     WHERE number = (SELECT number FROM portreeve.delivery_gap ORDER BY number DESC LIMIT 1 OFFSET 99)",
    "DELETE FROM portreeve.delivery_gap WHERE until_at <= $1 - $3 AND number < (SELECT max(number) FROM portreeve.delivery_gap) \
     OR number < (SELECT number FROM portreeve.delivery_gap ORDER BY number DESC LIMIT 1 OFFSET 99)",
];

impl Queue {
    /// Notes that this gateway receives deliveries, a gap if none did since one was seen last, one for those that it
    /// refused, and one if the database has lost some. Gaps that ended longer than `keep` ago are removed, but the last one.
    pub async fn sign_of_life(&self, keep: Duration) -> Result<(), QueueError> {
        self.database.note_loss().await?;
        let (gateway, keep) = (self.gateway, millis(keep));
        let refused = self.database.refused.lock().take();
        let (first, last) = refused.unwrap_or_default();
        let signed = transaction!(self.change(), |tx, now| {
            for sql in SIGN {
                let used = (1..=6).rev().find(|it| sql.contains(&format!("${it}")));
                let values = [now, gateway, keep, first, last].map(SqlValue::from).into_iter();
                let values = values.chain([OF_BEGIN]).take(used.unwrap_or(0)).collect();
                tx.run(sql, values).await?;
            }
            Ok(())
        });
        if signed.is_err() {
            let mut since = self.database.refused.lock();
            *since = match (refused, *since) {
                (Some((first, _)), Some((_, last))) => Some((first, last)),
                (before, after) => before.or(after),
            };
        }
        signed
    }

    /// Notes that a delivery was refused: the next sign of life makes a gap of that.
    pub fn note_refusal(&self) {
        self.database.note_refusal();
    }

    /// Notes that this gateway receives no more.
    pub async fn leave(&self) -> Result<(), QueueError> {
        self.database.note_loss().await?;
        let gateway = self.gateway;
        transaction!(self.change(), |tx, now| {
            let sql = "UPDATE portreeve.delivery_presence SET seen_at = $1, there_until = $1 WHERE gateway = $2";
            tx.run(sql, vec![now.into(), gateway.into()]).await.map(drop)
        })
    }

    /// The gaps after the one with the number `after`, or all if that is lost, that ended after `since`, in the order of their
    /// numbers.
    pub async fn gaps(&self, after: i64, since: SystemTime) -> Result<Vec<Gap>, QueueError> {
        let sql = "SELECT number, from_at, until_at, reason FROM portreeve.delivery_gap \
                   WHERE number > CASE WHEN $1 > (SELECT max(number) FROM portreeve.delivery_gap) THEN 0 ELSE $1 END \
                       AND until_at > $2 ORDER BY number";
        let values = vec![after.into(), since_epoch(since).into()];
        let found = self.read(sql.to_owned(), values).await?;
        let gaps = found.iter().map(|row| Gap {
            number: row.number(0),
            from: time(row.number(1)),
            until: time(row.number(2)),
            reason: GapReason::named(row.text(3)).unwrap_or(GapReason::Downtime),
        });
        Ok(gaps.collect())
    }
}

// === impl Database ===

impl Database {
    pub(super) fn note_refusal(&self) {
        let now = since_epoch(SystemTime::now()) + self.ahead.load(Ordering::SeqCst);
        let mut refused = self.refused.lock();
        *refused = Some((refused.map_or(now, |it| it.0), now));
    }

    /// Notes a gap, once, if the last receipt that was acknowledged is lost. All are there that were committed before one
    /// that is, or before the last signs of life.
    pub(super) async fn note_loss(&self) -> Result<(), StoreError> {
        let last = self.last.lock().unwrap_or_default();
        let sql = format!(
            "INSERT INTO portreeve.delivery_gap (number, from_at, until_at, reason) \
             SELECT max(number), min(since), $1, 'lost' FROM ( \
                 SELECT $1 AS number, $1 AS since UNION ALL SELECT max(number) + 1, NULL FROM portreeve.delivery_gap \
                 UNION ALL SELECT NULL, min(seen_at) FROM portreeve.delivery_presence \
                 UNION ALL SELECT NULL, coalesce(max(received_at), $4) FROM portreeve.receipt WHERE received_at <= $4 \
             ) AS known HAVING NOT {IS_THERE} RETURNING number"
        );
        let noted = transaction!(self.change(Lock::Deliveries, Durability::Synced), |tx, now| {
            let values = vec![now.into(), last.0.into(), last.1.to_string().into(), last.2.into()];
            tx.run(&sql, values).await
        });
        if !noted?.is_empty() {
            tracing::error!("the database has lost deliveries that were acknowledged");
            self.last.lock().take_if(|current| *current == last);
        }
        Ok(())
    }
}
