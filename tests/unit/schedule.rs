use super::*;

#[test]
fn retry_after_counts_within_twice_the_step() {
    let wait = |seconds| next_attempt(2, Some(Duration::from_secs(seconds))).unwrap();
    assert_eq!(wait(500), Duration::from_secs(500));
    assert_eq!(wait(600), Duration::from_secs(600));
    assert_eq!(wait(u64::MAX), Duration::from_secs(600));
    assert!((240..=360).contains(&wait(1).as_secs()));
    assert_eq!(next_attempt(10, Some(Duration::from_secs(1))), None);
}
