//! Tests that need a process of their own: they set the process's log subscriber or measure its
//! memory, and other tests of the same binary run beside them.

use std::env;
use std::process::Command;

/// Names the one test that runs in the child process.
const VARIABLE: &str = "PORTREEVE_TEST_OF_ITS_OWN";

/// Runs `body` in a child process that runs this test alone. `test` is the test's full name, as
/// `cargo test -- --list` shows it.
pub fn run(test: &str, body: impl FnOnce()) {
    run_with(test, &[], body);
}

/// As [`run`], with more environment variables.
pub fn run_with(test: &str, variables: &[(&str, &str)], body: impl FnOnce()) {
    if env::var_os(VARIABLE).is_some_and(|name| name == test) {
        return body();
    }
    let output = Command::new(env::current_exe().unwrap())
        .args([test, "--exact", "--nocapture"])
        .env(VARIABLE, test)
        .envs(variables.iter().copied())
        .output()
        .unwrap();
    let stdout = String::from_utf8_lossy(&output.stdout);
    let stderr = String::from_utf8_lossy(&output.stderr);
    // With a name that no test has, the child would succeed without running any.
    assert!(
        output.status.success() && stdout.contains("1 passed; 0 failed"),
        "{test} failed in its own process: {}\n{stdout}\n{stderr}",
        output.status
    );
}

/// As [`run`], for a body that needs a runtime. All of it runs on one thread, as under
/// `#[tokio::test]`.
pub fn run_async(test: &str, body: impl Future<Output = ()>) {
    run(test, || {
        tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(body);
    });
}
