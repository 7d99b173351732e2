//! When a delivery is attempted again.

use std::time::Duration;

/// How long after each failed attempt the next one is made: at once, then over three days, as Standard Webhooks suggests.
const STEPS: [Duration; 9] = [
    Duration::from_secs(5),
    Duration::from_mins(5),
    Duration::from_mins(30),
    Duration::from_hours(2),
    Duration::from_hours(5),
    Duration::from_hours(10),
    Duration::from_hours(14),
    Duration::from_hours(20),
    Duration::from_hours(24),
];

/// The time from an attempt that failed, the `attempts`-th, to the next; `None` after the last.
///
/// It varies by a fifth in either direction, so that what failed together does not come again together. A target that
/// asks for more time with `Retry-After` gets up to twice as much.
pub(super) fn next_attempt(attempts: u32, retry_after: Option<Duration>) -> Option<Duration> {
    let step = *STEPS.get((attempts as usize).checked_sub(1)?)?;
    let random = getrandom::u32().unwrap_or(u32::MAX / 2);
    let varied = step.mul_f64(0.8 + 0.4 * f64::from(random) / f64::from(u32::MAX));
    Some(varied.max(retry_after.unwrap_or_default().min(2 * step)))
}

#[cfg(test)]
#[path = "../../tests/unit/schedule.rs"]
mod tests;
