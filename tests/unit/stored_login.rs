//! How long a refused password is not tried again.

use super::*;

#[test]
fn retries_that_cost_a_permit_become_rarer() {
    let minutes = |refusals| longer_pause(Duration::from_secs(30 * 60), refusals).as_secs() / 60;
    assert_eq!([0, 1, 2, 3, 4, 5, 1000].map(minutes), [30, 30, 120, 480, 1440, 1440, 1440]);
    let week = Duration::from_secs(7 * 24 * 60 * 60);
    assert_eq!(longer_pause(week, 1000), week);
}
