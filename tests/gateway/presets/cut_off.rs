//! A caller that disconnects, a request that times out, a shutdown: what has begun is completed or undone.

use std::time::Duration;

use serde_json::json;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;
use tokio_util::task::TaskTracker;

use super::{Bench, PRESETS, URI, at, limits};
use crate::support::gateway::Unstarted;
use crate::support::log::Log;
use crate::support::nextcloud::{Break, Release, Slip};
use crate::support::own_process;

const LONG: Duration = Duration::from_secs(20);
/// The webhooks of the preset `notes`.
const COUNT: usize = 5;

/// Begins a request, and disconnects once the server has seen `calls` more calls.
async fn disconnect_after(bench: &Bench, method: &str, calls: usize) {
    let token = bench.gateway.token("admin");
    let (target, body) = match method {
        "PUT" => (format!("{PRESETS}/notes"), json!({"uri": URI}).to_string()),
        _ => (at("notes", URI), String::new()),
    };
    let seen = bench.nextcloud.seen().len();
    let mut stream = TcpStream::connect(bench.gateway.address).await.unwrap();
    stream.set_zero_linger().unwrap();
    let request = format!(
        "{method} {target} HTTP/1.1\r\nHost: gateway\r\nAuthorization: Bearer {token}\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    while bench.nextcloud.seen().len() < seen + calls {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

/// A bench with slow calls, and the tasks of its gateway.
async fn bench() -> (Bench, TaskTracker) {
    let tasks = TaskTracker::new();
    // Undoing is tried for nine tenths of this time.
    let limits = limits(Duration::from_secs(10));
    let with = |gateway: Unstarted| gateway.tasks(tasks.clone()).limits(limits);
    let bench = Bench::of(Release::default(), LONG, with).await;
    bench.nextcloud.delay(Duration::from_millis(20));
    (bench, tasks)
}

#[tokio::test]
async fn api_4_6_a_disconnect_in_the_middle_ends_in_all_or_nothing() {
    for calls in 1..=COUNT + 2 {
        for fails in [false, true] {
            let (bench, tasks) = bench().await;
            if fails {
                // The last one cannot be registered.
                let mut slips = vec![None; COUNT];
                slips.push(Some(Slip::Before(Break::Internal)));
                bench.nextcloud.slip(slips, None);
            }
            disconnect_after(&bench, "PUT", calls).await;
            // Wait as a shutdown does.
            tasks.close();
            let waited = tokio::time::timeout(LONG, tasks.wait()).await;
            assert!(waited.is_ok(), "{calls}");

            let count = bench.ids().len();
            assert_eq!(count, if fails { 0 } else { COUNT }, "{calls} {fails}");
        }
    }
}

#[tokio::test]
async fn api_4_6_a_disconnect_while_a_preset_is_disabled_leaves_nothing() {
    for calls in 1..=COUNT + 1 {
        let (bench, tasks) = bench().await;
        bench.put("admin", "notes", URI).await;
        disconnect_after(&bench, "DELETE", calls).await;
        tasks.close();
        let waited = tokio::time::timeout(LONG, tasks.wait()).await;
        assert!(waited.is_ok(), "{calls}");
        assert!(bench.ids().is_empty(), "{calls}");
    }
}

#[tokio::test]
async fn api_4_6_slow_registrations_are_undone_before_the_request_times_out() {
    let with = |gateway: Unstarted| gateway.limits(limits(Duration::from_secs(4)));
    let bench = Bench::of(Release::default(), LONG, with).await;
    // Two seconds to register, one to undo it.
    bench.nextcloud.delay(Duration::from_millis(450));
    let answer = bench.put("admin", "notes", URI).await;
    let message = answer.assert_error(500, "Internal error");
    assert!(
        message.contains("could not be registered. The request was not answered in time."),
        "{message}"
    );
    bench.nextcloud.delay(Duration::ZERO);
    let left = bench.ids();
    // Only the webhook whose registration got no answer may be left without being named.
    let unknown = usize::from(message.contains("It is not known whether the server"));
    let unnamed = left.difference(&super::named(&message)).count();
    assert!(unnamed <= unknown, "{left:?} {message}");
}

#[tokio::test]
async fn api_4_6_a_request_that_times_out_while_waiting_registers_nothing() {
    let with = |gateway: Unstarted| gateway.limits(limits(Duration::from_secs(2)));
    let bench = Bench::of(Release::default(), LONG, with).await;
    bench
        .nextcloud
        .slip([None, Some(Slip::Before(Break::Hang))], None);
    let (first, second) = tokio::join!(bench.put("admin", "notes", URI), async {
        while bench.nextcloud.seen().len() < 2 {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        bench.put("carol", "notes", URI).await
    });
    first.assert_error(500, "Internal error");
    // Either it got its turn too late, or there was enough time left.
    match second.status {
        504 => assert!(bench.ids().is_empty()),
        200 => assert_eq!(bench.ids().len(), COUNT),
        _ => {
            second.assert_error(500, "Internal error");
            assert!(bench.ids().is_empty(), "{second:?}");
        }
    }
}

#[test]
fn api_4_6_webhooks_that_may_be_left_are_logged_if_the_caller_has_gone() {
    let test =
        "presets::cut_off::api_4_6_webhooks_that_may_be_left_are_logged_if_the_caller_has_gone";
    own_process::run_async(test, async {
        let log = Log::default();
        tracing_subscriber::fmt()
            .with_ansi(false)
            .with_writer(log.clone())
            .init();
        let (bench, tasks) = bench().await;
        // Nothing works from the third webhook on.
        let fault = Slip::Before(Break::Internal);
        bench.nextcloud.slip(vec![None; 3], Some(fault));
        disconnect_after(&bench, "PUT", 3).await;
        tasks.close();
        let waited = tokio::time::timeout(LONG, tasks.wait()).await;
        assert!(waited.is_ok());
        let text = log.text();
        let line = text
            .lines()
            .find(|line| line.contains("a caller who has gone"));
        let line = line.unwrap_or_else(|| panic!("{text}"));
        assert!(
            line.contains("WARN") && line.contains("request{id="),
            "{line}"
        );
        assert!(line.contains("may still be registered: 1, 2"), "{line}");
        assert_eq!(bench.ids().len(), 2);
    });
}
