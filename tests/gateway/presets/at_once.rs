//! Several requests at once: no webhook is registered twice.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::future::join_all;
use serde_json::json;

use super::{Bench, PRESETS, URI};
use crate::support::nextcloud::{Break, Slip};

#[tokio::test]
async fn api_4_6_two_callers_can_enable_two_presets_at_once() {
    for slip in [None, Some(Slip::Before(Break::Internal)), Some(Slip::After(Break::Page(502)))] {
        for at in [1, 4, 8] {
            let bench = Bench::start().await;
            bench.nextcloud.delay(Duration::from_millis(5));
            let mut slips = vec![None; at];
            slips.push(slip);
            bench.nextcloud.slip(slips, None);
            let calls = [("admin", "notes"), ("carol", "files")];
            let uris = [URI, "https://hooks.example.org/other"];
            for uris in [[URI, URI], uris] {
                let puts = || {
                    let puts = calls.iter().zip(uris);
                    puts.map(|((user, preset), uri)| bench.put(user, preset, uri))
                };
                join_all(puts()).await;
                bench.nextcloud.slip([], None);
                for answer in join_all(puts()).await {
                    assert_eq!(answer.status, 200, "{answer:?}");
                }
                for ((user, preset), uri) in calls.iter().zip(uris) {
                    assert_eq!(bench.counts(preset, uri).await, [1; 5]);
                    assert_eq!(bench.delete(user, preset, uri).await.status, 200);
                }
                assert!(bench.ids().is_empty());
            }
        }
    }
}

#[tokio::test]
async fn api_4_6_enabling_a_preset_many_times_at_once_registers_it_once() {
    let bench = Bench::start().await;
    bench.nextcloud.delay(Duration::from_millis(5));
    let users = ["admin", "carol"].into_iter().cycle().take(16);
    let answers = join_all(users.map(|user| bench.put(user, "notes", URI))).await;
    let created: Vec<_> = answers
        .iter()
        .map(|answer| {
            assert_eq!(answer.status, 200, "{answer:?}");
            answer.json()["created"].as_array().unwrap().len()
        })
        .collect();
    assert_eq!(created.iter().sum::<usize>(), 5, "{created:?}");
    assert_eq!(bench.counts("notes", URI).await, [1; 5]);
}

/// Anybody can ask for it, as often as they like.
#[tokio::test]
async fn api_4_6_a_caller_with_many_requests_keeps_nobody_waiting() {
    let bench = Bench::start().await;
    bench.nextcloud.delay(Duration::from_millis(50));
    let ended = AtomicUsize::new(0);
    let many = (0..50).map(async |_| {
        bench.put("alice", "tags", URI).await.assert_error(500, "Internal error");
        ended.fetch_add(1, Ordering::Relaxed)
    });
    let one = async {
        // Once the others wait.
        bench.nextcloud.until_seen(2).await;
        let status = bench.put("admin", "tags", URI).await.status;
        (status, ended.load(Ordering::Relaxed))
    };
    let (_, (status, before)) = tokio::join!(join_all(many), one);
    assert_eq!(status, 200);
    assert!(before < 10, "{before}");
}

#[tokio::test]
async fn api_4_6_enabling_and_disabling_at_once_ends_in_all_or_nothing() {
    for _ in 0..5 {
        let bench = Bench::start().await;
        bench.nextcloud.delay(Duration::from_millis(2));
        let (enabled, disabled, again) = tokio::join!(
            bench.put("admin", "tags", URI),
            bench.delete("carol", "tags", URI),
            bench.put("admin", "tags", URI),
        );
        for answer in [enabled, disabled, again] {
            assert_eq!(answer.status, 200, "{answer:?}");
        }
        assert!(matches!(bench.ids().len(), 0 | 2), "{:?}", bench.ids());
    }
}

#[tokio::test]
async fn api_4_6_two_gateways_keep_one_registration_of_each() {
    let bench = Bench::start().await;
    let url = bench.nextcloud.url();
    // Like two processes on one database: neither knows what the other has in progress.
    let other = bench.gateway.beside(url, |it| it).await;
    for round in 0..10 {
        bench.nextcloud.delay(Duration::from_millis(round % 4));
        let body = json!({"uri": URI}).to_string();
        let path = format!("{PRESETS}/notes");
        let (one, two) = tokio::join!(
            bench.gateway.call("admin", "PUT", &path, &body),
            other.call("admin", "PUT", &path, &body),
        );
        let created = [&one, &two].map(|answer| {
            assert_eq!(answer.status, 200, "{answer:?}");
            assert_eq!(answer.json()["state"], "enabled", "{answer:?}");
            let created = answer.json()["created"].as_array().unwrap().clone();
            created.iter().map(|id| id.as_i64().unwrap()).collect::<BTreeSet<_>>()
        });
        assert_eq!(bench.counts("notes", URI).await, [1; 5], "{one:?} {two:?}");
        // Each answer names what came since its request began, whoever registered it.
        let ids: BTreeSet<_> = created.iter().flatten().copied().collect();
        assert_eq!(ids, bench.ids(), "{created:?}");
        assert_eq!(bench.delete("carol", "notes", URI).await.status, 200);
    }
}
