//! A caller that disconnects, a request that times out, a shutdown: what has begun is completed. What a crash
//! interrupts is completed by a repeated request.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;
use tokio_util::task::TaskTracker;

use super::{Bench, PRESETS, URI, at};
use crate::support::gateway::{Unstarted, set};
use crate::support::log::Log;
use crate::support::nextcloud::{Break, Release, Seen, Slip};
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
    let with = |gateway: Unstarted| gateway.tasks(tasks.clone());
    let bench = Bench::of(Release::default(), LONG, with).await;
    bench.nextcloud.delay(Duration::from_millis(20));
    (bench, tasks)
}

#[tokio::test]
async fn api_4_6_a_disconnect_in_the_middle_stops_nothing() {
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
            assert_eq!(count, COUNT - usize::from(fails), "{calls} {fails}");
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
async fn api_4_6_a_request_that_times_out_is_completed_and_the_next_one_waits_for_it() {
    let with = set(|settings| settings.request_timeout = Duration::from_millis(500));
    let bench = Bench::of(Release::default(), LONG, with).await;
    // Each call takes almost as long as a request may.
    bench.nextcloud.delay(Duration::from_millis(400));
    for state in ["enabled", "disabled"] {
        let answer = match state {
            "enabled" => bench.put("admin", "notes", URI).await,
            _ => bench.delete("admin", "notes", URI).await,
        };
        assert_eq!(answer.status, 504, "{answer:?}");
        let answer = bench.put("carol", "tags", URI).await;
        assert_eq!(answer.status, 504, "it waits: {answer:?}");
        let path = at("notes", URI);
        let shown = async || bench.call("admin", "GET", &path, "").await.json()["state"].clone();
        let becomes = async { while shown().await != state {} };
        let becomes = tokio::time::timeout(LONG, becomes).await;
        assert!(becomes.is_ok(), "{state}");
    }
    assert!(bench.ids().is_empty());
}

/// The process dies while the server works on a call, which it carries out or not.
#[tokio::test]
async fn api_4_6_what_a_crash_leaves_at_any_call_a_repeat_completes() {
    for method in ["PUT", "DELETE"] {
        for calls in 0..COUNT + 2 {
            for slip in [Slip::Before(Break::Hang), Slip::After(Break::Hang)] {
                let bench = Arc::new(Bench::start().await);
                bench.put("carol", "tags", URI).await;
                let others = bench.ids();
                if method == "DELETE" {
                    bench.put("carol", "notes", URI).await;
                }
                let mut slips = vec![None; calls];
                slips.push(Some(slip));
                bench.nextcloud.slip(slips, None);
                crash_during(bench.clone(), method, calls + 1).await;
                bench.nextcloud.slip([], None);

                assert!(others.is_subset(&bench.ids()));
                let (answer, count) = match method {
                    "PUT" => (bench.put("admin", "notes", URI).await, 1),
                    _ => (bench.delete("admin", "notes", URI).await, 0),
                };
                assert_eq!(answer.status, 200, "{slip:?} {calls}: {answer:?}");
                assert_eq!(bench.counts("notes", URI).await, [count; COUNT]);
                assert!(others.is_subset(&bench.ids()));
                assert_eq!(bench.ids().len(), others.len() + count * COUNT);
            }
        }
    }
}

/// Lets another gateway begin a request, and ends all that it does once the server has seen so many calls about
/// webhooks.
async fn crash_during(bench: Arc<Bench>, method: &'static str, calls: usize) {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let url = bench.nextcloud.url().to_owned();
    let of_webhooks = |bench: &Bench| {
        let seen = bench.nextcloud.seen();
        let of_webhooks = |it: &&Seen| it.target.contains("webhook_listeners");
        seen.iter().filter(of_webhooks).count()
    };
    let seen = of_webhooks(&bench);
    runtime.spawn({
        let bench = bench.clone();
        async move {
            let gateway = bench.gateway.beside(&url, |it| it).await;
            let (path, body) = match method {
                "PUT" => (format!("{PRESETS}/notes"), json!({"uri": URI}).to_string()),
                _ => (at("notes", URI), String::new()),
            };
            gateway.call("admin", method, &path, &body).await
        }
    });
    while of_webhooks(&bench) < seen + calls {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    runtime.shutdown_background();
}

#[test]
fn api_4_6_a_failure_is_logged_if_the_caller_has_gone() {
    let test = "presets::cut_off::api_4_6_a_failure_is_logged_if_the_caller_has_gone";
    own_process::run_async(test, async {
        let log = Log::default();
        tracing_subscriber::fmt().with_ansi(false).with_writer(log.clone()).init();
        let (bench, tasks) = bench().await;
        bench.nextcloud.delay(Duration::from_millis(200));
        // Nothing works from the third webhook on.
        let fault = Slip::Before(Break::Internal);
        bench.nextcloud.slip(vec![None; 3], Some(fault));
        disconnect_after(&bench, "PUT", 3).await;
        tasks.close();
        let waited = tokio::time::timeout(LONG, tasks.wait()).await;
        assert!(waited.is_ok());
        let text = log.text();
        let line = text.lines().find(|line| line.contains("a caller who has gone"));
        let line = line.unwrap_or_else(|| panic!("{text}"));
        assert!(line.contains("WARN") && line.contains("request{id="), "{line}");
        assert!(line.contains("the preset notes is unknown after "), "{line}");
        assert!(line.contains(r#""call":"register""#), "{line}");
        assert_eq!(bench.ids().len(), 2);
    });
}
