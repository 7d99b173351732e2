//! What the columns hold.

use std::time::{Duration, SystemTime};

use serde::Serialize;

use crate::deliveries::{
    AttemptOutcome, Completion, Delivery, DeliveryId, DeliveryState, Maker, PastAttempt, Receipt,
    ReceiptId, Scope, Suspension, Target, TargetId, TargetState,
};
use crate::vault::PersonId;
use crate::vault::deliveries::{SqlRow, SqlValue};
pub(super) use crate::vault::time::{from_millis as time, to_millis as since_epoch};

/// The bytes at the beginning of what is sealed that name the key.
pub(super) const HEADER_LEN: usize = 9;

/// The columns of a receipt, of a target, and of a delivery and its receipt.
pub(super) const RECEIPT: &str = "r.position, r.id, r.account, r.class, r.received_at, r.sealed";
pub(super) const UNSEALED: &str = "r.position, r.id, r.account, r.class, r.received_at";
pub(super) const TARGET: &str = "t.id, t.account, t.state, t.revision, t.created_at, t.failing_since, t.waiting, t.sealed, \
     t.made_by, t.person, t.is_bound, t.as_administrator, t.suspended, t.missed";
/// How many a target has.
pub(super) const OF_TARGET: usize = 14;
pub(super) const DELIVERY: &str =
    "d.position, d.target, r.id, r.class, r.received_at, d.state, d.due_at, d.attempts, d.claim";

pub(super) fn millis(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX / 2)
}

/// The account that a scope compares with; an empty text for any.
pub(super) fn compared(scope: Scope<'_>) -> &str {
    match scope {
        Scope::All => "",
        // No account has a control character: this is none. The empty text is that of all accounts.
        Scope::Account("") => "\n",
        Scope::Account(nul) if nul.contains('\0') => "\n",
        Scope::Account(account) => account,
    }
}

/// A list, for `json_each`: numbers, or tuples of numbers and texts.
pub(super) fn list<T: Serialize>(rows: impl IntoIterator<Item = T>) -> SqlValue {
    let rows: Vec<_> = rows.into_iter().collect();
    serde_json::to_string(&rows).unwrap_or_default().into()
}

pub(super) fn receipt(row: &SqlRow) -> Receipt {
    Receipt {
        position: row.number(0),
        id: receipt_id(row.text(1)),
        account: account(row.text(2)),
        class: row.text(3).into(),
        received_at: time(row.number(4)),
        sealed: row.bytes(5).into(),
    }
}

pub(super) fn target(row: &SqlRow) -> Target {
    Target {
        id: TargetId(row.number(0)),
        account: account(row.text(1)),
        state: label(TargetState::ALL, row.number_at(2)).unwrap_or(TargetState::Disabled),
        revision: row.number(3),
        created_at: time(row.number(4)),
        failing_since: row.number_at(5).map(time),
        waiting: row.number(6).cast_unsigned(),
        sealed: row.bytes(7).into(),
        maker: Maker {
            account: row.text(8).into(),
            person: PersonId::kept(row.text(9)),
            is_bound: row.number(10) == 1,
            as_administrator: row.number(11) == 1,
        },
        suspended: label(Suspension::ALL, row.number_at(12)),
        missed: row.number(13).cast_unsigned(),
    }
}

/// The values of `made_by`, `person`, `is_bound` and `as_administrator`.
pub(super) fn maker(maker: &Maker) -> [SqlValue; 4] {
    [
        (&*maker.account).into(),
        maker.person_key().into(),
        i64::from(maker.is_bound).into(),
        i64::from(maker.as_administrator).into(),
    ]
}

pub(super) fn delivery(row: &SqlRow) -> Delivery {
    let state = label(DeliveryState::ALL, row.number_at(5)).unwrap_or(DeliveryState::Expired);
    let due_at = time(row.number(6));
    // A claim is in force until then; here a few seconds more or less do not matter.
    let is_claimed = row.number_at(8).is_some() && SystemTime::now() < due_at;
    Delivery {
        position: row.number(0),
        id: DeliveryId { target: TargetId(row.number(1)), receipt: receipt_id(row.text(2)) },
        class: row.text(3).into(),
        received_at: time(row.number(4)),
        state,
        due_at: (state == DeliveryState::Waiting && !is_claimed).then_some(due_at),
        attempts: attempts(row.text(7)),
    }
}

/// The id that `text` is; another one for a row that was damaged.
pub(super) fn receipt_id(text: &str) -> ReceiptId {
    text.parse().unwrap_or_default()
}

/// The one of `all` whose number a column holds.
fn label<L: Copy>(all: &[L], column: Option<i64>) -> Option<L> {
    all.get(usize::try_from(column?).ok()?).copied()
}

pub(super) fn account(column: &str) -> Option<Box<str>> {
    (!column.is_empty()).then(|| column.into())
}

/// An attempt, as it is put before those in the column; empty if there was none.
pub(super) fn attempt(now: i64, ended: &Completion) -> String {
    let status = ended.status.unwrap_or_default();
    ended.outcome.map(|outcome| format!("{now} {} {status};", outcome.as_str())).unwrap_or_default()
}

/// The attempts that a column holds, `1764100000000 rejected 500;` each, the last ones first. One may be cut off.
fn attempts(column: &str) -> Vec<PastAttempt> {
    let attempts = column.rsplit_once(';').map_or("", |it| it.0).rsplit(';').map(|attempt| {
        let mut words = attempt.split(' ');
        let at = words.next()?.parse().ok()?;
        let name = words.next()?;
        let status = words.next()?.parse().ok()?;
        Some(PastAttempt {
            at: time(at),
            outcome: AttemptOutcome::named(name)?,
            status: (status > 0).then_some(status),
        })
    });
    attempts.flatten().collect()
}

#[cfg(test)]
#[path = "../../../tests/unit/rows.rs"]
mod tests;
