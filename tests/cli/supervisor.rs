//! Notifications to systemd (docs/OPERATIONS.md, "Under systemd").

use std::fs;
use std::os::unix::net::UnixDatagram;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::support::binary::{Served, serve_in, token};

/// The messages that are sent to `NOTIFY_SOCKET`.
struct Notifications(UnixDatagram);

impl Notifications {
    fn listen(dir: &Path, command: &mut Command) -> Self {
        let path = dir.join("notify");
        let socket = UnixDatagram::bind(&path).unwrap();
        command.env("NOTIFY_SOCKET", &path);
        Self(socket)
    }

    /// The next message; `None` if there is none within `limit`.
    fn next(&self, limit: Duration) -> Option<String> {
        self.0.set_read_timeout(Some(limit)).unwrap();
        let mut bytes = [0; 4096];
        let len = self.0.recv(&mut bytes).ok()?;
        Some(String::from_utf8(bytes[..len].to_vec()).unwrap())
    }

    fn expect(&self, lines: &[&str]) -> String {
        let message = self.next(Duration::from_secs(60)).expect("a message");
        assert!(lines.iter().all(|line| message.lines().any(|it| it == *line)), "{message:?}");
        message
    }
}

#[test]
fn systemd_is_notified_of_startup_reload_and_shutdown() {
    let dir = tempfile::tempdir().unwrap();
    token(dir.path(), "alice");
    let config = dir.path().join("portreeve.toml");
    fs::write(&config, "").unwrap();
    let mut command = serve_in(dir.path());
    command.arg("--config").arg(&config);
    let notifications = Notifications::listen(dir.path(), &mut command);
    let mut served = Served::start(&mut command);
    notifications.expect(&["READY=1"]);
    let mut last = 0;
    // A failed reload is reported as finished, too; otherwise systemd waits for it until it gives up.
    for text in ["max_body = \"1 KiB\"", "faulty"] {
        fs::write(&config, text).unwrap();
        served.signal("HUP");
        let message = notifications.expect(&["RELOADING=1"]);
        let at = message.lines().find_map(|line| line.strip_prefix("MONOTONIC_USEC="));
        let at: u64 = at.expect("the time").parse().unwrap();
        assert!(at > last);
        last = at;
        notifications.expect(&["READY=1"]);
    }
    served.terminate();
    notifications.expect(&["STOPPING=1"]);
    assert_eq!(served.wait().code(), Some(0));
    assert_eq!(notifications.next(Duration::from_millis(100)), None);
}

#[test]
fn the_watchdog_is_notified_while_the_process_runs_and_not_while_it_hangs() {
    let dir = tempfile::tempdir().unwrap();
    token(dir.path(), "alice");
    let mut command = serve_in(dir.path());
    command.env("WATCHDOG_USEC", "1000000");
    let notifications = Notifications::listen(dir.path(), &mut command);
    let served = Served::start(&mut command);
    notifications.expect(&["READY=1"]);
    notifications.expect(&["WATCHDOG=1"]);
    let begun = Instant::now();
    for _ in 0..5 {
        notifications.expect(&["WATCHDOG=1"]);
    }
    let taken = begun.elapsed();
    assert!(taken < Duration::from_millis(5 * 1000), "{taken:?}");
    assert!(taken > Duration::from_millis(5 * 250), "{taken:?}");
    served.signal("STOP");
    while notifications.next(Duration::from_millis(300)).is_some() {}
    assert_eq!(notifications.next(Duration::from_secs(1)), None);
    served.signal("CONT");
    notifications.expect(&["WATCHDOG=1"]);
}

#[test]
fn the_watchdog_of_another_process_is_not_notified() {
    let dir = tempfile::tempdir().unwrap();
    token(dir.path(), "alice");
    let mut command = serve_in(dir.path());
    command.env("WATCHDOG_USEC", "100000").env("WATCHDOG_PID", "1");
    let notifications = Notifications::listen(dir.path(), &mut command);
    let _served = Served::start(&mut command);
    notifications.expect(&["READY=1"]);
    assert_eq!(notifications.next(Duration::from_millis(500)), None);
}
