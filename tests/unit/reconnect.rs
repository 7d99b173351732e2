//! The delays before attempts to reconnect.

use super::*;

#[test]
fn delays_double_up_to_the_longest() {
    let mut policy = Reconnect::default();
    for (failed, whole) in [(0, 1), (1, 2), (4, 16), (5, 30), (31, 30), (u32::MAX, 30)] {
        let max = f64::from(whole);
        for _ in 0..50 {
            let delay = policy.delay(failed).as_secs_f64();
            assert!((max / 2.0..=max).contains(&delay), "{failed}: {delay}");
        }
    }
    (policy.first_delay, policy.longest_delay) = (Duration::MAX, Duration::MAX);
    assert!(policy.delay(3) <= LONGEST);
}
