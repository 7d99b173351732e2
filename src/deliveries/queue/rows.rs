//! What the columns of both databases hold.
//!
//! No account is an empty text. `state` of a target is 0 (active), 1 (paused), 2 (disabled) or 3 (removed), that of
//! a delivery 0 (waiting), 1 (delivered) or 2 (failed). A delivery is claimed while `claim` is a number and `due_at`, the
//! end of the lease, has not come. Times are milliseconds since the Unix epoch.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::{Arrivals, MAX_PAGE};
use crate::deliveries::{
    Attempt, Completion, DeliveryState, Outcome, ReceiptId, Scope, TargetState,
};

/// The state of a target that was removed.
pub(super) const REMOVED: i64 = 3;

/// The most claims at once of a target whose attempts do not fail, and of one whose attempts do.
pub(super) const ROOM: &str = "CASE WHEN failing_since IS NULL THEN 4 ELSE 1 END";

/// The bytes at the beginning of what is sealed that name the key.
pub(super) const HEADER_LEN: usize = 9;

/// Bytes of receipts that are read at once, but for the last one.
pub(super) const MAX_READ: usize = 4 << 20;

/// The characters of attempts that are kept.
const ATTEMPTS_LEN: usize = 1000;

pub(super) fn millis(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX / 2)
}

pub(super) fn time(millis: i64) -> SystemTime {
    UNIX_EPOCH + Duration::from_millis(u64::try_from(millis).unwrap_or_default())
}

pub(super) fn since_epoch(time: SystemTime) -> i64 {
    millis(time.duration_since(UNIX_EPOCH).unwrap_or_default())
}

/// The account that a scope compares with; `None` for any.
pub(super) fn compared(scope: Scope<'_>) -> Option<&str> {
    scope.account().map(|account| match account {
        // No account has a control character: this is none. The empty text is that of all accounts.
        "" => "\n",
        nul if nul.contains('\0') => "\n",
        account => account,
    })
}

pub(super) fn account(column: String) -> Option<Box<str>> {
    (!column.is_empty()).then(|| column.into())
}

pub(super) fn arrivals(receipts: Vec<(i64, Option<Box<str>>)>, newest: i64) -> Arrivals {
    let last = receipts.last().filter(|_| receipts.len() == MAX_PAGE);
    Arrivals {
        through: last.map_or(newest, |last| last.0),
        receipts,
    }
}

pub(super) fn target_state(number: i64) -> TargetState {
    match number {
        0 => TargetState::Active,
        1 => TargetState::Paused,
        _ => TargetState::Disabled,
    }
}

pub(super) fn delivery_state(number: i64) -> DeliveryState {
    match number {
        0 => DeliveryState::Waiting,
        1 => DeliveryState::Delivered,
        _ => DeliveryState::Failed,
    }
}

/// The id that `text` is; another one for a row that was damaged.
pub(super) fn receipt_id(text: &str) -> ReceiptId {
    text.parse().unwrap_or_default()
}

/// The state that an attempt leaves a delivery in.
pub(super) fn state_after(ended: &Completion) -> i64 {
    match (ended.outcome, ended.again) {
        (Outcome::Delivered, _) => 1,
        (_, Some(_)) => 0,
        (_, None) => 2,
    }
}

/// An attempt without its time, as it is added to the column.
pub(super) fn attempt(ended: &Completion) -> String {
    let status = ended.status.unwrap_or_default();
    format!(" {} {status};", ended.outcome.as_str())
}

/// The attempts that a column holds: `1764100000000 rejected 500;` each, the last ones of all.
pub(super) fn attempts(column: &str) -> Vec<Attempt> {
    let attempts = column.split_terminator(';').map(|attempt| {
        let mut words = attempt.split(' ');
        let at = words.next()?.parse().ok()?;
        let name = words.next()?;
        let status = words.next()?.parse().ok()?;
        Some(Attempt {
            at: time(at),
            outcome: Outcome::ALL.into_iter().find(|it| it.as_str() == name)?,
            status: (status > 0).then_some(status),
        })
    });
    // The first one may be the end of one that was cut off.
    let cut = usize::from(column.len() >= ATTEMPTS_LEN);
    attempts.skip(cut).flatten().collect()
}

/// The deliveries to the target `$1` before the position `$2`, the newest `$3` of them.
pub(super) fn list_sql(schema: &str, state: Option<DeliveryState>) -> String {
    let states = match state {
        Some(state) => state as i64..=state as i64,
        // Each is found by the index, and the newest of all are among them.
        None => 0..=2,
    };
    let of_state = |state| {
        format!(
            "SELECT * FROM (SELECT * FROM {schema}.delivery WHERE target = $1 AND state = {state} \
             AND position < $2 ORDER BY position DESC LIMIT $3) AS of_state{state}"
        )
    };
    let of_states: Vec<_> = states.map(of_state).collect();
    format!(
        "SELECT {DELIVERY} FROM ({}) AS d JOIN {schema}.receipt AS r ON r.position = d.position \
         ORDER BY d.position DESC LIMIT $3",
        of_states.join(" UNION ALL ")
    )
}

/// The columns of a delivery and its receipt.
pub(super) const DELIVERY: &str =
    "d.position, d.target, r.id, r.class, r.received_at, d.state, d.due_at, d.tries, d.attempts";

/// The columns of a receipt, and of a target.
pub(super) const RECEIPT: &str = "position, id, account, class, received_at, sealed";
pub(super) const TARGET: &str =
    "id, account, state, revision, created_at, failing_since, waiting, sealed";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attempts_are_read_again_without_the_one_that_was_cut_off() {
        let ended = Completion {
            position: 1,
            target: crate::deliveries::TargetId::random().unwrap(),
            claim: 1,
            outcome: Outcome::Rejected,
            status: Some(503),
            again: None,
        };
        let one = format!("1764100000000{}", attempt(&ended));
        assert_eq!(attempts(""), []);
        let read = attempts(&one);
        assert_eq!(
            (read.len(), read[0].outcome, read[0].status),
            (1, Outcome::Rejected, Some(503))
        );
        let many = one.repeat(60);
        let last = &many[many.len() - ATTEMPTS_LEN..];
        assert!(attempts(last).iter().all(|it| *it == read[0]));
        assert!(attempts(last).len() > 25);
    }
}
