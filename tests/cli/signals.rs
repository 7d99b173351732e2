//! The signals that end `serve` and `demo` (docs/OPERATIONS.md, "Running it").

use std::path::Path;
use std::time::{Duration, Instant};

use crate::support::binary::{Served, credentials, eventually, get, serve_in, token};
use crate::support::gateway::PASSWORD;
use crate::support::nextcloud::Nextcloud;

/// A gateway with a request in flight that takes `delay`; the thread returns its status.
async fn busy(dir: &Path, delay: Duration) -> (Served, std::thread::JoinHandle<u16>, Nextcloud) {
    let nextcloud = Nextcloud::start().await;
    nextcloud.answer("webhooks-list-admin");
    nextcloud.delay(delay);
    let token = token(dir, "admin");
    credentials(dir, &["put", "--user", "admin"], PASSWORD);
    let served = Served::start(serve_in(dir).args(["--groupware-url", nextcloud.url()]));
    let address = served.address;
    let in_flight = std::thread::spawn(move || get(address, "/api/v1/webhooks", &token).status);
    eventually("the call is in flight", || !nextcloud.seen().is_empty());
    (served, in_flight, nextcloud)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_signal_that_is_repeated_at_once_does_not_cut_the_drain_short() {
    let dir = tempfile::tempdir().unwrap();
    let (mut served, in_flight, _nextcloud) = busy(dir.path(), Duration::from_millis(1500)).await;
    for pause in [2, 2, 50, 200] {
        served.terminate();
        std::thread::sleep(Duration::from_millis(pause));
    }
    served.signal("INT");
    assert_eq!(in_flight.join().unwrap(), 200);
    assert_eq!(served.wait().code(), Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_signal_after_a_while_cuts_the_drain_short() {
    let dir = tempfile::tempdir().unwrap();
    let (mut served, in_flight, _nextcloud) = busy(dir.path(), Duration::from_secs(20)).await;
    served.terminate();
    std::thread::sleep(Duration::from_millis(1200));
    let second = Instant::now();
    served.terminate();
    assert_eq!(served.wait().code(), Some(1));
    assert!(second.elapsed() < Duration::from_secs(5));
    drop(in_flight);
}
