//! A gateway that nobody calls sleeps, and writes signs of life alone.

use std::fs;
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use crate::support::binary::{Served, get, in_dir, serve_in, success, token};

/// How often the threads of a process have been woken.
fn wake_ups(process: u32) -> u64 {
    let tasks = fs::read_dir(format!("/proc/{process}/task")).unwrap();
    let switches = tasks.map(|task| {
        // One that has ended meanwhile counts for nothing.
        let status = fs::read_to_string(task.unwrap().path().join("status")).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"));
        line.map_or(0, |count| count.trim().parse::<u64>().unwrap())
    });
    switches.sum()
}

/// The bytes of the databases' logs.
fn written(dir: &Path) -> u64 {
    let files = fs::read_dir(dir).unwrap().map(|file| file.unwrap());
    let logs = files.filter(|file| file.file_name().to_string_lossy().ends_with("-wal"));
    logs.map(|log| log.metadata().unwrap().len()).sum()
}

#[test]
fn an_idle_gateway_is_woken_a_few_times_a_second_and_a_new_token_works_at_once() {
    // A sign of life is among them, or two.
    const SECONDS: u64 = 11;
    const PAGE: u64 = 4096;
    let dir = tempfile::tempdir().unwrap();
    token(dir.path(), "alice");
    let mut command = serve_in(dir.path());
    command.env("PORTREEVE_DELIVERIES", "true");
    command.env("WEBHOOK_SECRET", "a secret of at least 32 characters");
    let served = Served::start(&mut command);
    assert_eq!(get(served.address, "/readyz", "").status, 200);
    sleep(Duration::from_secs(1));
    let (before, log) = (wake_ups(served.id()), written(dir.path()));
    sleep(Duration::from_secs(SECONDS));
    let woken = wake_ups(served.id()) - before;
    assert!(woken <= 10 * SECONDS, "{woken} in {SECONDS} seconds");
    // Less than a page a second.
    let log = written(dir.path()) - log;
    assert!((1..SECONDS * PAGE).contains(&log), "{log} in {SECONDS} seconds");

    let path = "/api/v1/background-sync/status";
    for user in ["bob", "carol", "dave"] {
        let mut new = in_dir(dir.path(), &["token", "new", "--user", user]);
        let made = success(&mut new, "");
        assert_eq!(get(served.address, path, made.trim()).status, 200, "{user}");
    }
}
