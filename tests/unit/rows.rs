use super::*;

#[test]
fn attempts_are_read_again_without_the_one_that_was_cut_off() {
    let rejected = |at: i64| format!("{at} rejected 503;");
    let (first, last) = (rejected(1_764_100_000_000), rejected(1_764_100_000_001));
    assert_eq!(attempts(""), []);
    let read = attempts(&format!("{last}{first}"));
    assert_eq!((read[0].outcome, read[0].status), (AttemptOutcome::Rejected, Some(503)));
    assert!(read.len() == 2 && read[0].at < read[1].at);
    let cut = &first.repeat(60)[..1000];
    assert_eq!(attempts(cut), vec![read[0]; 1000 / first.len()]);
}
