use super::*;

#[test]
fn without_a_runtime_it_is_dropped() {
    drop(RunToEnd::new(async {}, &TaskTracker::new()));
}
